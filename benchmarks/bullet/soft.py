"""Cloth in PyBullet's world of soft bodies."""

from __future__ import annotations

from benchmarks.bullet.registry import Module, Prepared, work

STEPS = 40


@work("cloth_anchors", "Soft bodies", "a cloth that a box hangs from, above a plane", "steps/s")
def cloth_anchors(p: Module) -> Prepared:
    """The scene of PyBullet's example of anchors: two corners fixed, two held by a box."""
    cloth = _cloth(p)
    box = p.loadURDF("cube.urdf", [0, 1, 2], useMaximalCoordinates=True)
    for particle in (24, 20):
        p.createSoftBodyAnchor(cloth, particle, -1, -1)
    p.createSoftBodyAnchor(cloth, 15, box, -1, [0.5, -0.5, 0])
    p.createSoftBodyAnchor(cloth, 19, box, -1, [-0.5, -0.5, 0])
    return _steps(p)


@work("cloth_at_rest", "Soft bodies", "a cloth on a plane", "steps/s")
def cloth_at_rest(p: Module) -> Prepared:
    """A cloth that fell on a plane: every particle touches it."""
    _cloth(p)
    for _ in range(300):
        p.stepSimulation()
    return _steps(p)


def _cloth(p: Module) -> int:
    """A square of cloth 2 m above a plane."""
    p.resetSimulation(p.RESET_USE_DEFORMABLE_WORLD)
    p.setGravity(0, 0, -10)
    p.loadURDF("plane.urdf")
    return int(
        p.loadSoftBody(
            "cloth_z_up.obj", basePosition=[0, 0, 2], scale=0.5, mass=1.0, useBendingSprings=1,
            useMassSpring=1, springElasticStiffness=40, springDampingStiffness=0.1,
            springDampingAllDirections=1, useSelfCollision=0, frictionCoeff=0.5, useFaceContact=1,
        )
    )  # fmt: skip


def _steps(p: Module) -> Prepared:
    def chunk() -> None:
        for _ in range(STEPS):
            p.stepSimulation()

    return Prepared(chunk, STEPS)
