"""Scenes that the tests of many worlds share."""

from __future__ import annotations

from unibody.core.assets.description import (
    Asset,
    Inertial,
    Joint,
    JointType,
    Link,
    Pose,
    Shape,
    ShapeKind,
)
from unibody.core.engine.records.options import BodyOptions, DriveDefaults, WorldOptions
from unibody.core.engine.records.rule_table import N_SPEED_LIMIT, DriveMode
from unibody.core.engine.rules.speed_limits import BY_TORQUES
from unibody.core.engine.scene.scene import Scene

GRAVITY = (0.0, 0.0, -9.81)
TURNED = (0.9238795325112867, 0.0, 0.3826834323650898, 0.0)  # 45 degrees about y


def box(mass: float = 1.0, size: float = 0.2, name: str = "box") -> Asset:
    inertia = mass * size * size / 6.0
    inertial = Inertial(mass, Pose(), (inertia, inertia, inertia, 0.0, 0.0, 0.0))
    shape = Shape(ShapeKind.BOX, (size, size, size))
    return Asset(name, [Link("base", inertial=inertial, collisions=[shape])])


def plane() -> Asset:
    return Asset("plane", [Link("plane", collisions=[Shape(ShapeKind.PLANE)])])


def tree() -> Asset:
    """A base with every kind of joint on it, turned frames and mass centres off the origin."""

    def link(name: str, parent: int, kind: JointType, axis: tuple[float, float, float]) -> Link:
        inertial = Inertial(
            0.7, Pose((0.05, 0.02, -0.1), TURNED), (0.02, 0.03, 0.04, 0.0, 0.0, 0.0)
        )
        joint = Joint(
            f"j{name}", kind, Pose((0.1, -0.2, 0.3), TURNED), axis, armature=0.01, damping=0.1
        )
        return Link(name, parent, joint, inertial)

    base = box(3.0).links[0]
    return Asset(
        "tree",
        [
            base,
            link("a", 0, JointType.REVOLUTE, (0.0, 0.6, 0.8)),
            link("b", 1, JointType.PRISMATIC, (1.0, 0.0, 0.0)),
            link("c", 2, JointType.FIXED, (1.0, 0.0, 0.0)),
            link("d", 3, JointType.SPHERICAL, (1.0, 0.0, 0.0)),
            link("e", 0, JointType.PLANAR, (0.0, 0.0, 1.0)),
            link("f", 5, JointType.CONTINUOUS, (0.0, 1.0, 0.0)),
        ],
    )


def pendulum(drive: DriveMode = DriveMode.PD, speed_limits: bool = False) -> Scene:
    """One arm on a fixed base: mass 2 kg at 0.5 m, inertia 0.1 kg m^2, axis y, with a drive."""
    inertial = Inertial(2.0, Pose((0.0, 0.0, -0.5)), (0.1, 0.1, 0.1, 0.0, 0.0, 0.0))
    joint = Joint("hinge", JointType.CONTINUOUS, Pose(), (0.0, 1.0, 0.0))
    asset = Asset("pendulum", [Link("base"), Link("arm", 0, joint, inertial)])
    scene = Scene(WorldOptions(timestep=0.01, gravity=GRAVITY, speed_limits=speed_limits))
    drives = DriveDefaults(drive, 0.0, 0.0, 100.0)
    scene.add(0, asset, BodyOptions(fixed=True, drives=drives))
    return _braking(scene) if speed_limits else scene


def walker() -> Scene:
    """A free tree on a plane, with strong drives, whose joints may have speed limits."""
    options = WorldOptions(
        timestep=0.005, gravity=GRAVITY, report_forces=True, speed_limits=True, joint_loads=True
    )
    scene = Scene(options)
    scene.add(0, plane(), BodyOptions(fixed=True))
    drives = DriveDefaults(DriveMode.PD, 400.0, 10.0, 60.0)
    scene.add(1, tree(), BodyOptions(Pose((0.0, 0.0, 0.12)), drives=drives))
    return _braking(scene)


def _braking(scene: Scene) -> Scene:
    scene.world.model.numeric_data[N_SPEED_LIMIT] = BY_TORQUES
    return scene


def mixed(report: bool = True) -> Scene:
    """A fixed tree, a free tree and a box above a plane."""
    scene = Scene(WorldOptions(timestep=0.005, gravity=GRAVITY, report_forces=report))
    scene.add(0, plane(), BodyOptions(fixed=True))
    drives = DriveDefaults(DriveMode.PD, 5.0, 1.0, 20.0)
    scene.add(1, tree(), BodyOptions(Pose((0.0, 0.0, 2.0), TURNED), fixed=True, drives=drives))
    scene.add(2, tree(), BodyOptions(Pose((2.0, 0.0, 0.5), TURNED), drives=drives))
    scene.add(3, box(), BodyOptions(Pose((-2.0, 0.0, 0.1))))
    return scene
