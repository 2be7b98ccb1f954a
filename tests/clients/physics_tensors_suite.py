"""Runs the CPU tests of ``omni.physics.tensors.tests`` against unibody, from a fetched copy.

    python tests/clients/physics_tensors_suite.py [--source FOLDER] [--least N] [part of a name ...]

FOLDER is a checkout of NVIDIA-Omniverse/PhysX; without it the suite is cloned. Names of PhysX that
Isaac core's own surface does not have are stood in for here. Stages whose contents were not fetched
(they are in Git LFS) are left out, but for a cart with a pole, an ant, a humanoid and an arm of our
own; the tests that need the others fail.
"""

from __future__ import annotations

import argparse
import asyncio
import collections
import importlib.abc
import importlib.machinery
import importlib.util
import shutil
import sys
import tempfile
import unittest
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

REPOSITORY = "https://github.com/NVIDIA-Omniverse/PhysX"
SOURCE = "omni/extensions/runtime/source/omni.physics.tensors.tests"
SCRIPTS = "omni/extensions/runtime/source/omni.physx/python/scripts"
OTHERS = ("article", "soft", "eformable", "_gpu", "_gc", "_gg", "sdf")  # other parts of PhysX
EMPTY = ("particleUtils", "deformableUtils", "deformableMeshUtils", "utils")
CARTS = {
    "CartPole": (),
    "CartRailNoPole": ("pole", "poleJoint"),
    "CartPoleNoRail": ("rail", "cartJoint"),
}  # what of the cart with a pole is not in it
NAMES = (
    "omni.physx",
    "omni.physx.bindings",
    "omni.physx.bindings._physx",
    "omni.physx.scripts",
    "omni.physxfabric",
    "omni.physxtests",
    "omni.physxtests.utils",
    "omni.physxtests.utils.physicsBase",
)


class Simulation:
    """PhysX's interface to what runs."""

    def attach_stage(self, stage_id: int) -> None:
        from pxr import Usd, UsdUtils

        from unibody.isaac_core import physics

        identity = Usd.StageCache.Id.FromLongInt(stage_id)
        physics.detach()
        physics.attach(UsdUtils.StageCache.Get().Find(identity))

    def detach_stage(self) -> None:
        from unibody.isaac_core import physics

        physics.detach()

    def simulate(self, dt: float, time: float) -> None:
        from unibody.isaac_core import physics

        scene = physics.current()
        assert scene is not None
        scene.step(dt)

    def fetch_results(self) -> None:
        """Results are there once a step is."""

    def update(self, time: float, dt: float) -> None:
        """What Fabric would get can be read at any time."""


class Case(unittest.IsolatedAsyncioTestCase):
    """The class that PhysX's tests derive from."""

    async def setUp(self) -> None:  # type: ignore[override]  # the original's is a coroutine
        from unibody.isaac_core.kit import context

        context.get_context().new_stage()

    async def tearDown(self) -> None:  # type: ignore[override]
        from unibody.isaac_core import physics

        physics.detach()

    def _callSetUp(self) -> None:  # noqa: N802 - unittest's
        self._callAsync(self.setUp)

    def _callTearDown(self) -> None:  # noqa: N802 - unittest's
        self._callAsync(self.tearDown)


class Bindings(ModuleType):
    """Names of settings."""

    def __getattr__(self, name: str) -> str:
        if name.startswith("__"):
            raise AttributeError(name)
        return f"/physics/{name.removeprefix('SETTING_').lower()}"


class Stand(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds the modules of PhysX; its scripts are those of the checkout."""

    def __init__(self, scripts: Path) -> None:
        self.scripts = scripts

    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> Any:
        last = fullname.rsplit(".", 1)[-1]
        if fullname in NAMES or (fullname.startswith("omni.physx.scripts.") and last in EMPTY):
            return importlib.machinery.ModuleSpec(fullname, self, is_package=True)
        if fullname.startswith("omni.physx.scripts."):
            file = self.scripts / f"{last}.py"
            if file.exists():
                return importlib.util.spec_from_file_location(fullname, file)
        return None

    def create_module(self, spec: Any) -> ModuleType:
        return (Bindings if spec.name.endswith("_physx") else ModuleType)(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        simulation = Simulation()
        module.__dict__.update(
            __path__=[],
            get_physx_interface=lambda: simulation,
            get_physx_simulation_interface=lambda: simulation,
            get_physx_cooking_interface=SimpleNamespace,
            get_physx_fabric_interface=lambda: simulation,
            PhysicsBaseAsyncTestCase=Case,
        )


def write_cart(file: Path, without: tuple[str, ...]) -> None:
    """Write a cart with a pole, without some of its parts."""
    from pxr import Usd, UsdGeom, UsdPhysics

    from tests.isaac_core.physics.stages import add_cartpole
    from unibody.isaac_core.schemas import physx_schema

    stage = Usd.Stage.CreateNew(str(file))
    add_cartpole(stage, "/cartpole")
    for name in ("rail", "cart", "pole"):
        prim = stage.GetPrimAtPath(f"/cartpole/{name}")
        UsdGeom.Xformable(prim).AddScaleOp().Set((1, 1, 1))  # the tests read it
        body = physx_schema.PhysxRigidBodyAPI.Apply(prim)
        body.CreateAngularDampingAttr(0.0)  # speeds are to last
    # Forces that the tests work out step by step ring in less than 2 kg.
    UsdPhysics.MassAPI(stage.GetPrimAtPath("/cartpole/cart")).CreateMassAttr(4.0)
    slider = stage.GetPrimAtPath("/cartpole/cartJoint")
    slider.RemoveAPI(UsdPhysics.DriveAPI, "linear")  # the tests bring the drives
    for stated in slider.GetPropertyNames():
        if stated.startswith("drive:"):
            slider.RemoveProperty(stated)
    if "rail" in without:
        root = UsdPhysics.Joint(stage.GetPrimAtPath("/cartpole/rootJoint"))
        root.GetBody1Rel().SetTargets(["/cartpole/cart"])
    for path in without:
        stage.RemovePrim(f"/cartpole/{path}")
    stage.SetDefaultPrim(stage.GetPrimAtPath("/cartpole"))
    stage.Save()


def prepare(checkout: Path, place: Path) -> Any:
    """The module of the tests, with the stages that are there beside it."""
    from isaac_stand_ins import URDF, ant, franka, humanoid, write

    package = place / "of" / "python" / "scripts"
    shutil.copytree(checkout / SOURCE / "python" / "scripts", package)
    data = place / "of" / "data" / "usd"
    shutil.copytree(checkout / SOURCE / "data" / "usd", data)
    for file in data.iterdir():
        if file.read_bytes().startswith(b"version https://git-lfs"):
            file.unlink()
    for name, without in CARTS.items():
        if not (data / f"{name}.usda").exists():
            write_cart(data / f"{name}.usda", without)
    if not (data / "Ant.usda").exists():
        write(data / "Ant.usda", ant(), "ant", "torso")
    if not (data / "Humanoid.usda").exists():
        write(data / "Humanoid.usda", humanoid(), "humanoid", "torso")
    if not (data / "franka.usda").exists():
        write(data / "franka.usda", franka(URDF), "panda")
    sys.path.insert(0, str(place / "of" / "python"))
    (package / "__init__.py").touch()
    module = importlib.import_module("scripts.tests")
    scenario = importlib.import_module("scripts.scenario")
    for holder in (module, scenario):
        holder.__dict__["get_asset_root"] = lambda: str(data)
    return module


def main() -> None:
    from checkouts import checkout

    from unibody.cli import aliases

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--source", type=Path, help="a checkout of NVIDIA-Omniverse/PhysX")
    parser.add_argument("--least", type=int, default=0, help="fail if fewer tests pass")
    parser.add_argument("parts", nargs="*", help="parts of the names of tests")
    options = parser.parse_args()
    sys.path.insert(0, str(Path(__file__).parents[2]))
    aliases.install()
    import pxr

    tools = ModuleType("pxr.PhysicsSchemaTools")
    sys.modules[tools.__name__] = pxr.PhysicsSchemaTools = tools
    with (
        tempfile.TemporaryDirectory() as folder,
        checkout(REPOSITORY, [SOURCE, SCRIPTS], options.source) as source,
    ):
        sys.meta_path.insert(0, Stand(source / SCRIPTS))
        cases = prepare(source, Path(folder)).PhysicsTensorsTests
        names = [name for name in dir(cases) if name.startswith("test_")]
        names = [name for name in names if not any(other in name for other in OTHERS)]
        if options.parts:
            names = [name for name in names if any(part in name for part in options.parts)]
        counts: collections.Counter[str] = collections.Counter()
        asyncio.set_event_loop(asyncio.new_event_loop())
        for name in names:
            result = unittest.TestResult()
            unittest.TestSuite([cases(name)]).run(result)
            bad = [*result.errors, *result.failures]
            counts["failed" if bad else "passed"] += 1
            reason = bad[0][1].strip().splitlines()[-1][:150] if bad else ""
            print("FAILED" if bad else "passed", name, reason, flush=True)
        print(dict(counts))
    sys.exit(counts["passed"] < options.least)


if __name__ == "__main__":
    main()
