"""A batch: environments that are stepped together, and the arrays of their states."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable
from typing import Any

import numpy as np
import numpy.typing as npt

from unibody.core.assets.description import Pose, Vec3
from unibody.core.assets.rotations import rotations
from unibody.core.batch.buffers import STATES, Buffers
from unibody.core.batch.devices import make_buffers, make_parts, make_sensors
from unibody.core.batch.dynamics import Part
from unibody.core.batch.environment import Actor, Environment, Spring
from unibody.core.batch.ground import Ground
from unibody.core.batch.group import Group, Setting
from unibody.core.batch.index import Index
from unibody.core.batch.kind import Kind
from unibody.core.batch.layout import POSITIONS, VELOCITIES, StateLayout
from unibody.core.batch.scene import SceneOptions
from unibody.core.batch.sensor_layout import Sensors, sensor_layout
from unibody.core.batch.soft import SoftEnvironments
from unibody.core.engine.world import step_observers

I32 = npt.NDArray[np.int32]
ALL = POSITIONS | VELOCITIES
_READ = ("dofs", "roots", "bodies", "contacts")


class Batch:
    """Environments that are stepped together.

    Worlds are built when they are first needed, and built anew when something was added or changed
    that they cannot take in; states and targets are carried over.

    Attributes:
        options: What the scenes have in common.
        device: Of the worlds: "cpu", "cuda:0", "warp-cpu".
        threads: For worlds on the CPU; 0: all cores.
        layout: Of the states.
        substeps: Time steps of a step.
        notes_steps: States that steps begin with are kept, for ``Exchange.solution``.
        keeps_efforts: Efforts act until others are set, instead of for one step.
        envs: All environments.
        grounds: What they stand on.
        groups: Worlds by topology; empty until built.
        buffers: The arrays.
        index: Who is where.
        everyone: Numbers of all actors, as the exchange takes them.
        soft: Soft bodies, which take steps as long as those of the batch; None: there are none.
    """

    def __init__(
        self,
        options: SceneOptions | None = None,
        *,
        device: str = "cpu",
        threads: int = 0,
        layout: StateLayout | None = None,
        substeps: int = 1,
    ) -> None:
        super().__init__()
        self.options: SceneOptions = options or SceneOptions()
        self.device = device
        self.threads = threads
        self.layout: StateLayout = layout or StateLayout()
        self.layout.check(device)
        self.substeps = substeps
        self.notes_steps = self.keeps_efforts = False
        self.soft: SoftEnvironments | None = None
        self.envs: list[Any] = []  # Environment, or what a surface makes of it
        self.grounds: list[Any] = []  # Ground, the same
        self.groups: list[Group] = []
        self.index = Index()
        self.buffers: Buffers = make_buffers(device, self.layout, self.index)
        self.everyone: Any = None
        self._stale = True
        self._forced = False
        # Versions of the state that arrays and poses were computed for.
        self._versions: dict[str, int] = dict.fromkeys(("poses", "dofs", "roots", "bodies"), -1)
        self._version = 0
        self._steps = 0
        self._reports_at = {"contacts": -1, "dof_forces": -1}  # steps that they were read for
        self._poses_wanted = False  # since the last step, so probably after the next one as well
        self._readers: dict[str, list[Callable[[], None]]] = {}
        self._sensors: list[Sensors] = []

    def add_environment(self, *, name: str = "", position: Vec3 = (0.0, 0.0, 0.0)) -> Environment:
        """Add an environment whose frame is at a position in the world [m]."""
        env = Environment(name=name, position=position, layout=self.layout)
        self.envs.append(env)
        self.edited()
        return env

    def add_actor(
        self, env: Environment, kind: Kind, *, name: str = "", pose: Pose | None = None
    ) -> Actor:
        """Put something of a kind into an environment, at a pose in its frame."""
        actor = Actor(env, kind, name=name, pose=pose)
        env.join(actor)
        self.edited()
        return actor

    def add_ground(self, ground: Ground) -> None:
        """Add a part of the ground."""
        self.grounds.append(ground)
        self.edited()

    def move_ground(self, number: int, pose: Pose) -> None:
        """Put a part of the ground elsewhere, at rest; it is not the same under all environments.

        Args:
            number: Of the part.
            pose: In the frame of the world.
        """
        ground = self.grounds[number]
        ground.pose, ground.level = pose, False
        if self.built:
            for group in self.groups:
                group.place_ground(number)
            self.state_changed("dofs", "roots", "bodies")
        if self.soft is not None:
            self.soft.ground_moved()

    def close(self) -> None:
        """Let go of the worlds, though selections that nobody can use any more are still there."""
        for group in self.groups:
            group.close()
        self.groups, self.envs = [], []
        self._readers, self._sensors = {}, []
        self._stale = True

    # --- building ------------------------------------------------------------------------------

    @property
    def actors(self) -> list[Any]:
        """All actors, in the order of their numbers; builds."""
        self.build()
        return self.index.actors

    @property
    def actor_places(self) -> I32:
        """Group, world and number in its environment of each actor, (actors, 3)."""
        return self.index.actor_places

    @property
    def built(self) -> bool:
        """Whether the worlds are up to date."""
        return not self._stale

    @property
    def version(self) -> int:
        """A number that is another one after every change of the state."""
        return self._version

    def edited(self) -> None:
        """Say that something was added or changed that needs other worlds."""
        if self.groups and not self._stale:
            self.read_dofs()
            self.read_roots()
            for name in STATES:
                self.buffers.to_host(name)
        self._stale = True

    def build(self) -> None:
        """Make the worlds, if something was added since they were made."""
        if not self._stale:
            return
        index = Index(self.envs)
        if (index.counts, index.shapes) != (self.index.counts, self.index.shapes):
            self.buffers = make_buffers(self.device, self.layout, index)
        self.index: Index = index
        self.buffers.adopt(index)
        self.buffers.controls_changed()
        old, self.groups = self.groups, []
        by_topology: dict[Hashable, list[Any]] = defaultdict(list)
        for env in self.envs:
            if env.actors:
                by_topology[env.topology()].append(env)
        setting = Setting(self.grounds, self.scene_options(), self.device, self.threads)
        try:
            for number, envs in enumerate(by_topology.values()):
                index.place(number, envs)
                self.groups.append(Group(number, envs, setting, index, self.buffers))
        except Exception:
            self.groups = old
            raise
        for group in old:
            group.close()
        self._stale = False
        self._version += 1
        self._steps += 1
        self._put_states()

    def scene_options(self) -> SceneOptions:
        """The options that worlds are built with."""
        return self.options

    def _put_states(self) -> None:
        """Give new worlds the states that the arrays hold."""
        self.everyone = self.buffers.indices(np.arange(len(self.index.actors)))
        self.buffers.to_device("dofs")
        self.buffers.to_device("roots")
        for group in self.groups:
            group.exchange.write_dofs(self.everyone, self.buffers.dofs, ALL)
            group.exchange.write_roots(self.everyone, self.buffers.roots, ALL)
        if self._forced:
            every = self.buffers.indices(np.arange(self.index.counts[2]))
            for group in self.groups:
                group.exchange.write_effort_rows(every, self.buffers.efforts)
        self._readers = {
            name: [group.exchange.reader(name) for group in self.groups] for name in _READ
        }
        self._sensors = []
        for group in self.groups:
            layout = sensor_layout(group.envs, group.places)
            if layout is not None:
                self._sensors.append(make_sensors(group.exchange, layout))
        if self._sensors:
            self.kinematics()
            for sensors in self._sensors:
                sensors.note()

    # --- changes of single actors --------------------------------------------------------------

    def group_of(self, actor: Actor) -> Group:
        """The group of an actor."""
        return self.groups[int(self.index.actor_places[actor.index, 0])]

    def _world_of(self, actor: Actor) -> npt.NDArray[np.int64]:
        return self.index.actor_places[actor.index, 1:2].astype(np.int64)

    def dofs_changed(self, actor: Actor) -> None:
        """Make changed properties of degrees of freedom effective."""
        if self.built:
            self.buffers.controls_changed()
            self.group_of(actor).dofs_changed(actor.handle, self._world_of(actor))

    def bodies_changed(self, actor: Actor) -> None:
        """Make changed mass properties effective."""
        if self.built:
            group = self.group_of(actor)
            moved = actor.off_centre and not group.shifted[actor.handle]
            if moved or (actor.weightless and not group.weightless[actor.handle]):
                self.edited()
            else:
                group.bodies_changed(actor.handle, self._world_of(actor))

    def scale_changed(self, actor: Actor) -> None:
        """Make a changed size effective."""
        if self.built:
            self.group_of(actor).scale_changed(actor.handle, self._world_of(actor))

    def surfaces_changed(self, actor: Actor) -> None:
        """Make changed surfaces effective."""
        if self.built:
            self.group_of(actor).surfaces_changed(actor.handle, self._world_of(actor))

    def spring_changed(self, env: Environment, spring: Spring) -> None:
        """Make changed properties of a spring effective."""
        if self.built:
            group = self.group_of(env.actors[0])
            group.spring_changed(group.world_of(env), env.springs().index(spring), spring)

    def forces_wanted_of(self, actor: Actor) -> None:
        """Show the forces of an actor's degrees of freedom from now on."""
        actor.reports_forces = True
        if self.built:
            rows = slice(actor.sim_dof, actor.sim_dof + len(actor.dof_records))
            self.buffers.host.reporting[rows] = True
            self.buffers.to_device("reporting")

    def set_gravity(self, gravity: Vec3) -> None:
        """Change gravity [m/s^2]."""
        self.options.world.gravity = gravity
        if self.built:
            for group in self.groups:
                group.set_gravity(gravity)

    def state_changed(self, *known: str) -> None:
        """Say that states were written, into the worlds and into the arrays named."""
        current = [name for name in known if self._versions[name] == self._version]
        self._version += 1
        for name in current:
            self._versions[name] = self._version

    # --- stepping ------------------------------------------------------------------------------

    def step(self) -> None:
        """Advance all environments by one step."""
        self.build()
        for group in self.groups:
            group.derive()
        if self._sensors:
            self.kinematics()
        for sensors in self._sensors:
            sensors.note()
        self._version += 1
        self._steps += 1
        self.advance()
        if self._poses_wanted:
            self._versions["poses"] = self._version
            self._poses_wanted = False
        if step_observers.observers:
            step_observers.notify_step(self.options.world.timestep * self.substeps, None, self)
        if self._forced:
            for group in self.groups:
                group.exchange.clear_forces(efforts=not self.keeps_efforts)
        self.buffers.step_efforts(forced=self._forced, kept=self.keeps_efforts)
        self._forced = self._forced and self.keeps_efforts

    def advance(self) -> None:
        """Step the worlds."""
        if self.soft is None:
            self._advance_groups(self.substeps)
            return
        for _ in range(self.substeps):
            self.soft.before_step()
            self._advance_groups(1)
            self.soft.after_step()

    def _advance_groups(self, substeps: int) -> None:
        for group in self.groups:
            rest = substeps
            if self.notes_steps:
                if rest > 1:
                    group.worlds.step(rest - 1)
                rest = 1
                group.exchange.note_step()
            if self._poses_wanted:
                group.worlds.step_and_place(rest)
            else:
                group.worlds.step(rest)

    def forced(self) -> None:
        """Say that efforts or forces were set, to be taken back after the step."""
        self._forced = True

    # --- reading -------------------------------------------------------------------------------

    def kinematics(self) -> None:
        """Bring the poses of all bodies up to the state."""
        self.build()
        self._poses_wanted = True
        if self._versions["poses"] != self._version:
            for group in self.groups:
                group.worlds.kinematics()
            self._versions["poses"] = self._version

    def _refresh(self, name: str) -> None:
        for read in self._readers[name]:
            read()
        self._versions[name] = self._version

    def refresh_dofs(self) -> None:
        """Read the array of degrees of freedom, whatever was written into it meanwhile."""
        self.build()
        self._refresh("dofs")

    def refresh_roots(self) -> None:
        """Read the array of first bodies, whatever was written into it meanwhile."""
        self.build()
        self._refresh("roots")

    def refresh_bodies(self) -> None:
        """Read the array of rigid bodies, whatever was written into it meanwhile."""
        self.kinematics()
        self._refresh("bodies")

    def read_dofs(self) -> None:
        """Bring the array of degrees of freedom up to the state."""
        self.build()
        if self._versions["dofs"] != self._version:
            self._refresh("dofs")

    def read_roots(self) -> None:
        """Bring the array of first bodies up to the state."""
        self.build()
        if self._versions["roots"] != self._version:
            self._refresh("roots")

    def read_bodies(self) -> None:
        """Bring the array of rigid bodies up to the state."""
        self.build()
        if self._versions["bodies"] != self._version:
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
        buffers = self.buffers
        for group in self.groups:
            group.exchange.read_dof_forces(
                buffers.reporting, buffers.stepped_efforts, buffers.dof_forces
            )

    def read_step_contacts(self) -> None:
        """Read the contact forces of the last step, if that was not done yet."""
        self.build()
        if self._reports_at["contacts"] != self._steps:
            self.read_contacts()
            self._reports_at["contacts"] = self._steps

    def read_step_dof_forces(self) -> None:
        """Read the forces of degrees of freedom in the last step, if that was not done yet."""
        self.build()
        if self._reports_at["dof_forces"] != self._steps:
            self.read_dof_forces()
            self._reports_at["dof_forces"] = self._steps

    def read_sensors(self) -> None:
        """Read the force sensors."""
        self.build()
        if self._sensors:
            self.kinematics()
        for sensors in self._sensors:
            sensors.read(self.options.world.timestep * self.substeps, self.buffers.sensors)

    def matrix_parts(self, actors: list[Any]) -> list[Part]:
        """Where the rows of arrays of Jacobians or mass matrices of some actors come from."""
        exchanges = [group.exchange for group in self.groups]
        return make_parts(exchanges, actors, self.index.actor_places)
