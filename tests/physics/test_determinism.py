"""The same script gives the same states, to the last bit."""

from __future__ import annotations

import hashlib

import unibody.bullet
from tests.physics.scene import Busy
from tests.support.duo import DATA, connected
from tests.support.process import run_python

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
