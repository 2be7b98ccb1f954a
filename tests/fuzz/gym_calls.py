"""Hostile calls on ``unibody.isaacgym``: methods of ``Gym``, attributes, constructors."""

from __future__ import annotations

import enum
import inspect
import random
from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from tests.fuzz.calls import NotFiniteError, hostile
from unibody.isaacgym import gymapi, gymtorch

# Windows and servers, and what ends the world that the calls are about.
LEFT_OUT = {
    "create_viewer", "destroy_sim", "create_sim", "acquire_gym", "sync_frame_time",
}  # fmt: skip
ASSET = b"""<robot name="arm"><link name="a"><inertial><mass value="1"/>
<inertia ixx=".1" iyy=".1" izz=".1" ixy="0" ixz="0" iyz="0"/></inertial>
<collision><geometry><box size=".2 .2 .2"/></geometry></collision></link>
<link name="b"><inertial><origin xyz="0 0 .3"/><mass value="1"/>
<inertia ixx=".1" iyy=".1" izz=".1" ixy="0" ixz="0" iyz="0"/></inertial>
<collision><geometry><sphere radius=".1"/></geometry></collision></link>
<joint name="j" type="revolute"><parent link="a"/><child link="b"/><axis xyz="0 1 0"/>
<limit lower="-1" upper="1" effort="10" velocity="10"/></joint></robot>"""
_ENUMS = ("IndexDomain", "DofType", "JointType", "MeshType", "ImageType", "KeyboardInput",
          "MouseInput", "CoordinateSpace", "DofDriveMode", "CameraFollowMode")  # fmt: skip


class World:
    """A simulation of two environments with an arm and a box in each."""

    errors = ()

    def __init__(self) -> None:
        self.gym = gymapi.acquire_gym()
        params = gymapi.SimParams()
        params.use_gpu_pipeline = False
        params.gravity = gymapi.Vec3(0, 0, -10)
        params.up_axis = gymapi.UP_AXIS_Z
        self.sim = self.gym.create_sim(0, -1, gymapi.SIM_PHYSX, params)
        with open("arm.urdf", "wb") as file:
            file.write(ASSET)
        self.asset = self.gym.load_asset(self.sim, ".", "arm.urdf", gymapi.AssetOptions())
        box = self.gym.create_box(self.sim, 0.2, 0.2, 0.2, gymapi.AssetOptions())
        self.gym.add_ground(self.sim, gymapi.PlaneParams())
        self.envs = []
        for _ in range(2):
            env = self.gym.create_env(self.sim, gymapi.Vec3(-1, -1, 0), gymapi.Vec3(1, 1, 1), 2)
            place = gymapi.Transform(gymapi.Vec3(0, 0, 1))
            self.gym.create_actor(env, self.asset, place, "arm", 0, 0)
            self.gym.create_actor(env, box, gymapi.Transform(gymapi.Vec3(0, 1, 1)), "box", 0, 0)
            self.envs.append(env)
        self.camera = gymapi.CameraProperties()
        self.camera.width = self.camera.height = 8
        self.prepared = False
        self.states: Any = None
        self.functions = functions(self.gym)

    def call(self, chance: random.Random) -> tuple[str, Callable[[], object]]:
        """A call of a function, or of a method of a structure, or an attribute that is set."""
        kind = chance.random()
        if kind < 0.15:
            return self._attribute(chance)
        name, function, parameters = chance.choice(self.functions)
        spoiled = chance.randrange(len(parameters)) if parameters else -1
        values = [
            hostile(chance)
            if place == spoiled or chance.random() < 0.07
            else self._plausible(str(parameter.annotation), parameter.name, chance)
            for place, parameter in enumerate(parameters)
        ]
        words = f"{name}({', '.join(map(_short, values))})"
        return words, lambda: function(*values)

    def _attribute(self, chance: random.Random) -> tuple[str, Callable[[], object]]:
        thing = chance.choice(_structures())()
        name = chance.choice([key for key in dir(thing) if key[0] != "_" and key != "fields"])
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
        plain = annotation.replace("handles.", "").replace(" | None", "")
        env = chance.choice(self.envs)
        known: dict[str, Callable[[], object]] = {
            "Sim": lambda: self.sim, "Env": lambda: env, "Asset": lambda: self.asset,
            "Viewer": lambda: None, "list[Env]": lambda: self.envs,
            "str": lambda: chance.choice(("arm", "box", "a", "b", "j", "arm.urdf", "out.png")),
            "int": lambda: chance.randrange(3), "float": lambda: chance.choice((0.0, 0.5, 1.0)),
            "bool": lambda: True, "Vec3": lambda: gymapi.Vec3(0.1, 0.2, 0.5),
            "Transform": lambda: gymapi.Transform(gymapi.Vec3(0, 0, 1)),
            "CameraProperties": lambda: self.camera,
            "list[float]": lambda: [0.5], "list[int]": lambda: [0],
            "int | list[int]": lambda: 0, "Tensor": lambda: _tensor(chance),
            "torch.Tensor": lambda: torch.rand(2, chance.choice((3, 4, 7))),
            "Any": lambda: chance.choice((
                np.zeros(1, np.float32), np.zeros(2, gymapi.DofState.dtype),
                np.zeros(1, gymapi.DofState.dtype), np.zeros(2, gymapi.RigidBodyState.dtype),
                self.gym.get_actor_dof_properties(env, 0), torch.zeros(2, 3), [0.5],
            )),
        }  # fmt: skip
        if plain in known:
            return known[plain]()
        if plain.startswith("list["):
            return [self._plausible(plain[5:-1], name, chance)]
        kind = getattr(gymapi, plain, None)
        return kind() if isinstance(kind, type) else hostile(chance)

    def step(self) -> None:
        """Make a step, the first after preparing the simulation."""
        if not self.prepared:
            self.prepared = True
            self.gym.prepare_sim(self.sim)
            self.states = [
                gymtorch.wrap_tensor(self.gym.acquire_rigid_body_state_tensor(self.sim)),
                gymtorch.wrap_tensor(self.gym.acquire_dof_state_tensor(self.sim)),
            ]
        self.gym.simulate(self.sim)
        self.gym.fetch_results(self.sim, True)
        self.gym.refresh_rigid_body_state_tensor(self.sim)
        self.gym.refresh_dof_state_tensor(self.sim)
        for states in self.states:
            if not states.isfinite().all():
                raise NotFiniteError(f"states are {states[:2].tolist()}")

    def close(self) -> None:
        """Destroy the simulation."""
        self.gym.destroy_sim(self.sim)


def functions(gym: Any) -> list[tuple[str, Callable[..., Any], list[inspect.Parameter]]]:
    """Every public function and constructor with what it takes by place."""
    found = [(f"gym.{name}", getattr(gym, name)) for name in dir(gym)]
    for module in (gymapi, gymtorch):
        names = module.__all__
        found += [(f"{module.__name__[16:]}.{name}", getattr(module, name)) for name in names]
    made = []
    for name, function in found:
        last = name.rpartition(".")[2]
        module = str(getattr(function, "__module__", ""))
        is_enum = isinstance(function, type) and issubclass(function, enum.Enum)
        if last in LEFT_OUT or last[0] == "_" or not callable(function) or is_enum:
            continue
        if not name.startswith("gym.") and not module.startswith("unibody.isaacgym"):
            continue
        try:
            parameters = list(inspect.signature(function).parameters.values())
        except (TypeError, ValueError):
            continue
        made.append((name, function, [one for one in parameters if one.kind < one.VAR_POSITIONAL]))
    return made


def _structures() -> list[type]:
    kinds = [getattr(gymapi, name) for name in gymapi.__all__]
    return [kind for kind in kinds if isinstance(kind, type) and hasattr(kind, "fields")]


def _tensor(chance: random.Random) -> Any:
    shape = chance.choice(((4, 13), (2, 2), (2,), (6, 13), (2, 1), (0,), (1, 1, 1)))
    kind = chance.choice((torch.float32, torch.float32, torch.int32, torch.float64))
    values = torch.full(shape, chance.choice((0.0, 0.5, 1.0, -1.0, 1e30)))
    return gymtorch.unwrap_tensor(values.to(kind))


def _short(value: object) -> str:
    text = " ".join(repr(value).split())
    return text if len(text) < 100 else f"{text[:100]}..."
