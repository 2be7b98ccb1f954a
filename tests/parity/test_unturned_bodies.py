"""Bodies without moments of inertia are turned by nothing, as in PyBullet."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.support.duo import GRAVITY, base_motion, both


def _unturned(p: Any, shape: int, height: float) -> int:
    p.setGravity(0, 0, -GRAVITY)
    p.createMultiBody(0, p.createCollisionShape(p.GEOM_PLANE))
    body = p.createMultiBody(0.1, shape, basePosition=(0, 0, height))
    p.changeDynamics(body, -1, localInertiaDiagonal=(0, 0, 0), linearDamping=0, angularDamping=0)
    return body


def test_a_ball_without_inertia_slides_where_others_roll() -> None:
    def script(p: Any) -> Any:
        ball = _unturned(p, p.createCollisionShape(p.GEOM_SPHERE, radius=0.03), 0.03)
        p.resetBaseVelocity(ball, (1, 0, 0))
        return base_motion(p, ball, 100)

    theirs, ours = both(script, converged=True)
    # One step of braking differs by mu g dt^2 = 1e-4 m.
    np.testing.assert_allclose(ours[:, :3], theirs[:, :3], atol=3e-4)
    np.testing.assert_allclose(np.abs(ours[:, 3:7]), np.abs(theirs[:, 3:7]), atol=1e-5)


def test_a_torque_does_not_turn_a_body_without_inertia() -> None:
    def script(p: Any) -> Any:
        box = _unturned(p, p.createCollisionShape(p.GEOM_BOX, halfExtents=(0.1, 0.1, 0.1)), 1.0)
        for _ in range(20):
            p.applyExternalTorque(box, -1, (0, 0, 1), p.WORLD_FRAME)
            p.stepSimulation()
        return p.getBaseVelocity(box)

    theirs, ours = both(script)
    # A large inertia stands for none: 1 Nm for 20 steps turns 1000 kg m^2 by 1e-4 rad/s.
    np.testing.assert_allclose(ours, theirs, atol=2e-4)


def test_the_inertia_that_is_told_stays_none() -> None:
    def script(p: Any) -> Any:
        body = _unturned(p, p.createCollisionShape(p.GEOM_SPHERE, radius=0.03), 0.03)
        return p.getDynamicsInfo(body, -1)[2]

    theirs, ours = both(script)
    np.testing.assert_array_equal(theirs, 0.0)
    np.testing.assert_array_equal(ours, 0.0)
