"""Names of the original packages that mean modules of ours."""

from __future__ import annotations

import importlib
import multiprocessing
import sys
from collections.abc import Iterator
from importlib.metadata import distributions
from pathlib import Path

import numpy as np
import pytest

from tests.support.process import run_python
from unibody.cli import alias, aliases


@pytest.fixture
def clean_imports() -> Iterator[None]:
    meta_path, modules, path = list(sys.meta_path), set(sys.modules), list(sys.path)
    missing = np.__getattr__
    yield
    np.__getattr__ = missing
    sys.meta_path[:], sys.path[:] = meta_path, path
    for name in set(sys.modules) - modules:
        del sys.modules[name]


@pytest.mark.usefixtures("clean_imports")
def test_an_alias_is_the_very_module_it_stands_for() -> None:
    sys.meta_path.insert(0, aliases.AliasFinder({"robot_errors": "unibody.errors"}))
    module = importlib.import_module("robot_errors")
    assert module is importlib.import_module("unibody.errors")
    assert module.__name__ == "unibody.errors"
    assert module.__spec__ is not None
    assert module.__spec__.name == "unibody.errors"


@pytest.mark.usefixtures("clean_imports")
def test_an_alias_goes_before_an_installed_module_and_a_fallback_behind(tmp_path: Path) -> None:
    for name in ("taken_name", "kept_name"):
        (tmp_path / f"{name}.py").write_text("ORIGIN = 'the user'\n")
    sys.path.insert(0, str(tmp_path))
    sys.meta_path.insert(0, aliases.AliasFinder({"taken_name": "unibody.errors"}))
    sys.meta_path.append(
        aliases.AliasFinder({"kept_name": "unibody.errors", "free_name": "unibody.errors"})
    )
    ours = importlib.import_module("unibody.errors")
    assert importlib.import_module("taken_name") is ours
    assert importlib.import_module("kept_name").ORIGIN == "the user"
    assert importlib.import_module("free_name") is ours


@pytest.mark.usefixtures("clean_imports")
def test_one_module_of_an_installed_package_can_be_ours(tmp_path: Path) -> None:
    (tmp_path / "tools_pkg").mkdir()
    (tmp_path / "tools_pkg" / "__init__.py").write_text("")
    (tmp_path / "tools_pkg" / "client.py").write_text("ORIGIN = 'the user'\n")
    (tmp_path / "tools_pkg" / "other.py").write_text("ORIGIN = 'the user'\n")
    sys.path.insert(0, str(tmp_path))
    sys.meta_path.insert(0, aliases.AliasFinder({"tools_pkg.client": "unibody.errors"}))
    package = importlib.import_module("tools_pkg")
    assert importlib.import_module("tools_pkg.other").ORIGIN == "the user"
    importlib.import_module("tools_pkg.client")
    assert package.client is importlib.import_module("unibody.errors")


@pytest.mark.usefixtures("clean_imports")
def test_installing_the_aliases_twice_adds_them_once() -> None:
    aliases.install()
    found = list(sys.meta_path)
    aliases.install()
    assert sys.meta_path == found
    assert sum(isinstance(finder, aliases.AliasFinder) for finder in found) == 2


@pytest.mark.parametrize("target", sorted({*aliases.ALIASES.values(), *aliases.FALLBACKS.values()}))
def test_every_alias_leads_to_a_module(target: str) -> None:
    assert importlib.import_module(target).__name__ == target


def run_script(folder: Path, text: str, *flags: str) -> str:
    path = folder / "script.py"
    path.write_text(text)
    result = run_python([*flags, "-m", "unibody", "run", str(path)], cwd=folder)
    assert result.returncode == 0, result.stderr
    return result.stdout


def test_a_script_gets_our_bullet_under_the_original_name(tmp_path: Path) -> None:
    text = (
        "import pybullet as p, pybullet, sys\n"
        "from pybullet import DIRECT\n"
        "import unibody.bullet\n"
        "from pybullet_utils import bullet_client\n"
        "import pybullet_utils.bullet_client as bc\n"
        "print(p is unibody.bullet, p is pybullet, DIRECT, bc is bullet_client, bc.__name__)\n"
    )
    expected = "True True 2 True unibody.bullet.pybullet_utils.bullet_client\n"
    assert run_script(tmp_path, text) == expected


# -S leaves out site-packages: nothing but the standard library and this source is importable.
def test_without_pybullet_data_a_script_gets_our_models(tmp_path: Path) -> None:
    text = (
        "import os, pybullet_data\n"
        "folder = pybullet_data.getDataPath()\n"
        "print(pybullet_data.__name__, os.path.exists(os.path.join(folder, 'plane.urdf')))\n"
    )
    assert run_script(tmp_path, text, "-S") == "unibody.sample_assets True\n"


# Stands before the alias, as an environment without the package.
HIDDEN = """
import importlib.machinery, sys
find = importlib.machinery.PathFinder.find_spec
importlib.machinery.PathFinder.find_spec = lambda name, *more: (
    None if name == "pybullet_data" else find(name, *more)
)
import pybullet as p, pybullet_data
p.connect(p.DIRECT)
p.setAdditionalSearchPath(pybullet_data.getDataPath())
p.loadURDF("kuka_iiwa/model.urdf")
p.loadURDF("r2d2.urdf")
p.loadURDF("r2d2.urdf")
"""
OWN = """
import unibody.bullet as p
from unibody.sample_assets import getDataPath
p.connect(p.DIRECT)
p.loadURDF(getDataPath() + "/r2d2.urdf")
"""


@pytest.mark.parametrize(("text", "count"), [(HIDDEN, 1), (OWN, 0)])
def test_each_model_of_ours_in_the_place_of_an_original_is_told_of_once(
    tmp_path: Path, text: str, count: int
) -> None:
    (tmp_path / "script.py").write_text(text)
    run = "import sys; from unibody.cli import main; sys.exit(main(sys.argv[1:]))"
    done = run_python(["-c", run, "run", "script.py"], cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("kuka_iiwa/model.urdf is a simple model of ours") == count
    assert done.stderr.count("r2d2.urdf is a simple model of ours") == count
    assert done.stderr.count("unibody data install") == 2 * count


def test_with_pybullet_data_a_script_gets_its_own(tmp_path: Path) -> None:
    (tmp_path / "pybullet_data").mkdir()
    (tmp_path / "pybullet_data" / "__init__.py").write_text("def getDataPath(): return 'mine'\n")
    text = "import pybullet_data\nprint(pybullet_data.getDataPath())\n"
    assert run_script(tmp_path, text) == "mine\n"


WORKERS = """
import multiprocessing, subprocess, sys
import pybullet

def work(queue):
    queue.put((pybullet.__name__, pybullet.connect(pybullet.DIRECT)))

if __name__ == "__main__":
    pybullet.connect(pybullet.DIRECT)
    for method in multiprocessing.get_all_start_methods():
        context = multiprocessing.get_context(method)
        queue = context.SimpleQueue()
        process = context.Process(target=work, args=(queue,))
        process.start()
        process.join()
        assert process.exitcode == 0, method
        name, client = queue.get()
        print(name)
    subprocess.run([sys.executable, "-c", "import pybullet; print(pybullet.__name__)"], check=True)
"""


def test_workers_and_scripts_that_a_script_starts_find_unibody_too(tmp_path: Path) -> None:
    count = len(multiprocessing.get_all_start_methods()) + 1
    assert run_script(tmp_path, WORKERS).split() == ["unibody.bullet"] * count


def test_the_start_of_other_interpreters_keeps_the_modules_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "sitecustomize.py").write_text("import sys\nsys.own = 'here'\n")
    text = """
import os, subprocess, sys
os.environ["PYTHONPATH"] += os.pathsep + "site"
ask = "import os, sys; print(sys.own, sys.modules['sitecustomize'].__file__, *sys.path)"
subprocess.run([sys.executable, "-c", ask], check=True)
"""
    own, file, *path = run_script(tmp_path, text).split()
    assert own == "here"
    assert not [folder for folder in path if folder.endswith("children")]
    assert Path(file) == tmp_path / "site" / "sitecustomize.py"


def test_programs_that_ask_whether_an_original_is_installed_are_told_its_version(
    tmp_path: Path,
) -> None:
    text = """
import importlib.metadata, os, subprocess, sys
for name in ("isaacgym", "pybullet_fleet"):
    print(importlib.metadata.version(name), end=" ", flush=True)
ask = "import importlib.metadata; print(importlib.metadata.version('isaacgym'))"
subprocess.run([sys.executable, "-c", ask], check=True)
"""
    versions = {original.name: original.version for original in alias.ORIGINALS}
    expected = [versions["isaacgym"], versions["pybullet-fleet"], versions["isaacgym"]]
    assert run_script(tmp_path, text).split() == expected


def test_the_versions_that_programs_are_told_are_those_of_an_installation() -> None:
    folder = Path(aliases.__file__).parent / "originals"
    told = {found.metadata["Name"]: found.version for found in distributions(path=[str(folder)])}
    known = {original.name: original.version for original in alias.ORIGINALS}
    names = ("isaacgym", "newton", "pybullet", "pybullet-fleet")
    assert told == {name: known[name] for name in names}


def test_an_original_that_is_installed_is_the_one_that_programs_are_told_of(tmp_path: Path) -> None:
    (tmp_path / "isaacgym-0.9.dist-info").mkdir()
    (tmp_path / "isaacgym-0.9.dist-info" / "METADATA").write_text("Name: isaacgym\nVersion: 0.9\n")
    text = "import importlib.metadata; print(importlib.metadata.version('isaacgym'))"
    assert run_script(tmp_path, text).split() == ["0.9"]


def test_usd_knows_the_schemas_of_physx_before_the_first_stage_of_a_script() -> None:
    pytest.importorskip("pxr")
    script = (
        "from unibody.cli import aliases\n"
        "aliases.install()\n"
        "from pxr import Usd\n"
        "stage = Usd.Stage.CreateInMemory()\n"
        "prim = stage.DefinePrim('/scene', 'PhysicsScene')\n"
        "from pxr import PhysxSchema\n"
        "api = PhysxSchema.PhysxSceneAPI.Apply(prim)\n"
        "print(api.GetBroadphaseTypeAttr().Get(), prim.HasAPI('PhysxSceneAPI'))\n"
    )
    found = run_python(["-c", script])
    assert found.stdout.split() == ["GPU", "True"], found.stderr
