"""Force sensors: what acts on a body, seen from a frame that is fixed to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from unibody.core.assets.rotations import rotations
from unibody.isaacgym.convert import to_pose

if TYPE_CHECKING:
    from unibody.isaacgym.batch.group import Group
    from unibody.isaacgym.batch.simulation import Simulation

Array = npt.NDArray[np.float64]


class SensorReader:
    """Measures the sensors of all actors.

    All that acts on a body is the change of its momentum: mass times the mean acceleration of the
    mass centre over the frame, and the change of its angular momentum. The part of the constraint
    solver is what contacts exert in the last substep; the part of forward dynamics is the rest,
    gravity, applied forces and what the neighbours transmit.
    """

    def __init__(self, sim: Simulation) -> None:
        self._sim = sim
        self._groups = [_sensors(group) for group in sim.groups if _has_sensors(group)]

    def before(self) -> None:
        """Note the momenta before a step."""
        self._sim.kinematics()
        for sensors in self._groups:
            sensors.note()

    def read(self, out: Any) -> None:
        """Measure, (sensors, 6): force [N] and torque [Nm] of the last frame."""
        self._sim.kinematics()
        for sensors in self._groups:
            sensors.read(self._sim.params.dt, out)


class Sensors(Protocol):
    """The sensors of one group."""

    def note(self) -> None:
        """Keep the momenta of now."""
        ...

    def read(self, dt: float, out: Any) -> None:
        """Write the rows of this group."""
        ...


class Layout(NamedTuple):
    """The sensors of an environment.

    Attributes:
        bodies: MuJoCo's body of each, (sensors,).
        offsets, quats: Frames in those of the bodies, (sensors, 3) [m] and wxyz (sensors, 4).
        forward, solver, in_world: Their properties, bool (sensors,).
        rows: Of the tensor, (worlds * sensors,).
    """

    bodies: npt.NDArray[np.int64]
    offsets: Array
    quats: Array
    forward: npt.NDArray[np.bool_]
    solver: npt.NDArray[np.bool_]
    in_world: npt.NDArray[np.bool_]
    rows: npt.NDArray[np.int64]


def _has_sensors(group: Group) -> bool:
    return any(actor.sensors for actor in group.envs[0].actors)


def _layout(group: Group) -> Layout:
    found = [
        (int(group.places.actors[actor.handle].bodies[sensor.body]), sensor)
        for actor in group.envs[0].actors
        for sensor in actor.sensors
    ]
    poses = [to_pose(sensor.pose) for _, sensor in found]
    flags = [sensor.properties for _, sensor in found]
    first = np.cumsum([0, *(env.sensor_count for env in group.sim.envs)])
    return Layout(
        np.array([body for body, _ in found], np.int64),
        np.array([pos for pos, _ in poses], np.float64),
        np.array([quat for _, quat in poses], np.float64),
        np.array([f.enable_forward_dynamics_forces for f in flags], bool),
        np.array([f.enable_constraint_solver_forces for f in flags], bool),
        np.array([f.use_world_frame for f in flags], bool),
        np.concatenate([first[env.index] + np.arange(env.sensor_count) for env in group.envs]),
    )


def _sensors(group: Group) -> Sensors:
    if group.worlds.device == "cpu":
        return CpuSensors(group, _layout(group))
    from unibody.isaacgym.batch.warp_derived import WarpSensors

    exchange: Any = group.exchange  # a WarpExchange: the worlds are on a Warp device
    sensors = WarpSensors(exchange, _layout(group))
    group.sim.kinematics()
    sensors.note()
    return sensors


class CpuSensors:
    """The sensors of one group with worlds on the CPU."""

    def __init__(self, group: Group, layout: Layout) -> None:
        self._group = group
        self._bodies, self._rows = layout.bodies, layout.rows
        self._offset = layout.offsets
        self._turn = rotations(layout.quats)
        self._forward = layout.forward.astype(float)[:, None]
        self._solver = layout.solver.astype(float)[:, None]
        self._in_world = layout.in_world[:, None]
        self._before = self._momenta()

    def _momenta(self) -> tuple[Array, Array]:
        """Linear and angular momentum of the bodies, in the world's axes, (worlds, sensors, 3)."""
        group, bodies = self._group, self._bodies
        w = group.worlds
        linear, angular, quats = w.linear[:, bodies], w.angular[:, bodies], w.xquat[:, bodies]
        mass = group.worlds_values("body_mass")[:, bodies, None]
        axes = rotations(quats) @ rotations(group.worlds_values("body_iquat")[:, bodies])
        moments = group.worlds_values("body_inertia")[:, bodies]
        local = np.einsum("wsji,wsj->wsi", axes, angular) * moments
        return mass * linear, np.einsum("wsij,wsj->wsi", axes, local)

    def note(self) -> None:
        """Keep the momenta of now."""
        self._before = self._momenta()

    def read(self, dt: float, out: Any) -> None:
        """Write the rows of this group."""
        momentum, spin = self._momenta()
        force = (momentum - self._before[0]) / dt
        torque = (spin - self._before[1]) / dt
        contact = self._group.worlds.contact_wrench[:, self._bodies]
        contact_force, contact_torque = contact[..., :3], contact[..., 3:]
        force = self._forward * (force - contact_force) + self._solver * contact_force
        torque = self._forward * (torque - contact_torque) + self._solver * contact_torque
        turns = rotations(self._group.worlds.xquat[:, self._bodies])
        coms = self._group.worlds_values("body_ipos")[:, self._bodies]
        arm = np.einsum("wsij,wsj->wsi", turns, coms - self._offset)  # sensor to mass centre
        torque = torque + np.cross(arm, force)
        frames = turns @ self._turn
        local_force = np.einsum("wsji,wsj->wsi", frames, force)
        local_torque = np.einsum("wsji,wsj->wsi", frames, torque)
        values = np.concatenate(
            [
                np.where(self._in_world, force, local_force),
                np.where(self._in_world, torque, local_torque),
            ],
            axis=-1,
        )
        out[self._rows] = values.reshape(-1, 6)
