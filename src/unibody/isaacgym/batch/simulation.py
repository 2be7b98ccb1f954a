"""A simulation: environments, the groups of worlds that run them, and the state tensors."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from unibody.core.assets.rotations import rotations
from unibody.isaacgym import handles
from unibody.isaacgym.batch import parameters
from unibody.isaacgym.batch.actor import Actor
from unibody.isaacgym.batch.attractor import Attractor
from unibody.isaacgym.batch.buffers import Buffers, make_buffers
from unibody.isaacgym.batch.clock import Clock
from unibody.isaacgym.batch.derived import Derived
from unibody.isaacgym.batch.environment import Environment
from unibody.isaacgym.batch.exchange import POSITIONS, VELOCITIES
from unibody.isaacgym.batch.ground import Ground
from unibody.isaacgym.batch.group import Group
from unibody.isaacgym.batch.sensors import SensorReader
from unibody.isaacgym.batch.tendon import Tendon
from unibody.isaacgym.types.enums import SimType
from unibody.isaacgym.types.sim_params import SimParams

I32 = npt.NDArray[np.int32]
ALL = POSITIONS | VELOCITIES
_READ = ("dofs", "roots", "bodies", "contacts")


class Simulation(handles.Sim):
    """Environments that are stepped together.

    Worlds are built when they are first needed, and built anew when something was added or changed
    that they cannot take in; states and targets are carried over.

    Attributes:
        params: A copy of the parameters.
        device: Of the worlds: "cpu", "cuda:0", "warp-cpu".
        threads: For worlds on the CPU; 0: all cores.
        envs: All environments.
        grounds: What they stand on.
        groups: Worlds by topology; empty until built.
        buffers: The tensors.
        actor_places: Group, world and number in its environment of each actor, (actors, 3).
        modes: ``DofDriveMode`` of each degree of freedom, int8.
        frames: Calls of ``simulate``.
        looks: Changes of what things look like.
        viewer: The open viewer, or None.
        studio: What takes pictures, once a camera was made.
    """

    def __init__(self, params: SimParams, device: str, threads: int, type_: SimType) -> None:
        super().__init__()
        self.params = params
        self.device = device
        self.threads = threads
        self.type = type_
        self.envs: list[Environment] = []
        self.grounds: list[Ground] = []
        self.groups: list[Group] = []
        self.buffers: Buffers = make_buffers(device, 0, 0, 0, 0)
        self.actor_places: I32 = np.zeros((0, 3), np.int32)
        self.modes: npt.NDArray[np.int8] = np.zeros(0, np.int8)
        self.frames = 0
        self.time = 0.0
        self.open = True
        self.viewer: Any = None
        self.studio: Any = None
        self.textures: dict[int, Any] = {}
        self.looks = 0
        self._next_texture = 0
        self.started = time.perf_counter()
        self.last_sync = 0.0
        self.clock = Clock()
        self.timers: list[dict[str, float] | None] = []
        self._stale = True
        self._forced = False
        self._poses_at = -1  # versions of the state that things were computed for
        self._poses_wanted = False  # since the last step, so probably after the next one as well
        self._dofs_at = -1
        self._roots_at = -1
        self._bodies_at = -1
        self._version = 0
        self._changed: dict[int, set[int]] = defaultdict(set)
        self.derived = Derived(self)
        self._readers: dict[str, list[Callable[[], None]]] = {}
        self._sensors: SensorReader | None = None
        self._actors: list[Actor] = []

    def add_ground(self, ground: Ground) -> None:
        """Add a part of the ground."""
        self.grounds.append(ground)
        self.edited()

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

    def looks_changed(self, actor: Actor) -> None:
        """Say that an actor looks different."""
        actor.env.looks += 1
        self.looks += 1

    def close(self) -> None:
        """Let go of the worlds."""
        self.open = False
        if self.studio is not None:
            self.studio.close()
        self.groups = []
        self.envs = []
        self._stale = True

    # --- building ------------------------------------------------------------------------------

    @property
    def actors(self) -> list[Actor]:
        """All actors, in the order of their numbers; builds."""
        self.build()
        return self._actors

    @property
    def built(self) -> bool:
        """Whether the worlds are up to date."""
        return not self._stale

    def edited(self) -> None:
        """Say that something was added or changed that needs other worlds."""
        if self.groups and not self._stale:
            self.read_dofs()
            self.read_roots()
            for name in ("dofs", "roots", "position_targets", "velocity_targets"):
                self.buffers.to_host(name)
        self._stale = True

    def build(self) -> None:
        """Make the worlds, if something was added since they were made."""
        if not self._stale:
            return
        self._number()
        old, self.groups = self.groups, []
        by_topology: dict[Any, list[Environment]] = defaultdict(list)
        for env in self.envs:
            if env.actors:
                by_topology[env.topology()].append(env)
        try:
            for number, envs in enumerate(by_topology.values()):
                self._place(number, envs)
                self.groups.append(Group(self, number, envs))
        except Exception:
            self.groups = old
            raise
        self._stale = False
        self._version += 1
        self._collect_modes()
        everyone = self.buffers.indices(np.arange(len(self._actors), dtype=np.int32))
        self.buffers.to_device("dofs")
        self.buffers.to_device("roots")
        for group in self.groups:
            group.exchange.write_dofs(everyone, self.buffers.dofs, ALL)
            group.exchange.write_roots(everyone, self.buffers.roots, ALL)
        self.everyone = everyone
        self._readers = {
            name: [group.exchange.reader(name) for group in self.groups] for name in _READ
        }
        self._sensors = SensorReader(self) if any(a.sensors for a in self._actors) else None

    def _number(self) -> None:
        """Give actors and their parts numbers, and move their states into common arrays."""
        self._actors = [actor for env in self.envs for actor in env.actors]
        bodies = dofs = sensors = 0
        for env in self.envs:
            env.body_base, env.dof_base = bodies, dofs
            bodies += env.body_count
            dofs += env.dof_count
            sensors += env.sensor_count
        for index, actor in enumerate(self._actors):
            actor.index = index
            actor.sim_body = actor.env.body_base + actor.first_body
            actor.sim_dof = actor.env.dof_base + actor.first_dof
        for env in self.envs:
            if env.actors:
                env.actor_base = env.actors[0].index
        self.actor_places = np.zeros((len(self._actors), 3), np.int32)
        counts = (len(self._actors), bodies, dofs, sensors)
        if counts != self.buffers.counts:
            self.buffers = make_buffers(self.device, *counts)
        self.buffers.adopt(self._actors)

    def _place(self, number: int, envs: list[Environment]) -> None:
        for world, env in enumerate(envs):
            for actor in env.actors:
                self.actor_places[actor.index] = number, world, actor.handle

    def _collect_modes(self) -> None:
        modes = [actor.dof_table["driveMode"] for actor in self._actors]
        self.modes = np.concatenate(modes or [[]]).astype(np.int8)
        self.buffers.modes_changed(self.modes)

    # --- changes of single actors --------------------------------------------------------------

    def group_of(self, actor: Actor) -> Group:
        """The group of an actor."""
        return self.groups[int(self.actor_places[actor.index, 0])]

    def dofs_changed(self, actor: Actor) -> None:
        """Make changed properties of degrees of freedom effective."""
        if self.built:
            rows = slice(actor.sim_dof, actor.sim_dof + len(actor.dof_table))
            self.modes[rows] = actor.dof_table["driveMode"]
            self.buffers.modes_changed(self.modes)
            self.group_of(actor).dofs_changed(actor)

    def bodies_changed(self, actor: Actor) -> None:
        """Make changed mass properties effective."""
        if self.built:
            group = self.group_of(actor)
            moved = actor.off_centre and not group.shifted[actor.handle]
            if moved or (actor.weightless and not group.weightless[actor.handle]):
                self.edited()
            else:
                group.bodies_changed(actor)

    def scale_changed(self, actor: Actor) -> None:
        """Make a changed size effective."""
        if self.built:
            self.group_of(actor).scale_changed(actor)

    def shapes_changed(self, actor: Actor) -> None:
        """Make changed surfaces effective."""
        if self.built:
            self.group_of(actor).shapes_changed(actor)

    def spring_changed(self, env: Environment, spring: Attractor | Tendon) -> None:
        """Make changed properties of an attractor or a tendon effective."""
        if self.built:
            number = env.springs().index(spring)
            self.group_of(env.actors[0]).spring_changed(env, number, spring)

    def forces_wanted_of(self, actor: Actor) -> None:
        """Show the forces of an actor's degrees of freedom from now on."""
        if self.built:
            rows = slice(actor.sim_dof, actor.sim_dof + len(actor.dof_table))
            self.buffers.host.reporting[rows] = True
            self.buffers.to_device("reporting")

    def parameters_changed(self, group: Group, world: int) -> None:
        """Have constants of a world derived again before the next step."""
        self._changed[group.number].add(world)

    def params_changed(self) -> None:
        """Make changed parameters of the simulation effective."""
        if not self.built:
            return
        for group in self.groups:
            group.set_gravity(parameters.gravity(self.params.gravity))

    def state_changed(self, *known: str) -> None:
        """Say that states were written, into the worlds and into the tensors named."""
        current = [name for name in known if getattr(self, f"_{name}_at") == self._version]
        self._version += 1
        for name in current:
            setattr(self, f"_{name}_at", self._version)

    # --- stepping ------------------------------------------------------------------------------

    def step(self) -> None:
        """Advance all environments by one frame."""
        self.build()
        if self._changed:
            for number, worlds in self._changed.items():
                self.groups[number].worlds.parameters_changed(sorted(worlds))
            self._changed.clear()
        if self._sensors is not None:
            self._sensors.before()
        substeps = self.params.substeps
        self._version += 1
        with self.clock.measure("physics_sim"):
            for group in self.groups:
                if self._poses_wanted:
                    group.worlds.step_and_place(substeps)
                else:
                    group.worlds.step(substeps)
        if self._poses_wanted:
            self._poses_at = self._version
            self._poses_wanted = False
        if self._forced:
            for group in self.groups:
                group.exchange.clear_forces()
        self.buffers.step_efforts(forced=self._forced)
        self._forced = False
        self.frames += 1
        self.time += self.params.dt

    def forced(self) -> None:
        """Say that efforts or forces were set, to be taken back after the step."""
        self._forced = True

    # --- reading -------------------------------------------------------------------------------

    def kinematics(self) -> None:
        """Bring the poses of all bodies up to the state."""
        self.build()
        self._poses_wanted = True
        if self._poses_at != self._version:
            for group in self.groups:
                group.worlds.kinematics()
            self._poses_at = self._version

    def refresh_dofs(self) -> None:
        """Read the tensor of degrees of freedom, whatever was written into it meanwhile."""
        self.build()
        for read in self._readers["dofs"]:
            read()
        self._dofs_at = self._version

    def refresh_roots(self) -> None:
        """Read the tensor of first bodies, whatever was written into it meanwhile."""
        self.build()
        for read in self._readers["roots"]:
            read()
        self._roots_at = self._version

    def refresh_bodies(self) -> None:
        """Read the tensor of rigid bodies, whatever was written into it meanwhile."""
        self.kinematics()
        for read in self._readers["bodies"]:
            read()
        self._bodies_at = self._version

    def read_dofs(self) -> None:
        """Bring the tensor of degrees of freedom up to the state."""
        self.build()
        if self._dofs_at != self._version:
            self.refresh_dofs()

    def read_roots(self) -> None:
        """Bring the tensor of first bodies up to the state."""
        self.build()
        if self._roots_at != self._version:
            self.refresh_roots()

    def read_bodies(self) -> None:
        """Bring the tensor of rigid bodies up to the state."""
        self.build()
        if self._bodies_at != self._version:
            self.refresh_bodies()

    def link_frame(self, actor: Actor, link: int) -> tuple[Any, Any]:
        """Rotation (3, 3) and origin (3,) of a link of an actor's tree."""
        self.kinematics()
        group = self.group_of(actor)
        world = group.world_of(actor.env)
        pos, quat = group.exchange.link_frame(actor.handle, link, world)
        return rotations(quat), pos

    def read_contacts(self) -> None:
        """Read the contact forces of the last step."""
        self.build()
        for read in self._readers["contacts"]:
            read()

    def read_dof_forces(self) -> None:
        """Read the forces of degrees of freedom in the last step."""
        self.build()
        for group in self.groups:
            group.exchange.read_dof_forces(
                self.buffers.reporting, self.buffers.stepped_efforts, self.buffers.dof_forces
            )

    def read_sensors(self) -> None:
        """Read the force sensors."""
        self.build()
        if self._sensors is not None:
            self._sensors.read(self.buffers.sensors)
