"""Force sensors: what acts on a body, seen from a frame that is fixed to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from unibody.isaacgym.batch.tables import rotations
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
        self._groups = [GroupSensors(group) for group in sim.groups]

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


class GroupSensors:
    """The sensors of one group."""

    def __init__(self, group: Group) -> None:
        self._group = group
        found = [
            (int(group.places.actors[actor.handle].bodies[sensor.body]), sensor)
            for actor in group.envs[0].actors
            for sensor in actor.sensors
        ]
        self._bodies = np.array([body for body, _ in found], np.int64)
        poses = [to_pose(sensor.pose) for _, sensor in found]
        self._offset = np.array([pos for pos, _ in poses]).reshape(-1, 3)
        self._turn = rotations(np.array([quat for _, quat in poses]).reshape(-1, 4))
        flags = [sensor.properties for _, sensor in found]
        self._forward = np.array([f.enable_forward_dynamics_forces for f in flags], float)[:, None]
        self._solver = np.array([f.enable_constraint_solver_forces for f in flags], float)[:, None]
        self._in_world = np.array([f.use_world_frame for f in flags], bool)[:, None]
        first = np.cumsum([0, *(env.sensor_count for env in group.sim.envs)])
        self._rows = np.concatenate(
            [first[env.index] + np.arange(env.sensor_count) for env in group.envs]
        )
        self._before = self._momenta()

    def _momenta(self) -> tuple[Array, Array]:
        """Linear and angular momentum of the bodies, in the world's axes, (worlds, sensors, 3)."""
        group, bodies = self._group, self._bodies
        linear, angular, quats = group.exchange.motion(bodies)
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
        if not len(self._bodies):
            return
        momentum, spin = self._momenta()
        force = (momentum - self._before[0]) / dt
        torque = (spin - self._before[1]) / dt
        contact = self._group.exchange.contact_wrenches(self._bodies)
        contact_force, contact_torque = contact[..., :3], contact[..., 3:]
        force = self._forward * (force - contact_force) + self._solver * contact_force
        torque = self._forward * (torque - contact_torque) + self._solver * contact_torque
        _, _, quats = self._group.exchange.motion(self._bodies)
        turns = rotations(quats)
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
        self._group.exchange.put_rows(out, self._rows, values.reshape(-1, 6))
