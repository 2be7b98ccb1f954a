"""Scripts that name CUDA devices in PyTorch, and names that NumPy had, run where there are none."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import unibody
from tests.support.process import run_python
from unibody.cli import alias
from unibody.core.engine.library.devices import cuda_devices

pytestmark = pytest.mark.skipif(cuda_devices() > 0, reason="there is a CUDA device")

# Each gives the numbers beside it, on the CPU.
MADE = {
    "torch.zeros(2, device='cuda:0')": [0, 0],
    "torch.ones(2, device=torch.device('cuda'), dtype=torch.long)": [1, 1],
    "torch.full((2,), 3.5, device='cuda')": [3.5, 3.5],
    "torch.arange(3, device='cuda')": [0, 1, 2],
    "torch.eye(2, device='cuda')": [[1, 0], [0, 1]],
    "torch.linspace(0, 1, 3, device='cuda')": [0, 0.5, 1],
    "torch.tensor([1.0, 2.0], device='cuda')": [1, 2],
    "torch.as_tensor(np.ones(2), device='cuda:0')": [1, 1],
    "torch.asarray(np.ones(2), device='cuda')": [1, 1],
    "torch.zeros_like(x, device='cuda')": [0, 0, 0],
    "x.new_tensor([4.0], device='cuda')": [4],
    "x.new_full((1,), 4.0, device='cuda')": [4],
    "torch.tril_indices(2, 2, device='cuda')": [[0, 1, 1], [0, 0, 1]],
    "torch.from_numpy(np.ones(2)).to('cuda')": [1, 1],
    "x.to(device='cuda:0', dtype=torch.long)": [1, 1, 1],
    "x.cuda()": [1, 1, 1],
    "x.pin_memory()": [1, 1, 1],
    "torch.nn.Linear(2, 2).to('cuda:0').weight.new_zeros(1)": [0],
    "torch.nn.Linear(2, 2).to(0).weight.new_zeros(1)": [0],
    "torch.nn.Linear(2, 2, device='cuda').cuda().weight.new_zeros(1)": [0],
    "compiled('cuda:0')": [0, 1],
    "torch.load(file, map_location='cuda:0')": [1, 1, 1],
    "torch.cuda.FloatTensor([2.0])": [2],
}
# Each is true.
TRUE = [
    "x.to('cuda:0') is x",  # a view of the simulation stays one
    "x.cuda() is x",
    "x.cpu() is not x",  # a copy, to which the simulation does not go on to write
    "torch.cuda.is_available() is False",
    "torch.cuda.current_device() == 0",
    "torch.cuda.synchronize() is None and torch.cuda.set_device('cuda:0') is None",
    "elapsed() >= 1.0",
    "made_in_thread().tolist() == [0.0]",
    "np.float is float and np.int is int and np.float_ is np.float64",
    "not hasattr(np, 'no_such_name')",
]
SCRIPT = """
import json, sys, threading, time
from isaacgym import gymapi
import torch
import numpy as np

x = torch.ones(3)
file = sys.argv[1]
torch.save(x, file)

@torch.jit.script
def compiled(device: str):
    return torch.zeros([2], device=device) + torch.tensor([0.0, 1.0], device=device)

def elapsed():
    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    start.record()
    time.sleep(0.002)
    with torch.cuda.stream(torch.cuda.Stream()):
        end.record()
    return start.elapsed_time(end)

def made_in_thread():
    made = []
    thread = threading.Thread(target=lambda: made.append(torch.zeros(1, device="cuda:0")))
    thread.start()
    thread.join()
    return made[0]

found = {}
for text in json.loads(sys.argv[2]):
    value = eval(text)
    found[text] = [str(value.device), value.tolist()] if torch.is_tensor(value) else bool(value)
print(json.dumps(found))
"""


@pytest.fixture(scope="module")
def _run(tmp_path_factory: pytest.TempPathFactory):
    folder: Path = tmp_path_factory.mktemp("devices")
    (folder / "script.py").write_text(SCRIPT, encoding="utf-8")
    texts = json.dumps([*MADE, *TRUE])
    return run_python(
        ["-m", "unibody", "run", "script.py", str(folder / "tensor.pt"), texts], cwd=folder
    )


@pytest.fixture(scope="module")
def found(_run):
    assert _run.returncode == 0, _run.stderr
    return json.loads(_run.stdout)


@pytest.mark.parametrize("text", MADE)
def test_tensors_for_a_card_are_the_cpus(found, text):
    assert found[text] == ["cpu", MADE[text]]


@pytest.mark.parametrize("text", TRUE)
def test_what_scripts_ask_has_an_answer(found, text):
    assert found[text] is True


def test_one_line_says_what_became_of_the_device(_run):
    lines = [line for line in _run.stderr.splitlines() if "CUDA" in line]
    assert len(lines) == 1
    assert lines[0].startswith("unibody: PyTorch device 'cuda:0': no CUDA device was found")


def test_a_required_card_is_not_replaced(tmp_path):
    (tmp_path / "script.py").write_text("import isaacgym, torch\ntorch.zeros(1, device='cuda:0')\n")
    run = run_python(["-m", "unibody", "run", "script.py", "--require-gpu"], cwd=tmp_path)
    assert run.returncode == 1
    assert "CUDA" in run.stderr or "NVIDIA" in run.stderr  # of a PyTorch for cards


def test_pytorch_alone_is_left_as_it_is(tmp_path):
    (tmp_path / "script.py").write_text("import torch\ntorch.zeros(1, device='cuda:0')\n")
    assert run_python(["-m", "unibody", "run", "script.py"], cwd=tmp_path).returncode == 1


def test_programs_that_find_unibody_by_its_alias_see_the_same(tmp_path):
    alias.install(tmp_path)
    program = "import isaacgym, torch, numpy; print(torch.zeros(1, device='cuda:0'), numpy.float)"
    sources = Path(unibody.__file__).parents[1]
    run = run_python(["-c", program], environment={"PYTHONPATH": f"{tmp_path}:{sources}"})
    assert run.stdout == "tensor([0.]) <class 'float'>\n", run.stderr


ISAAC_CORE = """
import torch
from isaacsim import SimulationApp
app = SimulationApp({"headless": True})
from isaacsim.core.api import World
from isaacsim.core.api.objects import DynamicCuboid
world = World(backend="torch", device="cuda:0")
box = world.scene.add(DynamicCuboid("/World/box", position=torch.tensor([0.0, 0.0, 1.0])))
world.reset()
for _ in range(10):
    world.step(render=False)
height = box.get_world_pose()[0][2] + torch.zeros(1, device="cuda:0")
print(world.device, height.device, bool(height < 1.0))
app.close()
"""


def test_a_world_of_isaac_core_for_a_card_is_on_the_cpu(tmp_path):
    pytest.importorskip("pxr")
    (tmp_path / "script.py").write_text(ISAAC_CORE, encoding="utf-8")
    run = run_python(["-m", "unibody", "run", "script.py"], cwd=tmp_path)
    assert run.stdout.splitlines()[-1] == "cpu cpu True", run.stderr
    assert "device='cuda:0': no CUDA device was found, so the simulation" in run.stderr
