"""Boxes of links, against PyBullet."""

from __future__ import annotations

from typing import Any

import numpy as np
import pybullet_data
import pytest

import unibody.bullet as ub
from tests.bullet.paired import add, both, connected

DUCK = pybullet_data.getDataPath() + "/duck.obj"
TURN = (0.1, 0.2, 0.3, 0.9273618495495704)
PRISM = 1e-5  # m: the 32 sides of Bullet's cylinders from files; points of hulls lie on a grid
EXACT: dict[str, dict[str, Any]] = {
    "box": {"kind": ub.GEOM_BOX, "halfExtents": (0.5, 0.4, 0.3)},
    "ball": {"kind": ub.GEOM_SPHERE, "radius": 0.5},
    "cylinder": {"kind": ub.GEOM_CYLINDER, "radius": 0.5, "height": 2.0},
    "capsule": {"kind": ub.GEOM_CAPSULE, "radius": 0.5, "height": 2.0},
    "plane": {"kind": ub.GEOM_PLANE},
    "concave mesh": {
        "kind": ub.GEOM_MESH, "fileName": DUCK, "meshScale": (0.1, 0.1, 0.1),
        "flags": ub.GEOM_FORCE_CONCAVE_TRIMESH,
    },
    "height field": {
        "kind": ub.GEOM_HEIGHTFIELD, "meshScale": (1, 1, 1), "numHeightfieldRows": 3,
        "numHeightfieldColumns": 3, "heightfieldData": [0.0] * 4 + [1.0] + [0.0] * 4,
    },
    "shape in a frame": {
        "kind": ub.GEOM_BOX, "halfExtents": (0.5, 0.4, 0.3),
        "collisionFramePosition": (1, 0, 0), "collisionFrameOrientation": TURN,
    },
}  # fmt: skip


def corners(box: Any) -> Any:
    return np.array(box).ravel()


@pytest.mark.parametrize("quat", [(0, 0, 0, 1), TURN])
@pytest.mark.parametrize("name", EXACT)
def test_the_box_of_a_shape_is_pybullets(name: str, quat: Any) -> None:
    def play(p: Any) -> Any:
        return p.getAABB(add(p, pos=(1, 2, 3), quat=quat, **EXACT[name]))

    theirs, ours = both(play)
    # float32 vertices in one or the other
    assert corners(ours) == pytest.approx(corners(theirs), rel=1e-6, abs=1e-6)


@pytest.mark.parametrize("place", [(0, 0, 0), (0.1, 0, 0)])
def test_the_box_of_a_mesh_has_pybullets_margin(place: Any) -> None:
    def play(p: Any) -> Any:
        mesh = {"fileName": DUCK, "meshScale": (0.1, 0.1, 0.1), "collisionFramePosition": place}
        return corners(p.getAABB(add(p, p.GEOM_MESH, (0, 0, 0), 1, **mesh)))

    theirs, ours = both(play)
    assert ours == pytest.approx(theirs, abs=1e-6)  # float32 vertices


@pytest.mark.parametrize(
    "urdf",
    [
        "r2d2.urdf", "kuka_iiwa/model.urdf", "plane.urdf", "cube.urdf", "duck_vhacd.urdf",
        "franka_panda/panda.urdf", "table/table.urdf",
    ],
)  # fmt: skip
def test_the_boxes_of_all_links_of_a_file_are_pybullets(urdf: str) -> None:
    def play(p: Any) -> Any:
        p.setAdditionalSearchPath(pybullet_data.getDataPath())
        body = p.loadURDF(urdf, (1, 2, 3), TURN)
        return [corners(p.getAABB(body, link)) for link in range(-1, p.getNumJoints(body))]

    theirs, ours = both(play)
    assert len(ours) == len(theirs)
    for their_box, our_box in zip(theirs, ours, strict=True):
        assert our_box == pytest.approx(their_box, abs=PRISM)


def test_the_boxes_of_a_robot_of_an_mjcf_file_are_pybullets() -> None:
    def play(p: Any) -> Any:
        p.setAdditionalSearchPath(pybullet_data.getDataPath())
        bodies = p.loadMJCF("mjcf/humanoid.xml")
        return [
            corners(p.getAABB(body, link))
            for body in bodies
            for link in range(-1, p.getNumJoints(body))
        ]

    theirs, ours = both(play)
    assert np.array(ours) == pytest.approx(np.array(theirs), abs=PRISM)


def test_a_link_without_shapes_is_a_point_at_its_mass_centre() -> None:
    def play(p: Any) -> Any:
        body = p.createMultiBody(1, -1, -1, (1, 2, 3), baseInertialFramePosition=(0.5, 0, 0))
        return corners(p.getAABB(body))

    theirs, ours = both(play)
    assert ours == pytest.approx(theirs)
    assert ours == pytest.approx([1.5, 2, 3, 1.5, 2, 3])


def test_the_box_follows_the_body_at_once() -> None:
    def play(p: Any) -> Any:
        body = add(p, p.GEOM_BOX, (0, 0, 0), 1, halfExtents=(0.5, 0.4, 0.3))
        boxes = [corners(p.getAABB(body))]
        p.resetBasePositionAndOrientation(body, (5, 0, 0), TURN)
        return [*boxes, corners(p.getAABB(body))]

    theirs, ours = both(play)
    assert np.array(ours) == pytest.approx(np.array(theirs))


@pytest.mark.parametrize(
    ("body", "link", "message"),
    [
        (-1, -1, "getAABB failed; invalid bodyUniqueId"),
        (0, -2, "getAABB failed; invalid linkIndex"),
        (0, 99, "getAABB failed."),
        (99, -1, "getAABB failed."),
    ],
)
def test_what_does_not_exist_is_refused_in_pybullets_words(
    body: int, link: int, message: str
) -> None:
    def play(p: Any) -> Any:
        add(p, p.GEOM_BOX, (0, 0, 0), halfExtents=(1, 1, 1))
        with pytest.raises(p.error) as raised:
            p.getAABB(body, link)
        return str(raised.value)

    assert both(play) == (message, message)


@pytest.mark.parametrize("edge", [0.4, 0.5, 0.519, 0.521, 0.6])
def test_overlaps_are_pybullets_after_a_step(edge: float) -> None:
    def play(p: Any) -> Any:
        add(p, p.GEOM_BOX, (0, 0, 0), 1, halfExtents=(0.5, 0.5, 0.5))
        add(p, p.GEOM_BOX, (0, 3, 0), 0, halfExtents=(0.5, 0.5, 0.5))
        p.stepSimulation()
        found = p.getOverlappingObjects((edge, -9, -0.1), (edge + 1, 9, 0.1))
        return None if found is None else sorted(found)

    theirs, ours = both(play)
    assert ours == theirs


def test_overlaps_name_bodies_and_links_as_in_pybullet() -> None:
    def play(p: Any) -> Any:
        p.setAdditionalSearchPath(pybullet_data.getDataPath())
        empty = p.getOverlappingObjects((-9, -9, -9), (9, 9, 9))
        arm = p.loadURDF("kuka_iiwa/model.urdf", useFixedBase=True)
        add(p, p.GEOM_SPHERE, (5, 0, 0), 1, radius=0.1)
        p.createMultiBody(1, -1, -1, (0, 0, 0.3))
        p.stepSimulation()
        around = p.getOverlappingObjects(*p.getAABB(arm, 6))
        everything = p.getOverlappingObjects((-9, -9, -9), (9, 9, 9))
        inverted = p.getOverlappingObjects((9, 9, 9), (-9, -9, -9))
        return empty, sorted(around), sorted(everything), inverted

    theirs, ours = both(play)
    assert ours == theirs


def test_a_corner_of_another_size_is_refused() -> None:
    with connected(ub) as p, pytest.raises(p.error, match="aabbMax needs 3 numbers"):
        p.getOverlappingObjects((0, 0, 0), (0, 0))
