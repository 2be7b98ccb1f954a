"""Cloth and solids where PyBullet's world is not deformable: position based dynamics."""

from __future__ import annotations

from benchmarks.bullet.registry import Module, Prepared, work

STEPS = 40
_FAMILY = "Soft bodies"


@work("soft_bunny", _FAMILY, "a bunny of 453 particles on a plane, not deformable", "steps/s")
def soft_bunny(p: Module) -> Prepared:
    """The scene of PyBullet's example load_soft_body, after the fall."""
    p.setGravity(0, 0, -10)
    p.loadURDF("plane.urdf", [0, 0, -2])
    p.loadSoftBody("bunny.obj")
    return _steps(p, 200)


@work("soft_bunnies", _FAMILY, "a bunny falls on another one, not deformable", "steps/s")
def soft_bunnies(p: Module) -> Prepared:
    """Two bodies of 453 particles that touch."""
    p.setGravity(0, 0, -10)
    p.loadURDF("plane.urdf")
    p.loadSoftBody("bunny.obj", basePosition=[0, 0, 1])
    p.loadSoftBody("bunny.obj", basePosition=[0.1, 0.05, 3.2])
    return _steps(p, 120)


@work("soft_small_cloth", _FAMILY, "a cloth of 25 particles on a box, not deformable", "steps/s")
def soft_small_cloth(p: Module) -> Prepared:
    """So few particles that most of a step is what goes on around them."""
    p.setGravity(0, 0, -10)
    p.loadURDF("plane.urdf")
    p.loadURDF("cube_small.urdf", [0.02, 0.01, 0.05])
    p.loadSoftBody("cloth_z_up.obj", basePosition=[0, 0, 0.3], scale=0.5)
    return _steps(p, 200)


@work("soft_anchors", _FAMILY, "a box that hangs from a cloth, not deformable", "steps/s")
def soft_anchors(p: Module) -> Prepared:
    """The scene of PyBullet's example of anchors, in a world that is not deformable."""
    p.setGravity(0, 0, -10)
    p.loadURDF("plane.urdf")
    cloth = p.loadSoftBody("cloth_z_up.obj", basePosition=[0, 0, 2], scale=0.5, mass=1.0)
    box = p.loadURDF("cube.urdf", [0, 1, 2], useMaximalCoordinates=True)
    for particle in (24, 20):
        p.createSoftBodyAnchor(cloth, particle, -1, -1)
    p.createSoftBodyAnchor(cloth, 15, box, -1, [0.5, -0.5, 0])
    p.createSoftBodyAnchor(cloth, 19, box, -1, [-0.5, -0.5, 0])
    return _steps(p, 200)


def _steps(p: Module, before: int) -> Prepared:
    for _ in range(before):
        p.stepSimulation()

    def chunk() -> None:
        for _ in range(STEPS):
            p.stepSimulation()

    return Prepared(chunk, STEPS)
