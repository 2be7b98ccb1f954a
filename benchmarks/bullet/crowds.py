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


@work("ragdolls_8", "Many robots", "8 limp humanoids that fall onto one another", "steps/s")
def ragdolls(p: Module) -> Prepared:
    """Bodies with ball joints in one heap: each touches others with many links."""
    p.setGravity(0.0, 0.0, -9.81)
    p.loadURDF("plane.urdf")
    for k in range(8):
        place = (0.3 * (k % 3), 0.3 * (k // 3), 1.0 + 0.6 * k)
        doll = p.loadURDF("humanoid/humanoid.urdf", place, globalScaling=0.25)
        for joint in range(p.getNumJoints(doll)):
            kind = p.getJointInfo(doll, joint)[2]
            if kind == p.JOINT_REVOLUTE:
                p.setJointMotorControl2(doll, joint, p.VELOCITY_CONTROL, force=0)
            elif kind == p.JOINT_SPHERICAL:
                p.setJointMotorControlMultiDof(
                    doll, joint, p.POSITION_CONTROL, [0, 0, 0, 1], force=[0, 0, 0]
                )
    for _ in range(240):
        p.stepSimulation()

    def chunk() -> None:
        for _ in range(STEPS):
            p.stepSimulation()

    return Prepared(chunk, STEPS, counts_contacts=True)
