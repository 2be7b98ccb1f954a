"""The same script gives the same states, to the last bit."""

from __future__ import annotations

import ctypes
import hashlib

import unibody.bullet
from tests.physics.scene import Busy
from tests.support.duo import DATA, connected
from tests.support.process import run_python
from unibody.bullet.clients.registry import find_client
from unibody.core.engine.library.layout import offsets_of

STEPS = 200


def played() -> bytes:
    with connected(unibody.bullet) as p:
        busy = Busy(p)
        busy.step(STEPS)
        return busy.state()


def test_the_same_script_twice_gives_bit_identical_states() -> None:
    assert played() == played()


def test_the_same_script_after_a_reset_gives_bit_identical_states() -> None:
    expected = played()
    with connected(unibody.bullet) as p:
        Busy(p).step(50)
        p.resetSimulation()
        busy = Busy(p)
        busy.step(STEPS)
        assert busy.state() == expected


def test_the_same_script_in_another_process_gives_bit_identical_states() -> None:
    done = run_python(["-m", "tests.physics.scene"])
    assert done.returncode == 0, done.stderr
    assert done.stdout.split()[-1] == hashlib.sha256(played()).hexdigest()


def test_two_worlds_side_by_side_do_not_disturb_each_other() -> None:
    expected = played()
    with connected(unibody.bullet) as p:
        busy = Busy(p)
        other = p.connect(p.DIRECT)
        p.setAdditionalSearchPath(DATA, physicsClientId=other)
        p.setGravity(0, 0, -1, physicsClientId=other)
        for _ in range(STEPS):
            busy.step(1)
            p.loadURDF("r2d2.urdf", physicsClientId=other)
            if p.getNumBodies(physicsClientId=other) > 3:
                p.resetSimulation(physicsClientId=other)
            p.stepSimulation(physicsClientId=other)
        assert busy.state() == expected
        p.disconnect(other)


def skidding(*, poisoned: bool) -> bytes:
    """Robots and loose bodies that slide; what MuJoCo works in may be filled before each step."""
    offsets = offsets_of("mjData")
    with connected(unibody.bullet) as p:
        p.setAdditionalSearchPath(DATA)
        p.setGravity(0, 0, -9.81)
        p.loadURDF("plane.urdf")
        husky = p.loadURDF("husky/husky.urdf", (0, 0, 0.2))
        for wheel, speed in zip((2, 3, 4, 5), (8.0, -8.0, 8.0, -8.0), strict=True):
            p.setJointMotorControl2(husky, wheel, p.VELOCITY_CONTROL, targetVelocity=speed)
        box = p.createCollisionShape(p.GEOM_BOX, halfExtents=(0.1, 0.1, 0.1))
        ball = p.createCollisionShape(p.GEOM_SPHERE, radius=0.1)
        bodies = [husky]
        for k in range(12):
            body = p.createMultiBody(0.3, ball if k % 3 else box, basePosition=(0.3 * k, 0.9, 0.3))
            p.resetBaseVelocity(body, (-1.0, -2.0, 0.0), (0.0, 0.0, 9.0))
            p.changeDynamics(body, -1, spinningFriction=0.01, rollingFriction=0.01 * (k % 2))
            bodies.append(body)
        for _ in range(120):
            world = find_client(0).scene.world
            if poisoned:
                start = ctypes.c_uint64.from_address(world.data._address + offsets["arena"]).value
                ctypes.memset(start, 255, int(world.data.maxuse_arena))
            p.stepSimulation()
        return repr([p.getBasePositionAndOrientation(body) for body in bodies]).encode()


def test_what_memory_held_before_a_step_has_no_effect() -> None:
    """Bytes of 255 make doubles that are no numbers: whoever reads one carries it on."""
    expected = skidding(poisoned=False)
    assert b"nan" not in expected
    assert skidding(poisoned=True) == expected
