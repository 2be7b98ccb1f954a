"""Single robots under moving controls, 240 Hz steps, new targets at 60 Hz."""

from __future__ import annotations

import math

from benchmarks.bullet.registry import Module, Prepared, work

FAMILY = "Articulated stepping"
STEPS = 480
CONTROL_PERIOD = 4  # steps
TIME_STEP = 1.0 / 240.0
A1_STANCE = {"hip": 0.0, "upper": 0.9, "lower": -1.8}


def moving_joints(p: Module, body: int) -> list[int]:
    """Return the joints with one degree of freedom."""
    kinds = (p.JOINT_REVOLUTE, p.JOINT_PRISMATIC)
    return [j for j in range(p.getNumJoints(body)) if p.getJointInfo(body, j)[2] in kinds]


def _kuka(p: Module) -> tuple[int, list[int]]:
    p.setGravity(0.0, 0.0, -9.81)
    p.loadURDF("plane.urdf")
    arm = p.loadURDF("kuka_iiwa/model.urdf", useFixedBase=True)
    return arm, moving_joints(p, arm)


def _track(p: Module, arm: int, joints: list[int], start: int) -> None:
    """Run one chunk of steps with seven position motors on a moving target."""
    for step in range(start, start + STEPS):
        if step % CONTROL_PERIOD == 0:
            for k, joint in enumerate(joints):
                target = 0.5 * math.sin(2.0 * math.pi * 0.5 * step * TIME_STEP + k)
                p.setJointMotorControl2(
                    arm, joint, p.POSITION_CONTROL, targetPosition=target, force=300.0
                )
        p.stepSimulation()


@work("kuka_sensor", FAMILY, "Kuka, a force sensor read at every step", "steps/s")
def kuka_sensor(p: Module) -> Prepared:
    """An arm on its default motors with a sensor in its last joint."""
    arm, joints = _kuka(p)
    p.enableJointForceTorqueSensor(arm, joints[-1])

    def chunk() -> None:
        for _ in range(STEPS):
            p.stepSimulation()
            p.getJointState(arm, joints[-1])

    return Prepared(chunk, STEPS)


@work("kuka", FAMILY, "Kuka, seven motors on a moving target", "steps/s")
def kuka(p: Module) -> Prepared:
    """An arm above a plane that it does not touch."""
    arm, joints = _kuka(p)
    return Prepared(lambda: _track(p, arm, joints, 0), STEPS, counts_contacts=True)


@work("kuka_table", FAMILY, "the same above a table with six objects", "steps/s")
def kuka_table(p: Module) -> Prepared:
    """The arm of ``kuka`` beside a table on which objects lie."""
    arm, joints = _kuka(p)
    p.loadURDF("table/table.urdf", basePosition=(1.2, 0.0, 0.0))
    for k in range(6):
        position = (1.0 + 0.15 * (k % 3), -0.2 + 0.3 * (k // 3), 0.7)
        p.loadURDF("cube_small.urdf", basePosition=position)
    for _ in range(240):
        p.stepSimulation()
    return Prepared(lambda: _track(p, arm, joints, 0), STEPS, counts_contacts=True)


@work("kuka_loop", FAMILY, "Kuka, states read and seven motors set at every step", "steps/s")
def kuka_loop(p: Module) -> Prepared:
    """The loop of a learning environment, where nothing read can come from a cache."""
    arm, joints = _kuka(p)
    forces = [300.0] * len(joints)

    def chunk() -> None:
        for step in range(STEPS):
            states = p.getJointStates(arm, joints)
            p.getLinkState(arm, joints[-1])
            wave = 0.1 * math.sin(2.0 * math.pi * 0.5 * step * TIME_STEP)
            p.setJointMotorControlArray(
                arm,
                joints,
                p.POSITION_CONTROL,
                targetPositions=[0.9 * state[0] + wave for state in states],
                forces=forces,
            )
            p.stepSimulation()

    return Prepared(chunk, STEPS, counts_contacts=True)


@work("r2d2", FAMILY, "r2d2 driving on a plane", "steps/s")
def r2d2(p: Module) -> Prepared:
    """Four driven wheels on the ground, all other joints held by their motors."""
    p.setGravity(0.0, 0.0, -9.81)
    p.loadURDF("plane.urdf")
    robot = p.loadURDF("r2d2.urdf", basePosition=(0.0, 0.0, 0.5))
    wheels = [j for j in range(p.getNumJoints(robot)) if b"wheel" in p.getJointInfo(robot, j)[1]]
    for _ in range(240):
        p.stepSimulation()

    def chunk() -> None:
        for step in range(STEPS):
            if step % CONTROL_PERIOD == 0:
                speed = 5.0 * math.sin(2.0 * math.pi * 0.5 * step * TIME_STEP)
                for wheel in wheels:
                    p.setJointMotorControl2(
                        robot, wheel, p.VELOCITY_CONTROL, targetVelocity=speed, force=10.0
                    )
            p.stepSimulation()

    return Prepared(chunk, STEPS, counts_contacts=True)


def load_a1(p: Module, position: tuple[float, float, float]) -> tuple[int, list[int], list[float]]:
    """Load an A1 in its stance, held by its motors; return body, joints and stance."""
    robot = p.loadURDF("a1/a1.urdf", basePosition=position)
    joints = moving_joints(p, robot)
    names = [p.getJointInfo(robot, joint)[1].decode() for joint in joints]
    stance = [next(v for key, v in A1_STANCE.items() if key in name) for name in names]
    for joint, angle in zip(joints, stance, strict=True):
        p.resetJointState(robot, joint, angle)
    hold(p, robot, joints, stance, 0)
    return robot, joints, stance


def hold(p: Module, robot: int, joints: list[int], stance: list[float], step: int) -> None:
    """Command the stance of an A1, bent slightly by a wave."""
    bend = 0.1 * math.sin(2.0 * math.pi * step * TIME_STEP)
    targets = [angle + (bend if k % 3 else 0.0) for k, angle in enumerate(stance)]
    p.setJointMotorControlArray(
        robot,
        joints,
        p.POSITION_CONTROL,
        targetPositions=targets,
        forces=[33.5] * len(joints),
    )


@work("a1", FAMILY, "A1 standing on its twelve motors, swaying", "steps/s")
def a1(p: Module) -> Prepared:
    """A quadruped on a plane."""
    p.setGravity(0.0, 0.0, -9.81)
    p.loadURDF("plane.urdf")
    robot, joints, stance = load_a1(p, (0.0, 0.0, 0.3))
    for _ in range(240):
        p.stepSimulation()

    def chunk() -> None:
        for step in range(STEPS):
            if step % CONTROL_PERIOD == 0:
                hold(p, robot, joints, stance, step)
            p.stepSimulation()

    return Prepared(chunk, STEPS, counts_contacts=True)
