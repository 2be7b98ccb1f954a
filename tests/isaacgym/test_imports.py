"""Scripts get these modules under the original's names, in any order with torch."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.process import run_python
from unibody.errors import NotSupportedError

USES = """
from isaacgym.torch_utils import *
from isaacgym.terrain_utils import *
from isaacgym import gymapi, gymtorch, gymutil, rlgpu
import isaacgym.rlgpu
import isaacgym
import isaacgym.torch_utils as tu
from isaacgym import terrain_utils, torch_utils
import unibody.isaacgym

assert isaacgym is unibody.isaacgym and tu is torch_utils is unibody.isaacgym.torch_utils
array = np.zeros(3, np.float32)
gymtorch.wrap_tensor(gymapi.Tensor.of(array))[1] = 2.0
assert torch.from_numpy(array).sum() == 2.0
assert gymapi.SimParams().up_axis == gymapi.UP_AXIS_Y
assert gymutil.parse_arguments(headless=True).headless
print(quat_mul(torch.ones(1, 4), torch.ones(1, 4)).shape, SubTerrain().terrain_name)
"""


@pytest.mark.parametrize(
    "text",
    [
        "import isaacgym\nimport torch" + USES,
        "import torch\nimport isaacgym" + USES,
        "from isaacgym import gymapi" + USES,
        USES,
    ],
)
def test_a_script_imports_the_originals_names(tmp_path: Path, text: str) -> None:
    script = tmp_path / "script.py"
    script.write_text(text)
    result = run_python(["-m", "unibody", "run", str(script), "--headless"], cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    assert result.stdout == "torch.Size([1, 4]) terrain\n"


@pytest.mark.parametrize("name", ["create_task_cpu", "create_task_gpu"])
def test_a_compiled_task_is_refused_by_its_name(name: str) -> None:
    from unibody.isaacgym import rlgpu

    with pytest.raises(NotSupportedError, match="compiled task 'Ant'"):
        getattr(rlgpu, name)("Ant", "{}")


@pytest.mark.parametrize("module", ["gymtorch", "gymutil", "terrain_utils"])
def test_a_star_import_leaves_torchs_names_alone(module: str) -> None:
    names: dict[str, object] = {"Any": 1}
    exec(f"from unibody.isaacgym.{module} import *", names)
    assert names["Any"] == 1
    # In a type comment of TorchScript the name means torch's.
    assert "Tensor" not in names


@pytest.mark.parametrize("module", ["gymapi", "gymutil", "gymtorch", "terrain_utils"])
def test_importing_a_module_loads_neither_torch_nor_an_engine(tmp_path: Path, module: str) -> None:
    text = (
        f"import sys, unibody.isaacgym.{module}\n"
        "print(sorted({'torch', 'mujoco', 'warp', 'numba', 'PIL', 'scipy'} & set(sys.modules)))"
    )
    result = run_python(["-c", text], cwd=tmp_path)
    assert result.stdout == "[]\n", result.stderr
