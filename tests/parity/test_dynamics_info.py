"""getDynamicsInfo after loading, making and changing bodies, against PyBullet."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.bullet.paired import both
from tests.support.duo import DATA

# Bullet takes bounds of meshes in single precision.
CLOSE = 1e-5

MODELS = (
    "r2d2.urdf",
    "kuka_iiwa/model.urdf",
    "a1/a1.urdf",
    "husky/husky.urdf",
    "sphere2.urdf",
    "cube.urdf",
    "franka_panda/panda.urdf",
    "plane.urdf",
)
SHAPES: tuple[dict[str, Any], ...] = (
    {"shapeType": 2, "radius": 0.3},
    {"shapeType": 3, "halfExtents": [0.1, 0.2, 0.3]},
    {"shapeType": 4, "radius": 0.3, "height": 0.4},
    {"shapeType": 5, "fileName": "duck.obj"},
    {"shapeType": 6},
    {"shapeType": 7, "radius": 0.3, "height": 0.4},
    {"shapeType": 2, "radius": 0.3, "collisionFramePosition": (1.0, 0.0, 0.0)},
    {"shapeType": 3, "halfExtents": [0.1] * 3, "collisionFramePosition": (1.0, 0.0, 0.0)},
    {"shapeType": 7, "radius": 0.3, "collisionFrameOrientation": (0.0, 0.6, 0.0, 0.8)},
)


def _infos(p: Any, body: int) -> list[Any]:
    return [p.getDynamicsInfo(body, link) for link in range(-1, p.getNumJoints(body))]


def _flat(value: Any) -> list[float]:
    if isinstance(value, (tuple, list)):
        return [number for item in value for number in _flat(item)]
    return [float(value)]


def _same(script: Callable[[Any], Any]) -> None:
    theirs, ours = both(script)
    assert _flat(ours) == pytest.approx(_flat(theirs), rel=CLOSE, abs=1e-9)


@pytest.mark.parametrize("name", MODELS)
def test_a_new_mass_gives_every_link_of_a_file_the_inertia_of_its_shapes(name: str) -> None:
    def script(p: Any) -> list[Any]:
        p.setAdditionalSearchPath(DATA)
        body = p.loadURDF(name)
        found = [_infos(p, body)]
        for link in range(-1, p.getNumJoints(body)):
            p.changeDynamics(body, link, mass=2.5)
        return [*found, _infos(p, body)]

    _same(script)


@pytest.mark.parametrize("flag", ["URDF_USE_INERTIA_FROM_FILE", "URDF_USE_IMPLICIT_CYLINDER"])
def test_a_new_mass_follows_the_flags_of_loading(flag: str) -> None:
    def script(p: Any) -> list[Any]:
        p.setAdditionalSearchPath(DATA)
        body = p.loadURDF("r2d2.urdf", flags=getattr(p, flag))
        for link in range(-1, p.getNumJoints(body)):
            p.changeDynamics(body, link, mass=2.5)
        return _infos(p, body)

    _same(script)


def test_links_whose_collision_shapes_are_passed_over_have_the_inertia_of_an_empty_box() -> None:
    def script(p: Any) -> list[Any]:
        p.setAdditionalSearchPath(DATA)
        return _infos(p, p.loadURDF("r2d2.urdf", flags=p.URDF_IGNORE_COLLISION_SHAPES))

    _same(script)


@pytest.mark.parametrize("number", range(len(SHAPES)))
def test_made_bodies_tell_the_collision_margin_of_pybullets(number: int) -> None:
    def script(p: Any) -> list[Any]:
        p.setAdditionalSearchPath(DATA)
        mass = 0.0 if SHAPES[number]["shapeType"] == p.GEOM_PLANE else 1.0
        body = p.createMultiBody(mass, p.createCollisionShape(**SHAPES[number]))
        found = [_infos(p, body)]
        p.changeDynamics(body, -1, collisionMargin=0.02)
        return [*found, _infos(p, body)]

    _same(script)


def test_a_body_without_shape_and_one_of_several_tell_no_margin() -> None:
    def script(p: Any) -> list[Any]:
        several = p.createCollisionShapeArray(
            [p.GEOM_SPHERE, p.GEOM_BOX], radii=[0.1, 0.1], halfExtents=[[0.1] * 3] * 2
        )
        return [_infos(p, p.createMultiBody(1.0)), _infos(p, p.createMultiBody(1.0, several))]

    _same(script)


PARAMETERS: dict[str, Any] = {
    "mass": 0.6,
    "lateralFriction": 0.7,
    "rollingFriction": 0.3,
    "restitution": 0.9,
    "linearDamping": 0.01,
    "angularDamping": 0.02,
    "localInertiaDiagonal": [0.1, 0.2, 0.3],
    "contactProcessingThreshold": 0.001,
    "activationState": 1,
    "jointDamping": 0.33,
    "maxJointVelocity": 50.0,
    "collisionMargin": 0.003,
}


@given(
    names=st.sets(st.sampled_from(sorted(PARAMETERS)), min_size=1, max_size=4),
    link=st.sampled_from((-1, 3, 5, 99)),
)
@settings(max_examples=60, deadline=None)
def test_parameters_of_one_call_reach_the_link_that_pybullet_sends_them_to(
    names: set[str], link: int
) -> None:
    def script(p: Any) -> list[Any]:
        p.setAdditionalSearchPath(DATA)
        body = p.loadURDF("r2d2.urdf")
        p.changeDynamics(body, link, **{name: PARAMETERS[name] for name in names})
        return [_infos(p, body), [p.getJointInfo(body, joint)[6] for joint in (3, 5)]]

    _same(script)


@pytest.mark.parametrize("name", ["cube.urdf", "r2d2.urdf", "teddy_vhacd.urdf"])
def test_a_base_that_is_held_has_no_mass_until_it_is_given_one(name: str) -> None:
    def script(p: Any) -> list[Any]:
        p.setAdditionalSearchPath(DATA)
        body = p.loadURDF(name, useFixedBase=True)
        found = _infos(p, body)
        p.changeDynamics(body, -1, mass=3)
        return [found, _infos(p, body)]

    _same(script)
