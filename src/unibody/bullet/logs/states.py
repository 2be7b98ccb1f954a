"""Logs of robots and contacts: what they write after each step."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from unibody.bullet import constants as c
from unibody.bullet.logs.records import RecordFile
from unibody.bullet.maths.transforms import getEulerFromQuaternion
from unibody.bullet.queries.contacts import getContactPoints

if TYPE_CHECKING:
    from unibody.bullet.clients.client import Client
    from unibody.bullet.handles.body import Body

MAX_LOG_DOF = 1024
_ONE_AXIS = (c.JOINT_REVOLUTE, c.JOINT_PRISMATIC)
_ROBOT = (
    "stepCount", "timeStamp", "objectId", "posX", "posY", "posZ", "oriX", "oriY", "oriZ", "oriW",
    "velX", "velY", "velZ", "omegaX", "omegaY", "omegaZ", "qNum",
)  # fmt: skip
_CONTACT = (
    "stepCount", "timeStamp", "contactFlag", "bodyUniqueIdA", "bodyUniqueIdB", "linkIndexA",
    "linkIndexB", "positionOnAX", "positionOnAY", "positionOnAZ", "positionOnBX", "positionOnBY",
    "positionOnBZ", "contactNormalOnBX", "contactNormalOnBY", "contactNormalOnBZ",
    "contactDistance", "normalForce",
)  # fmt: skip
_CONTROLLER = (
    "stepCount", "timeStamp", "controllerId", "numMoveEvents", "m_numButtonEvents", "posX", "posY",
    "posZ", "oriX", "oriY", "oriZ", "oriW", "analogAxis", "buttons0", "buttons1", "buttons2",
    "buttons3", "buttons4", "buttons5", "buttons6", "deviceType",
)  # fmt: skip
_MINITAUR = (
    "t", "r", "p", "y", *(f"q{i}" for i in range(8)), *(f"u{i}" for i in range(8)), "dx", "mo",
)  # fmt: skip
_MINITAUR_MOTORS = (
    "motor_front_leftR_joint", "motor_front_leftL_joint", "motor_back_leftR_joint",
    "motor_back_leftL_joint", "motor_front_rightL_joint", "motor_front_rightR_joint",
    "motor_back_rightL_joint", "motor_back_rightR_joint",
)  # fmt: skip
_MINITAUR_MODE = 6  # what PyBullet writes


class StateLog:
    """A log that is written after each substep.

    Args:
        path: The file.
        names: Of its fields.
        types: A letter for each field.
    """

    def __init__(self, path: str, names: Sequence[str], types: str) -> None:
        self.file: RecordFile = RecordFile(path, names, types)
        self.steps: int = 0  # since the log began

    def before_tick(self, client: Client) -> None:
        """Nothing: a log is about what a step led to."""

    def after_tick(self, client: Client) -> None:
        """Write the records of one substep."""
        substep = client.parameters.fixedTimeStep / (client.parameters.numSubSteps or 1)
        self.file.append(self.rows(client, self.steps, self.steps * substep))
        self.steps += 1

    def rows(self, client: Client, step: int, time: float) -> Iterator[Sequence[float]]:
        """The records of the present state."""
        raise NotImplementedError

    def close(self) -> None:
        """Complete the file."""
        self.file.close()


class RobotLog(StateLog):
    """Poses, velocities and joint coordinates of bodies.

    A body with more degrees of freedom than the log has room for is logged with the first ones;
    ``qNum`` says how many it has. (PyBullet leaves its values out, and most readers then misread
    the rest of the file.)

    Args:
        path: The file.
        bodies: Only these; all if empty.
        max_dof: Degrees of freedom there is room for.
        flags: ``STATE_LOG_JOINT_MOTOR_TORQUES`` and ``STATE_LOG_JOINT_USER_TORQUES``.
    """

    def __init__(self, path: str, bodies: Sequence[int], max_dof: int, flags: int) -> None:
        kinds = "qut" if flags & c.STATE_LOG_JOINT_TORQUES else "qu"
        names = [*_ROBOT, *(f"{kind}{i}" for kind in kinds for i in range(max_dof))]
        super().__init__(path, names, "IfifffffffffffffI" + "f" * max_dof * len(kinds))
        self._bodies = frozenset(bodies)
        self._max_dof = max_dof
        self._flags = flags
        self._speeds: dict[int, list[float]] = {}  # of the joints, before the substep

    def before_tick(self, client: Client) -> None:
        """Remember the speeds that joint damping acts on."""
        if self._flags & c.STATE_LOG_JOINT_USER_TORQUES:
            self._speeds = {
                number: body.joint_coordinates()[1] for number, body in client.bodies.items()
            }

    def rows(self, client: Client, step: int, time: float) -> Iterator[Sequence[float]]:
        """One record for each body."""
        for number, body in client.bodies.items():
            if self._bodies and number not in self._bodies:
                continue
            pos, quat = body.base_position_and_orientation()
            linear, angular = body.base_velocity()
            joints = [i for i in range(body.joint_count) if body.joint_type(i) in _ONE_AXIS]
            dofs = sum(joint.nv for joint in body.record.joints[1:])
            row = [step, time, number, *pos, *quat, *linear, *angular, dofs]
            for values in body.joint_coordinates():
                row += self._padded([values[i] for i in joints])
            if self._flags & c.STATE_LOG_JOINT_TORQUES:
                row += self._padded(self._torques(body, joints))
            yield row

    def _torques(self, body: Body, joints: list[int]) -> list[float]:
        torques = [0.0] * len(joints)
        if self._flags & c.STATE_LOG_JOINT_MOTOR_TORQUES:
            applied = body.applied_torques()
            torques = [applied[i] for i in joints]
        if self._flags & c.STATE_LOG_JOINT_USER_TORQUES:
            forces = body.world().data.qfrc_applied
            speeds = self._speeds[body.id]
            for at, i in enumerate(joints):  # joint damping is a torque like a user's to Bullet
                damping = body.joint_damping(i) * speeds[i]
                torques[at] += float(forces[body.record.joints[i + 1].dof]) - damping
        return torques

    def _padded(self, values: list[float]) -> list[float]:
        return values[: self._max_dof] + [0.0] * (self._max_dof - len(values))


class MinitaurLog(StateLog):
    """Attitude, motor angles and torques, and forward speed of a Minitaur.

    Args:
        path: The file.
        body: Its id.
        motors: Its eight motor joints, from ``minitaur_motors``.
    """

    def __init__(self, path: str, body: int, motors: Sequence[int]) -> None:
        super().__init__(path, _MINITAUR, "I" + "f" * 20 + "B")
        self._body = body
        self._motors = motors

    def rows(self, client: Client, step: int, time: float) -> Iterator[Sequence[float]]:
        """One record; none once the robot is gone."""
        body = client.bodies.get(self._body)
        if body is None or body.joint_count <= max(self._motors):
            return
        attitude = getEulerFromQuaternion(body.base_position_and_orientation()[1])
        positions, _ = body.joint_coordinates()
        torques = body.applied_torques()
        angles = [positions[i] for i in self._motors]
        efforts = [torques[i] for i in self._motors]
        speed = body.base_velocity()[0][0]
        yield (step, *attitude, *angles, *efforts, speed, _MINITAUR_MODE)


def minitaur_motors(body: Body) -> list[int] | None:
    """The joints of a Minitaur's eight motors in the order of the log; None if it is none."""
    numbers = {link.joint.name: i for i, link in enumerate(body.asset.links[1:])}
    if not numbers.keys() >= set(_MINITAUR_MOTORS):
        return None
    return [numbers[name] for name in _MINITAUR_MOTORS]


class ContactLog(StateLog):
    """The contact points of each step.

    Args:
        path: The file.
        bodies: Only contacts that each of these takes part in.
        link_a: Only contacts with this link of the first body; below -1: any.
        link_b: Only contacts with this link of the second body; below -1: any.
    """

    def __init__(self, path: str, bodies: Sequence[int], link_a: int, link_b: int) -> None:
        super().__init__(path, _CONTACT, "IfIiiii" + "f" * 11)
        self._bodies = frozenset(bodies)
        self._link_a = link_a
        self._link_b = link_b

    def rows(self, client: Client, step: int, time: float) -> Iterator[Sequence[float]]:
        """One record for each contact point."""
        points: tuple[tuple[Any, ...], ...] = getContactPoints(physicsClientId=client.id)
        for flag, body_a, body_b, link_a, link_b, on_a, on_b, normal, distance, force, *_ in points:
            if not self._bodies <= {body_a, body_b}:
                continue
            if self._link_a >= -1 and self._link_a != link_a:
                continue
            if self._link_b >= -1 and self._link_b != link_b:
                continue
            ids = (flag, body_a, body_b, link_a, link_b)
            yield (step, time, *ids, *on_a, *on_b, *normal, distance, force)


class ControllerLog(StateLog):
    """The events of virtual-reality controllers: there are none, so no records.

    Args:
        path: The file.
    """

    def __init__(self, path: str) -> None:
        super().__init__(path, _CONTROLLER, "IfIII" + "f" * 8 + "I" * 8)

    def rows(self, client: Client, step: int, time: float) -> Iterator[Sequence[float]]:
        """No record."""
        return iter(())
