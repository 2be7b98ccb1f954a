"""Many robots in one world."""

from __future__ import annotations

from benchmarks.bullet.articulated import CONTROL_PERIOD, hold, load_a1
from benchmarks.bullet.registry import Module, Prepared, work

STEPS = 24
SIDE = 10


@work("quadrupeds_100", "Many robots", "100 A1 standing on their motors, swaying", "steps/s")
def quadrupeds(p: Module) -> Prepared:
    """A hundred quadrupeds on a plane, out of one another's reach."""
    p.setGravity(0.0, 0.0, -9.81)
    p.loadURDF("plane.urdf")
    places = [(1.2 * i, 1.2 * j, 0.3) for i in range(SIDE) for j in range(SIDE)]
    robots = [load_a1(p, place) for place in places]
    for _ in range(60):
        p.stepSimulation()

    def chunk() -> None:
        for step in range(STEPS):
            if step % CONTROL_PERIOD == 0:
                for robot in robots:
                    hold(p, *robot, step)
            p.stepSimulation()

    return Prepared(chunk, STEPS, counts_contacts=True)
