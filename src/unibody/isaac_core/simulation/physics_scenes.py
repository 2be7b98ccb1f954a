"""PhysicsScene and PhysxScene: settings of a physics scene of the stage."""

from __future__ import annotations

from typing import Any

from pxr import Gf, Usd, UsdGeom, UsdPhysics

from unibody.errors import InvalidArgumentError
from unibody.isaac_core import handles
from unibody.isaac_core.schemas import physx_schema
from unibody.isaac_core.simulation.manager import DEFAULT_RATE, simulation

_EARTH = 9.81


class PhysicsScene:
    """A physics scene of the stage; a new one where the path is free.

    Args:
        prim: The prim, or its path.

    Raises:
        InvalidArgumentError: Something else is there.
    """

    def __init__(self, prim: str | Usd.Prim) -> None:
        path = prim if isinstance(prim, str) else prim.GetPath().pathString
        stage = handles.current_stage()
        found = stage.GetPrimAtPath(path)
        if found and not found.IsA(UsdPhysics.Scene):
            raise InvalidArgumentError("prim", path, "a path of a physics scene, or a free one")
        self._scene = UsdPhysics.Scene(found) if found else UsdPhysics.Scene.Define(stage, path)
        self._prim = self._scene.GetPrim()
        if not self._prim.HasAPI("PhysxSceneAPI"):
            physx_schema.PhysxSceneAPI.Apply(self._prim)

    @property
    def path(self) -> str:
        """Where it is."""
        return self._prim.GetPath().pathString

    @property
    def prim(self) -> Usd.Prim:
        """The prim."""
        return self._prim

    @property
    def physics_scene(self) -> UsdPhysics.Scene:
        """The scene of USD."""
        return self._scene

    @staticmethod
    def get_physics_scene_paths(stage: Usd.Stage | None = None) -> list[str]:
        """Paths of the physics scenes of a stage; None: of that of the app."""
        prims = (handles.current_stage() if stage is None else stage).Traverse()
        return [prim.GetPath().pathString for prim in prims if prim.IsA(UsdPhysics.Scene)]

    def get_gravity(self) -> Gf.Vec3f:
        """Gravity, in units of the stage [m/s^2]."""
        stage = handles.current_stage()
        direction = self._scene.GetGravityDirectionAttr().Get()
        magnitude = self._scene.GetGravityMagnitudeAttr().Get()
        if direction is None or Gf.Vec3f(direction).GetLength() == 0.0:
            up = UsdGeom.GetStageUpAxis(stage)
            direction = Gf.Vec3f(0, -1, 0) if up == UsdGeom.Tokens.y else Gf.Vec3f(0, 0, -1)
        if magnitude is None or magnitude < 0.0:
            magnitude = _EARTH / UsdGeom.GetStageMetersPerUnit(stage)
        return Gf.Vec3f(direction) * float(magnitude)

    def set_gravity(self, gravity: Any) -> None:
        """Set gravity, in units of the stage [m/s^2]."""
        vector = Gf.Vec3f(*(float(part) for part in gravity))
        self._scene.CreateGravityMagnitudeAttr(vector.GetLength())
        if vector.GetLength() > 0.0:
            self._scene.CreateGravityDirectionAttr(vector.GetNormalized())
        if simulation.view is not None:
            simulation.view.set_gravity(list(vector))

    def get_dt(self) -> float:
        """Time of a step [s]; 0: nothing moves."""
        rate = self.get_steps_per_second()
        return 1.0 / rate if rate else 0.0

    def set_dt(self, dt: float) -> None:
        """Set the time of a step, from 0, at which nothing moves, to 1 [s].

        Raises:
            InvalidArgumentError: The time is out of range.
        """
        if not 0.0 <= dt <= 1.0:
            raise InvalidArgumentError("dt", dt, "a time from 0 to 1 s")
        self.set_steps_per_second(round(1.0 / dt) if dt > 0.0 else 0)

    def get_steps_per_second(self) -> int:
        """How many steps a second has."""
        rate = self._prim.GetAttribute("physxScene:timeStepsPerSecond").Get()
        return int(DEFAULT_RATE if rate is None else rate)

    def set_steps_per_second(self, steps_per_second: int) -> None:
        """Set how many steps a second has.

        Raises:
            InvalidArgumentError: It is negative.
        """
        if steps_per_second < 0:
            raise InvalidArgumentError("steps_per_second", steps_per_second, "0 or more")
        self._prim.GetAttribute("physxScene:timeStepsPerSecond").Set(int(steps_per_second))


class PhysxScene(PhysicsScene):
    """A physics scene with the settings of PhysX, which are records of what a script asked for."""

    def get_solver_type(self) -> str:
        """The solver, "TGS" or "PGS"; a record: one solver is here."""
        return str(self._read("solverType"))

    def set_solver_type(self, solver_type: str) -> None:
        """Set the solver; a record.

        Raises:
            InvalidArgumentError: It is neither "TGS" nor "PGS".
        """
        self._one_of("solverType", "solver_type", solver_type, ("TGS", "PGS"))

    def get_broadphase_type(self) -> str:
        """How pairs are found, "MBP", "GPU" or "SAP"; a record."""
        return str(self._read("broadphaseType"))

    def set_broadphase_type(self, broadphase_type: str) -> None:
        """Set how pairs are found; a record.

        Raises:
            InvalidArgumentError: It is none of "MBP", "GPU" and "SAP".
        """
        allowed = ("MBP", "GPU", "SAP")
        self._one_of("broadphaseType", "broadphase_type", broadphase_type, allowed)

    def get_enabled_gpu_dynamics(self) -> bool:
        """Whether PhysX would move bodies on a GPU; a record."""
        return bool(self._read("enableGPUDynamics"))

    def set_enabled_gpu_dynamics(self, enabled: bool) -> None:
        """Set whether PhysX would move bodies on a GPU; a record: the device says where."""
        self._write("enableGPUDynamics", bool(enabled))

    def get_enabled_ccd(self) -> bool:
        """Whether what is fast is looked at between steps; a record."""
        return bool(self._read("enableCCD"))

    def set_enabled_ccd(self, enabled: bool) -> None:
        """Set whether what is fast is looked at between steps; a record."""
        self._write("enableCCD", bool(enabled))

    def get_enabled_stabilization(self) -> bool:
        """Whether stacks are stabilised; a record."""
        return bool(self._read("enableStabilization"))

    def set_enabled_stabilization(self, enabled: bool) -> None:
        """Set whether stacks are stabilised; a record."""
        self._write("enableStabilization", bool(enabled))

    def _read(self, name: str) -> Any:
        return self._prim.GetAttribute(f"physxScene:{name}").Get()

    def _write(self, name: str, value: Any) -> None:
        self._prim.GetAttribute(f"physxScene:{name}").Set(value)

    def _one_of(self, name: str, argument: str, value: str, allowed: tuple[str, ...]) -> None:
        if value not in allowed:
            raise InvalidArgumentError(argument, value, f"one of {', '.join(allowed)}")
        self._write(name, value)
