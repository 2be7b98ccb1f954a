"""How bodies were before the world first moved them, for the page's button to reset."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from unibody.bullet.bodies.states import (
    getBasePositionAndOrientation,
    getBaseVelocity,
    resetBasePositionAndOrientation,
    resetBaseVelocity,
)
from unibody.bullet.joints.multidof import getJointStateMultiDof, resetJointStateMultiDof

if TYPE_CHECKING:
    from unibody.bullet.clients.client import Client
    from unibody.bullet.handles.body import Body


class _State(NamedTuple):
    body: Body
    pose: tuple[Any, ...]
    velocity: tuple[Any, ...]
    joints: dict[int, tuple[Any, Any]]  # positions and velocities, by joint


class Beginning:
    """The state every body had before the first step after it came.

    A script that places its bodies again and steps, as at the start of an episode, leaves it alone:
    what counts is the first step of each body.
    """

    def __init__(self, client: Client) -> None:
        self._client = client
        self._states: dict[int, _State] = {}
        self._count = 0
        self._last: Body | None = None

    def note(self) -> None:
        """Keep the states of bodies that are new; call it before every step."""
        bodies = self._client.bodies
        last = next(reversed(bodies.values()), None)
        if len(bodies) == self._count and last is self._last:
            return
        self._count, self._last = len(bodies), last
        known, self._states = self._states, {}
        for body_id, body in bodies.items():
            state = known.get(body_id)
            same = state is not None and state.body is body
            self._states[body_id] = state if state is not None and same else self._read(body)

    def _read(self, body: Body) -> _State:
        options = {"physicsClientId": self._client.id}
        joints = {}
        for joint in range(body.joint_count):
            position, velocity, *_ = getJointStateMultiDof(body.id, joint, **options)
            if position:
                joints[joint] = position, velocity
        return _State(
            body,
            getBasePositionAndOrientation(body.id, **options),
            getBaseVelocity(body.id, **options),
            joints,
        )

    def restore(self) -> None:
        """Put the bodies back that are still there."""
        options = {"physicsClientId": self._client.id}
        for body_id, state in self._states.items():
            if self._client.bodies.get(body_id) is not state.body:
                continue
            resetBasePositionAndOrientation(body_id, *state.pose, **options)
            resetBaseVelocity(body_id, *state.velocity, **options)
            for joint, (position, velocity) in state.joints.items():
                resetJointStateMultiDof(body_id, joint, position, velocity, **options)
