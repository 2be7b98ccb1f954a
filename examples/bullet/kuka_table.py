"""A Kuka arm follows a target above a table while objects fall on the table.

A plain PyBullet script: `python kuka_table.py` runs it on PyBullet, `unibody run kuka_table.py`
on unibody. With `--gui` behind it, a window shows the scene for a minute, by the clock.
"""

import math
import sys
import time

import pybullet as p
import pybullet_data

STEPS_PER_SECOND = 240
SECONDS = 8
SECONDS_SHOWN = 60
TABLE_TOP = 0.0
CENTRE = [0.5, 0.0, 0.55]  # of the circle the target moves on [m]
RADIUS = 0.15
TURNS_PER_SECOND = 0.2


def target_at(seconds):
    """The target goes round a circle in the y-z plane."""
    angle = 2.0 * math.pi * TURNS_PER_SECOND * seconds
    return [
        CENTRE[0],
        CENTRE[1] + RADIUS * math.cos(angle),
        CENTRE[2] + RADIUS * math.sin(angle),
    ]


def drop_objects():
    """Twelve cubes and four balls above the far end of the table, in layers."""
    objects = []
    for i in range(16):
        name = "sphere_small.urdf" if i % 4 == 3 else "cube_small.urdf"
        layer, place = divmod(i, 4)
        position = [0.95 + 0.09 * (place // 2), -0.05 + 0.1 * (place % 2), 0.2 + 0.12 * layer]
        turned = p.getQuaternionFromEuler([0.3 * i, 0.2 * i, 0.1 * i])
        objects.append((name, p.loadURDF(name, position, turned)))
    return objects


def main():
    shown = "--gui" in sys.argv
    p.connect(p.GUI if shown else p.DIRECT)
    p.resetDebugVisualizerCamera(1.05, 50, -25, [0.55, 0, 0.2])
    p.setAdditionalSearchPath(pybullet_data.getDataPath())
    p.setGravity(0, 0, -9.81)
    p.setTimeStep(1.0 / STEPS_PER_SECOND)
    p.loadURDF("plane.urdf", [0, 0, TABLE_TOP - 0.625])
    table = p.loadURDF("table/table.urdf", [0.6, 0, TABLE_TOP - 0.625], useFixedBase=True)
    kuka = p.loadURDF("kuka_iiwa/model.urdf", [0, 0, TABLE_TOP], useFixedBase=True)
    objects = drop_objects()

    motors = [
        j for j in range(p.getNumJoints(kuka)) if p.getJointInfo(kuka, j)[2] == p.JOINT_REVOLUTE
    ]
    hand = motors[-1]
    for joint, angle in zip(motors, [0.0, 0.5, 0.0, -1.2, 0.0, 0.9, 0.0]):
        p.resetJointState(kuka, joint, angle)

    errors = []
    print(f"{len(motors)} motors follow the target, {len(objects)} objects fall")
    begin = time.monotonic()
    for step in range((SECONDS_SHOWN if shown else SECONDS) * STEPS_PER_SECOND):
        now = step / STEPS_PER_SECOND
        if shown:
            time.sleep(max(0.0, begin + now - time.monotonic()))
        angles = p.calculateInverseKinematics(kuka, hand, target_at(now))
        for joint, angle in zip(motors, angles):
            p.setJointMotorControl2(kuka, joint, p.POSITION_CONTROL, angle, force=300)
        p.stepSimulation()
        position = p.getLinkState(kuka, hand)[4]
        errors.append(math.dist(position, target_at(now)))
        if step % STEPS_PER_SECOND == STEPS_PER_SECOND - 1:
            contacts = p.getContactPoints()
            print(
                f"t = {now + 1 / STEPS_PER_SECOND:.0f} s: hand at "
                f"({position[0]:+.3f}, {position[1]:+.3f}, {position[2]:+.3f}) m, "
                f"{1000 * errors[-1]:.1f} mm from the target; {len(contacts)} contact points"
            )

    settled = errors[STEPS_PER_SECOND:]
    print(
        f"tracking error after the first second: {1000 * sum(settled) / len(settled):.1f} mm on "
        f"average, {1000 * max(settled):.1f} mm at most"
    )
    on_table = {contact[2] for contact in p.getContactPoints(bodyA=table)}
    for name, body in objects:
        (x, y, z), _ = p.getBasePositionAndOrientation(body)
        below = "the floor" if z < TABLE_TOP - 0.1 else "another object"
        where = "the table" if body in on_table else below
        print(f"{name.removesuffix('.urdf'):<13} at ({x:+.3f}, {y:+.3f}, {z:+.3f}) m, on {where}")
    p.disconnect()


if __name__ == "__main__":
    main()
