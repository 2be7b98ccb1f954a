"""Hostile calls on ``unibody.isaacgym``: methods of ``Gym``, attributes, constructors."""

from __future__ import annotations

import enum
import inspect
import os
import random
from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from tests.fuzz.calls import NotFiniteError, hostile
from unibody.isaacgym import gymapi, gymtorch, gymutil, terrain_utils, torch_utils
from unibody.isaacgym.absent import absent_methods

# What ends the world that the calls are about, what begins another, and what waits for a clock.
LEFT_OUT = {"destroy_sim", "create_sim", "acquire_gym", "sync_frame_time"}
ASSET = b"""<robot name="arm"><link name="a"><inertial><mass value="1"/>
<inertia ixx=".1" iyy=".1" izz=".1" ixy="0" ixz="0" iyz="0"/></inertial>
<collision><geometry><box size=".2 .2 .2"/></geometry></collision></link>
<link name="b"><inertial><origin xyz="0 0 .3"/><mass value="1"/>
<inertia ixx=".1" iyy=".1" izz=".1" ixy="0" ixz="0" iyz="0"/></inertial>
<collision><geometry><sphere radius=".1"/></geometry></collision></link>
<joint name="j" type="revolute"><parent link="a"/><child link="b"/><axis xyz="0 1 0"/>
<limit lower="-1" upper="1" effort="10" velocity="10"/></joint></robot>"""
_ATTRIBUTES, _MORE_SPOILED = 0.15, 0.03  # shares of calls, and of arguments
_EXTREME = 1e6
_VALUES = (0.0, 0.5, 1.0, -1.0, 1e30, float("nan"), float("inf"))
_NAMES = ("arm", "box", "rig", "j", "t", "m", "arm.urdf", "rig.xml", "out.png")
_OF_KINDS = ("fields", "dtype")  # of a kind of structure, not of a structure
_DESCRIPTIONS: tuple[dict[str, Any], ...] = (
    {"range": [0.5, 1.5], "operation": "scaling", "distribution": "uniform", "num_buckets": 10},
    {"range": [0.0, 1.0], "operation": "additive", "distribution": "gaussian",
     "schedule": "linear", "schedule_steps": 10},
    {"physx": {"num_threads": 1}, "gravity": [0, 0, -9.81], "dt": 0.01},
    {"actor_params": {"arm": {"rigid_shape_properties": {"friction": {"num_buckets": 10}}}}},
    {"range": ["a", None], "operation": 3, "distribution": [], "num_buckets": -1}, {},
)  # fmt: skip
_ENUMS = ("IndexDomain", "DofType", "JointType", "MeshType", "ImageType", "KeyboardInput",
          "MouseInput", "CoordinateSpace", "DofDriveMode", "CameraFollowMode")  # fmt: skip


RIG = b"""<mujoco><worldbody><body name="base"><geom type="box" size=".1 .1 .1"/>
<body name="s0" pos="0 .5 0"><joint name="k0" type="slide" axis="1 0 0"/><geom size=".1"/></body>
<body name="s1" pos="0 -.5 0"><joint name="k1" type="hinge"/><geom size=".1" pos=".2 0 0"/></body>
</body></worldbody><tendon><fixed name="t"><joint joint="k0" coef="1"/><joint joint="k1" coef="2"/>
</fixed></tendon><actuator><motor name="m" joint="k0" gear="2"/></actuator></mujoco>"""


class World:
    """A simulation of two environments with an arm, a box and sliders with a tendon in each.

    The first environment has a camera and an attractor, the simulation a viewer without a page.
    """

    errors = ()

    def __init__(self) -> None:
        os.environ.setdefault("UNIBODY_VIEWER", "off")
        self.gym = gymapi.acquire_gym()
        params = gymapi.SimParams()
        params.use_gpu_pipeline = False
        params.gravity = gymapi.Vec3(0, 0, -10)
        params.up_axis = gymapi.UP_AXIS_Z
        self.sim = self.gym.create_sim(0, -1, gymapi.SIM_PHYSX, params)
        for name, content in (("arm.urdf", ASSET), ("rig.xml", RIG)):
            with open(name, "wb") as file:
                file.write(content)
        self.rig = self.gym.load_asset(self.sim, ".", "rig.xml", gymapi.AssetOptions())
        self.asset = self.gym.load_asset(self.sim, ".", "arm.urdf", gymapi.AssetOptions())
        box = self.gym.create_box(self.sim, 0.2, 0.2, 0.2, gymapi.AssetOptions())
        self.gym.add_ground(self.sim, gymapi.PlaneParams())
        self.envs = []
        for _ in range(2):
            env = self.gym.create_env(self.sim, gymapi.Vec3(-1, -1, 0), gymapi.Vec3(1, 1, 1), 2)
            place = gymapi.Transform(gymapi.Vec3(0, 0, 1))
            self.gym.create_actor(env, self.asset, place, "arm", 0, 0)
            self.gym.create_actor(env, box, gymapi.Transform(gymapi.Vec3(0, 1, 1)), "box", 0, 0)
            self.gym.create_actor(
                env, self.rig, gymapi.Transform(gymapi.Vec3(0, 4, 1)), "rig", 0, 0
            )
            self.envs.append(env)
        self.camera = gymapi.CameraProperties()
        self.camera.width = self.camera.height = 8
        self.camera.enable_tensors = True
        self.gym.create_camera_sensor(self.envs[0], self.camera)
        self.gym.create_rigid_body_attractor(self.envs[0], _attractor())
        self.gym.create_performance_timers(self.sim)
        self.viewer = self.gym.create_viewer(self.sim, self.camera)
        self.properties = self.gym.get_actor_dof_properties(self.envs[0], 0)
        self.extreme = False  # a tensor of extreme numbers was handed in
        self.functions = functions(self.gym)

    def call(self, chance: random.Random) -> tuple[str, Callable[[], object]]:
        """A call of a function, or of a method of a structure, or an attribute that is set."""
        kind = chance.random()
        if kind < _ATTRIBUTES:
            return self._attribute(chance)
        name, function, parameters = chance.choice(self.functions)
        # One argument, seldom the world itself; or none, so that others have more to meet.
        weights = [1 if "Sim" in str(one.annotation) else 4 for one in parameters] + [1]
        (spoiled,) = chance.choices(range(len(weights)), weights)
        values = [
            hostile(chance)
            if place == spoiled or chance.random() < _MORE_SPOILED
            else self._plausible(_said(parameter.annotation), parameter.name, chance)
            for place, parameter in enumerate(parameters)
        ]
        self.extreme |= any(isinstance(one, gymapi.Tensor) and _extreme(one) for one in values)
        words = f"{name}({', '.join(map(_short, values))})"
        return words, lambda: _called(function, values)

    def _attribute(self, chance: random.Random) -> tuple[str, Callable[[], object]]:
        thing = chance.choice(_structures())()
        name = chance.choice([key for key in dir(thing) if key[0] != "_" and key not in _OF_KINDS])
        value = hostile(chance)
        words = f"{type(thing).__name__}().{name} = {_short(value)}"
        if callable(getattr(thing, name, None)):
            return words, lambda: getattr(thing, name)(value)
        return words, lambda: setattr(thing, name, value)

    def _plausible(self, annotation: str, name: str, chance: random.Random) -> object:
        """A value that fits an annotation."""
        for kind in _ENUMS:
            if kind in annotation:
                return chance.choice(list(getattr(gymapi, kind)))
        if name in ("gym", "viewer", "env", "envs", "sim"):
            annotation = {"envs": "list[Env]"}.get(name, name.capitalize())
        plain = annotation.replace("handles.", "").replace(" | None", "").removeprefix("npt.")
        env = chance.choice(self.envs)
        known: dict[str, Callable[[], object]] = {
            "Sim": lambda: self.sim, "Env": lambda: env,
            "Asset": lambda: chance.choice((self.asset, self.rig)),
            "Viewer": lambda: self.viewer, "list[Env]": lambda: self.envs,
            "str": lambda: chance.choice(_NAMES),
            "int": lambda: chance.randrange(3), "float": lambda: chance.choice((0.0, 0.5, 1.0)),
            "bool": lambda: True, "Vec3": lambda: gymapi.Vec3(0.1, 0.2, 0.5),
            "Transform": lambda: gymapi.Transform(gymapi.Vec3(0, 0, 1)),
            "CameraProperties": lambda: self.camera,
            "AttractorProperties": _attractor,
            "list[float]": lambda: chance.choice(([0.5], [0.5, 1.0])), "list[int]": lambda: [0],
            "Sequence[int]": lambda: [0, 0], "int | list[int]": lambda: 0,
            "Tensor": lambda: _tensor(chance), "Gym": lambda: self.gym,
            "SubTerrain": lambda: terrain_utils.SubTerrain("t", 16, 16, 0.01, 0.1),
            "Mapping[str, Any]": lambda: chance.choice(_DESCRIPTIONS),
            "SimParams": gymapi.SimParams, "Sequence[float]": lambda: [0.5, 0.5, 0.5],
            "LineGeometry": lambda: gymutil.AxesGeometry(1.0),
            "torch.Tensor": lambda: torch.rand(2, chance.choice((3, 4, 7))),
            "Any": lambda: chance.choice((
                np.zeros(1, np.float32), np.zeros(2, gymapi.DofState.dtype),
                np.zeros(1, gymapi.DofState.dtype), np.zeros(2, gymapi.RigidBodyState.dtype),
                np.zeros(6, gymapi.RigidBodyState.dtype), np.zeros(12, gymapi.RigidBodyState.dtype),
                np.zeros((2, 2), gymapi.Vec3.dtype), np.zeros(16, np.uint8),
                self.properties, torch.zeros(2, 3), [0.5],
            )),
        }  # fmt: skip
        if plain in known:
            return known[plain]()
        if plain.startswith("list["):
            return [self._plausible(plain[5:-1], name, chance)]
        kind = getattr(gymapi, plain, None)
        return kind() if isinstance(kind, type) else hostile(chance)

    def step(self) -> None:
        """Make a step; where tensors of extreme numbers spoilt a state, one can be set again."""
        found = self._stepped()
        if self.extreme and not all(one.isfinite().all() for one in found):
            self.extreme = False
            self._set_again()
            found = self._stepped()
        for states in found:
            if not states.isfinite().all():
                raise NotFiniteError(f"states are {states[:2].tolist()}")

    def _stepped(self) -> list[torch.Tensor]:
        self.gym.simulate(self.sim)
        self.gym.fetch_results(self.sim, True)
        states = self._states("rigid_body"), self._states("dof")
        return [one for one in states if one is not None]

    def _states(self, of: str) -> Any:
        getattr(self.gym, f"refresh_{of}_state_tensor")(self.sim)
        return gymtorch.wrap_tensor(getattr(self.gym, f"acquire_{of}_state_tensor")(self.sim))

    def _set_again(self) -> None:
        """Put all bodies at rest, high up and apart, without targets."""
        roots, dofs = self._states("actor_root"), self._states("dof")
        if roots is not None:
            roots[:] = torch.eye(13)[6]
            roots[:, 0] = 10.0 * torch.arange(len(roots))
            roots[:, 2] = 10.0
            self.gym.set_actor_root_state_tensor(self.sim, gymtorch.unwrap_tensor(roots))
        if dofs is not None:
            rest = gymtorch.unwrap_tensor(torch.zeros_like(dofs))
            targets = gymtorch.unwrap_tensor(torch.zeros(len(dofs)))
            self.gym.set_dof_state_tensor(self.sim, rest)
            self.gym.set_dof_position_target_tensor(self.sim, targets)
            self.gym.set_dof_velocity_target_tensor(self.sim, targets)

    def close(self) -> None:
        """Destroy the simulation."""
        self.gym.destroy_sim(self.sim)


def functions(gym: Any) -> list[tuple[str, Callable[..., Any], list[inspect.Parameter]]]:
    """Every public function and constructor with what it takes by place."""
    found = [(f"gym.{name}", getattr(gym, name)) for name in dir(gym)]
    for module in (gymapi, gymtorch, gymutil, terrain_utils, torch_utils):
        names = module.__all__
        found += [(f"{module.__name__[16:]}.{name}", getattr(module, name)) for name in names]
    made = []
    for name, function in found:
        last = name.rpartition(".")[2]
        module = str(getattr(function, "__module__", ""))
        is_enum = isinstance(function, type) and issubclass(function, enum.Enum)
        if (
            last in LEFT_OUT | absent_methods()
            or last[0] == "_"
            or not callable(function)
            or is_enum
        ):
            continue
        if not name.startswith("gym.") and not module.startswith("unibody.isaacgym"):
            continue
        try:
            parameters = list(inspect.signature(function).parameters.values())
        except (TypeError, ValueError):
            continue
        made.append((name, function, [one for one in parameters if one.kind < one.VAR_POSITIONAL]))
    return made


def _said(annotation: Any) -> str:
    """An annotation as text; of torch's tensors apart from those of ``Gym``."""
    if annotation is torch.Tensor:
        return "torch.Tensor"
    return annotation.__name__ if isinstance(annotation, type) else str(annotation)


def _called(function: Callable[..., Any], values: list[Any]) -> object:
    try:
        return function(*values)
    except SystemExit:  # a command line that cannot be read
        return None


def _attractor() -> Any:
    found = gymapi.AttractorProperties()
    found.rigid_handle, found.stiffness, found.axes = 0, 1.0, gymapi.AXIS_TRANSLATION
    return found


def _structures() -> list[type]:
    kinds = [getattr(gymapi, name) for name in gymapi.__all__]
    return [kind for kind in kinds if isinstance(kind, type) and hasattr(kind, "fields")]


def _tensor(chance: random.Random) -> Any:
    # Of roots, degrees of freedom, their values, bodies, forces; of actors; and of nothing.
    shape = chance.choice(((6, 13), (6, 2), (6,), (12, 13), (12, 3), (2,), (0,), (1, 1, 1)))
    kind = chance.choice((torch.float32, torch.float32, torch.int32, torch.int64))
    values = torch.full(shape, chance.choice(_VALUES))
    return gymtorch.unwrap_tensor(values.to(kind))


def _extreme(tensor: Any) -> bool:
    values = tensor.array
    return isinstance(values, torch.Tensor) and not bool((values.abs() < _EXTREME).all())


def _short(value: object) -> str:
    text = " ".join(repr(value).split())
    return text if len(text) < 100 else f"{text[:100]}..."
