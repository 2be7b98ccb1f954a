"""A simulation: a batch of environments, and what scripts know of it besides."""

from __future__ import annotations

import time
from typing import Any

from unibody.core.batch.batch import Batch
from unibody.core.batch.buffers import Memory
from unibody.core.batch.layout import StateLayout
from unibody.core.batch.scene import SceneOptions
from unibody.core.engine.records.dialects import PHYSX
from unibody.core.engine.records.options import WorldOptions
from unibody.core.engine.soft.solids import substeps_of
from unibody.isaacgym import handles
from unibody.isaacgym.batch.clock import Clock
from unibody.isaacgym.batch.collisions import GROUND, meet
from unibody.isaacgym.batch.derived import Derived
from unibody.isaacgym.batch.soft import Particles
from unibody.isaacgym.types.enums import SimType
from unibody.isaacgym.types.sim_params import SimParams
from unibody.isaacgym.types.tensors import Tensor

_MOST_VELOCITY_ITERATIONS = 4
_LAYOUT = StateLayout(quaternion="xyzw", frame="environment")


def world_options(params: SimParams, divided: int = 1) -> WorldOptions:
    """The engine's options for the parameters of a simulation, each substep divided."""
    gravity = params.gravity
    moves, rounds = joint_friction_rounds(params)
    return PHYSX.world_options(
        timestep=params.dt / max(1, params.substeps) / divided,
        gravity=(gravity.x, gravity.y, gravity.z),
        restitution_speed=params.physx.bounce_threshold_velocity,
        parting_speed=params.physx.max_depenetration_velocity,
        joint_moves=moves,
        joint_rounds=rounds,
    )


def joint_friction_rounds(params: SimParams) -> tuple[int, int]:
    """How often PhysX's solver moves joints in a step, and how often it applies their friction.

    The temporal solver (``solver_type`` 1) does both in each of its position iterations and the
    second in each velocity iteration, of which more than four count as position iterations. The
    other one sums friction up over its iterations and moves joints after them.
    """
    physx = params.physx
    if physx.solver_type != 1:
        return 1, 1
    last = min(physx.num_velocity_iterations, _MOST_VELOCITY_ITERATIONS)
    moves = max(1, physx.num_position_iterations) + physx.num_velocity_iterations - last
    return moves, moves + last


class Simulation(Batch, handles.Sim):
    """Environments that are stepped together.

    Attributes:
        params: A copy of the parameters.
        type: The physics engine that the script asked for.
        frames: Calls of ``simulate``.
        time: That has passed in the simulation [s].
        derived: The Jacobians and mass matrices that were acquired.
        looks: Changes of what things look like.
        viewer: The open viewer, or None.
        studio: What takes pictures, once a camera was made.
        particles: Of its soft bodies.
    """

    def __init__(self, params: SimParams, device: str, threads: int, type_: SimType) -> None:
        self.params = params
        super().__init__(device=device, threads=threads, layout=_LAYOUT)
        self.type = type_
        self.frames: int = 0
        self.time: float = 0.0
        self.open = True
        self.viewer: Any = None
        self.studio: Any = None
        self.textures: dict[int, Any] = {}
        self.looks: int = 0
        self._next_texture = 0
        self.started: float = time.perf_counter()
        self.last_sync: float = 0.0
        self.clock: Clock = Clock()
        self.timers: list[dict[str, float] | None] = []
        self.derived: Derived = Derived(self)
        self.particles: Particles = Particles(self)

    @property
    def gravity(self) -> tuple[float, float, float]:
        """Of all environments [m/s^2]."""
        gravity = self.params.gravity
        return (gravity.x, gravity.y, gravity.z)

    def soft_step(self) -> float:
        """How long steps are where there are soft bodies [s]."""
        step = self.params.dt / max(1, self.params.substeps)
        return step / substeps_of(step)

    def build(self) -> None:
        """Make the worlds, if something was added since they were made."""
        if not self.built:
            self.particles.number()
        super().build()

    def scene_options(self) -> SceneOptions:
        """The options that worlds are built with: those of the present parameters."""
        step = self.params.dt / max(1, self.params.substeps)
        divided = substeps_of(step) if self.particles.parts else 1
        self.substeps: int = self.params.substeps * divided
        self.options: SceneOptions = SceneOptions(
            world_options(self.params, divided),
            collide=meet,
            ground_class=GROUND,
            see_ahead=2.0 * self.params.physx.contact_offset,
            speed_limits_by_torques=True,
        )
        return self.options

    def add_texture(self, source: Any) -> int:
        """Keep a texture: the name of a file, or pixels (height, width, 4)."""
        handle = self._next_texture
        self._next_texture += 1
        self.textures[handle] = source
        return handle

    def remove_texture(self, handle: int) -> None:
        """Forget a texture."""
        del self.textures[handle]
        for actor in (actor for env in self.envs for actor in env.actors):
            for look in actor.looks.values():
                look.texture = {k: t for k, t in look.texture.items() if t != handle}
            actor.env.looks += 1
        self.looks += 1

    def looks_changed(self, actor: Any) -> None:
        """Say that an actor looks different."""
        actor.env.looks += 1
        self.looks += 1

    def close(self) -> None:
        """Let go of the worlds."""
        self.open: bool = False
        if self.studio is not None:
            self.studio.close()
        super().close()

    def params_changed(self) -> None:
        """Make changed parameters of the simulation effective."""
        self.set_gravity(self.gravity)
        self.particles.follow_params()

    def step(self) -> None:
        """Advance all environments by one frame."""
        super().step()
        self.particles.stepped()
        self.frames += 1
        self.time += self.params.dt

    def advance(self) -> None:
        """Step the worlds, and note how long that takes."""
        with self.clock.measure("physics_sim"):
            super().advance()

    def memory_of(self, name: str, tensor: Tensor) -> Any:
        """The memory of a script's tensor as an array of the exchange's kind.

        Raises:
            InvalidArgumentError: It is on another device.
        """
        floats = tensor.dtype.name == "DTYPE_FLOAT32"
        memory = Memory(tensor.array, tensor.data_address, tensor.device, tensor.shape, floats)
        return self.buffers.memory_of(name, memory)
