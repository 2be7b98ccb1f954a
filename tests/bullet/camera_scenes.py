"""Scenes to take pictures of, written against PyBullet's functions."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pybullet_data

DATA = Path(pybullet_data.getDataPath())
RED, GREEN, BLUE = (0.9, 0.2, 0.1, 1.0), (0.2, 0.8, 0.3, 1.0), (0.2, 0.3, 0.9, 1.0)
YELLOW = (0.9, 0.8, 0.1, 1.0)


@dataclass(frozen=True)
class PictureOf:
    """A scene and how a picture of it is taken.

    Attributes:
        build: Loads the scene, given the module.
        size: Width and height [pixels].
        eye: Of the camera [m].
        target: What it looks at [m].
        fov: Vertical field of view [degrees].
        near: Distance of the near plane [m].
        far: Distance of the far plane [m].
        more: Further arguments of getCameraImage.
    """

    build: Callable[[Any], None]
    size: tuple[int, int] = (320, 240)
    eye: tuple[float, float, float] = (2.0, 2.0, 1.5)
    target: tuple[float, float, float] = (0.0, 0.0, 0.4)
    fov: float = 60.0
    near: float = 0.01
    far: float = 20.0
    more: dict[str, Any] = field(default_factory=dict)

    def matrices(self, p: Any) -> tuple[Any, Any]:
        """View and projection matrix."""
        width, height = self.size
        view = p.computeViewMatrix(self.eye, self.target, (0.1, 0.0, 1.0))
        return view, p.computeProjectionMatrixFOV(self.fov, width / height, self.near, self.far)

    def take(self, p: Any) -> Any:
        """Build the scene and take the picture, with body and link in the segmentation."""
        p.setAdditionalSearchPath(str(DATA))
        self.build(p)
        flags = p.ER_SEGMENTATION_MASK_OBJECT_AND_LINKINDEX
        return p.getCameraImage(*self.size, *self.matrices(p), flags=flags, **self.more)


def visual(p: Any, position: Any, turn: Any = (0, 0, 0), **shape: Any) -> int:
    """A body with a visual shape only."""
    number = p.createVisualShape(**shape)
    orientation = p.getQuaternionFromEuler(turn)
    return p.createMultiBody(0, -1, number, position, orientation)


def primitives(p: Any) -> None:
    p.loadURDF("plane.urdf")
    visual(p, (-0.9, 0.2, 0.4), shapeType=p.GEOM_SPHERE, radius=0.35, rgbaColor=RED)
    visual(p, (0, -0.4, 0.5), (0.3, 0.2, 0.5), shapeType=p.GEOM_BOX, halfExtents=(0.3, 0.2, 0.25),
           rgbaColor=GREEN)  # fmt: skip
    visual(p, (0.7, 0.4, 0.4), (0.6, 0.2, 0), shapeType=p.GEOM_CYLINDER, radius=0.2, length=0.6,
           rgbaColor=BLUE)  # fmt: skip
    visual(p, (-0.1, 0.9, 0.4), (0, 0.9, 1), shapeType=p.GEOM_CAPSULE, radius=0.15, length=0.5,
           rgbaColor=YELLOW)  # fmt: skip


def textures(p: Any) -> None:
    p.loadURDF("plane.urdf")
    tiles = p.loadTexture(str(DATA / "cube.png"))
    ball = p.loadTexture(str(DATA / "checker_huge.gif"))
    box = visual(p, (0.4, 0, 0.5), (0.2, 0.5, 0.3), shapeType=p.GEOM_BOX, halfExtents=(0.4,) * 3)
    sphere = visual(p, (-0.5, 0.6, 0.5), shapeType=p.GEOM_SPHERE, radius=0.5, rgbaColor=YELLOW)
    p.changeVisualShape(box, -1, textureUniqueId=tiles)
    p.changeVisualShape(sphere, -1, textureUniqueId=ball)


def r2d2(p: Any) -> None:
    p.loadURDF("plane.urdf")
    p.loadURDF("r2d2.urdf", (0, 0, 0.5), p.getQuaternionFromEuler((0, 0, 2)))


def kuka(p: Any) -> None:
    p.loadURDF("plane.urdf")
    arm = p.loadURDF("kuka_iiwa/model.urdf", useFixedBase=True)
    for joint in range(p.getNumJoints(arm)):
        p.resetJointState(arm, joint, 0.5 * math.sin(joint + 1))


def duck(p: Any) -> None:
    p.loadURDF("plane.urdf")
    turn = (math.pi / 2, 0, 1.0)
    visual(p, (0, 0, 0), turn, shapeType=p.GEOM_MESH, fileName="duck.obj",
           meshScale=(0.6, 0.6, 0.6))  # fmt: skip


def see_through(p: Any) -> None:
    p.loadURDF("plane.urdf")
    p.loadURDF("cube_small.urdf", (0, 0, 0.4), globalScaling=8)
    body = visual(p, (0.7, 0.7, 0.6), shapeType=p.GEOM_SPHERE, radius=0.3, rgbaColor=RED)
    gone = visual(p, (0.3, -0.5, 0.6), shapeType=p.GEOM_SPHERE, radius=0.4, rgbaColor=BLUE)
    p.changeVisualShape(body, -1, rgbaColor=(0.2, 0.9, 0.9, 0.4))
    p.changeVisualShape(gone, -1, rgbaColor=(1, 1, 1, 0))


def table(p: Any) -> None:
    p.loadURDF("plane.urdf")
    p.loadURDF("table/table.urdf")
    p.loadURDF("teddy_vhacd.urdf", (0.3, 0.1, 0.65), p.getQuaternionFromEuler((1.57, 0, 0)))
    p.loadURDF("tray/tray.urdf", (-0.3, 0, 0.63))
    p.loadURDF("cube_small.urdf", (-0.3, 0.1, 0.66))
    p.loadURDF("sphere_small.urdf", (-0.35, -0.1, 0.66))


def arm_and_gripper(p: Any) -> None:
    p.loadURDF("plane.urdf")
    p.loadURDF("franka_panda/panda.urdf", useFixedBase=True)
    p.loadURDF("jenga/jenga.urdf", (0.5, 0.2, 0.1), globalScaling=4)


def quadruped(p: Any) -> None:
    p.loadURDF("plane.urdf")
    p.loadURDF("laikago/laikago_toes.urdf", (0, 0, 0.5), (0, 0.5, 0.5, 0))
    p.loadURDF("racecar/racecar.urdf", (0.5, 0.8, 0.1), globalScaling=1.5)


def terrain(p: Any) -> None:
    size = range(24)
    heights = [0.15 * math.sin(0.7 * i) + 0.1 * math.cos(0.9 * j) for j in size for i in size]
    shape = p.createCollisionShape(
        p.GEOM_HEIGHTFIELD, meshScale=(0.15, 0.15, 1), heightfieldData=heights,
        numHeightfieldRows=24, numHeightfieldColumns=24,
    )  # fmt: skip
    p.createMultiBody(0, shape)
    plane = p.createCollisionShape(p.GEOM_PLANE)
    p.createMultiBody(0, plane, basePosition=(0, 0, -0.2))
    p.loadURDF("soccerball.urdf", (0, 0.3, 0.4), globalScaling=0.4)


def links(p: Any) -> None:
    """Bodies with a colour of its own for every link."""
    p.loadURDF("plane.urdf")
    (ant,) = p.loadMJCF("mjcf/ant.xml")
    robot = p.loadURDF("cartpole.urdf", (0.8, 0.2, 0.3))
    for body in (ant, robot):
        for link in range(-1, p.getNumJoints(body)):
            p.changeVisualShape(body, link, rgbaColor=(RED, GREEN, BLUE, YELLOW)[link % 4])


def own_mesh(p: Any) -> None:
    """Meshes of vertices: with texture coordinates and normals, without, and turned over."""
    p.loadURDF("plane.urdf")
    corners = [(-0.5, -0.5, 0), (0.5, -0.5, 0), (0.5, 0.5, 0), (-0.5, 0.5, 0.3), (0, 0, 0.7)]
    faces = [0, 1, 4, 1, 2, 4, 2, 3, 4, 3, 0, 4]
    uvs = [(0, 0), (1, 0), (1, 1), (0, 1), (0.5, 0.5)]
    up = [(0.0, 0.0, 1.0)] * 5
    tile = p.loadTexture(str(DATA / "cube.png"))
    shape = {"shapeType": p.GEOM_MESH, "vertices": corners, "indices": faces}
    first = visual(p, (0, -0.5, 0.1), uvs=uvs, normals=up, **shape)
    p.changeVisualShape(first, -1, textureUniqueId=tile)
    visual(p, (-0.5, 0.7, 0.2), rgbaColor=GREEN, **shape)
    visual(p, (0.9, 0.3, 0.8), (math.pi, 0.3, 0), rgbaColor=YELLOW, **shape)


def from_mjcf(p: Any) -> None:
    """A file with colours, which are taken where the flag says so only."""
    p.loadMJCF("mjcf/ant.xml")
    (hopper,) = p.loadMJCF("mjcf/hopper.xml", flags=p.MJCF_COLORS_FROM_FILE)
    p.resetBasePositionAndOrientation(hopper, (0.3, 0.9, 0), (0, 0, 0, 1))


def robots(p: Any) -> None:
    p.loadURDF("plane.urdf")
    files = ("r2d2.urdf", "kuka_iiwa/model.urdf", "husky/husky.urdf", "cartpole.urdf")
    for number in range(12):
        place = (1.2 * (number % 4) - 2, 1.2 * (number // 4) - 2, 0.5)
        p.loadURDF(files[number % 4], place, useFixedBase=True)


PICTURES = {
    "primitives": PictureOf(primitives),
    "textures": PictureOf(textures),
    "r2d2": PictureOf(r2d2, eye=(1.1, 0.9, 1.0), more={"shadow": 1}),
    "kuka": PictureOf(kuka, (640, 480), (1.2, 0.8, 1.1), (0, 0, 0.6), more={"shadow": 1}),
    "duck": PictureOf(duck, eye=(0.9, 0.9, 0.9), target=(0, 0, 0.3)),
    "see-through": PictureOf(see_through, more={"shadow": 1}),
    "table": PictureOf(table, (640, 480), (0.8, 1.0, 1.4), (0, 0, 0.6)),
    "panda": PictureOf(arm_and_gripper, (160, 120), (1.3, 0.9, 0.9)),
    "laikago": PictureOf(quadruped, (200, 150), (1.2, 1.2, 0.8)),
    "terrain": PictureOf(terrain, eye=(1.4, 1.7, 1.2), target=(0, 0, 0)),
    "links": PictureOf(links, (256, 192), more={"shadow": 1}),
    "own mesh": PictureOf(own_mesh, (240, 240)),
    "red light": PictureOf(
        primitives, more={"lightDirection": (1, 3, 2), "lightColor": (1, 0.3, 0.2), "shadow": 1}
    ),
    "hard light": PictureOf(
        r2d2,
        eye=(1.1, 0.9, 1.0),
        near=0.02,
        more={
            "lightDirection": (2, -1, 3),
            "lightDistance": 3.0,
            "shadow": 1,
            "lightAmbientCoeff": 0.2,
            "lightDiffuseCoeff": 0.7,
            "lightSpecularCoeff": 0.5,
        },
    ),
    "near and small": PictureOf(table, (84, 84), (0.45, 0.3, 0.75), (0, 0, 0.65), 75.0, 0.05, 5.0),
    "between legs": PictureOf(quadruped, (84, 84), (0.1, 0.05, 0.3), (0.6, 0.9, 0.1), 90.0),
    "mjcf": PictureOf(from_mjcf, (160, 120), (2.2, 2.2, 1.5)),
    "12 robots": PictureOf(robots, (320, 240), (2.5, 2.5, 2.0)),
    "narrow": PictureOf(robots, (33, 77), (2.5, 2.5, 2.0)),
    "from far": PictureOf(r2d2, (160, 120), (20, 20, 10), fov=4.0, near=10.0, far=50.0),
}
