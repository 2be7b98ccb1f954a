"""Whether two descriptions are of the same robot: masses, limits, poses and a second of motion."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from unibody.core.assets.description import Asset, JointType, Link
from unibody.core.assets.link_order import parents_first
from unibody.core.assets.mass.physical import MIN_MASS
from unibody.core.assets.mass.properties import Solid, of_inertial
from unibody.core.assets.writers.losses import Losses
from unibody.core.assets.writers.mjcf_bodies import inertial_of
from unibody.core.assets.writers.trees import limited
from unibody.core.engine.records.options import BodyOptions
from unibody.core.engine.scene.scene import Scene

# Numbers are written with all digits; turning tensors and poses to and fro loses some of the last.
# OpenUSD holds most numbers of physics in single precision.
NEAR = 1e-5
_AXES = (JointType.REVOLUTE, JointType.CONTINUOUS, JointType.PRISMATIC)
_STEPS = 240


def assert_same(before: Asset, after: Asset) -> None:
    """Fails with what differs."""
    assert_same_masses(before, after)
    assert_same_joints(before, after)
    assert_same_motion(before, after)


def assert_same_masses(before: Asset, after: Asset) -> None:
    mine, other = ({link.name: link for link in asset.links} for asset in (before, after))
    for name, link in mine.items():
        if link.inertial.mass <= MIN_MASS:
            continue
        one, two = _taken(link), _taken(other[name])
        size = np.abs(one.inertia).max()
        assert abs(one.mass - two.mass) <= NEAR * one.mass, name
        assert np.abs(one.com - two.com).max() <= NEAR, name
        assert np.abs(one.inertia - two.inertia).max() <= NEAR * size, name


def _taken(link: Link) -> Solid:
    """A link's mass as MuJoCo takes it: moments that no body has are raised, as in a world."""
    inertial = inertial_of(link, moving=True, losses=Losses(""))
    assert inertial is not None
    return of_inertial(inertial)


def assert_same_joints(before: Asset, after: Asset) -> None:
    mine, other = (
        {link.joint.name: link.joint for link in asset.links[1:] if link.joint.type in _AXES}
        for asset in (before, after)
    )
    assert mine.keys() == other.keys()
    for name, joint in mine.items():
        found = other[name]
        assert limited(joint) == limited(found), name
        if limited(joint):
            bounds = np.array([joint.lower, joint.upper, found.lower, found.upper])
            finite = np.clip(bounds, -1e10, 1e10)
            assert np.allclose(finite[:2], finite[2:], rtol=NEAR, atol=NEAR), name
        efforts = [
            effort if 0.0 < effort < 1e10 else 0.0 for effort in (joint.effort, found.effort)
        ]
        assert np.isclose(*efforts, rtol=NEAR), name


def assert_same_motion(before: Asset, after: Asset) -> None:
    """Link poses at three joint positions, and along a second of falling."""
    fixed = bool(before.fixed_base or before.static)
    assert fixed == bool(after.fixed_base or after.static)
    one, two = _Run(before, fixed), _Run(after, fixed)
    for share in (0.0, 0.3, -0.4):
        one.place(share)
        two.place(share)
        _compare(one.poses(), two.poses(), f"at {share}")
    one.place(0.1)
    two.place(0.1)
    for _ in range(4):
        one.run(_STEPS // 4)
        two.run(_STEPS // 4)
        _compare(one.poses(), two.poses(), "in motion")


class _Run:
    """A robot in a world of its own, without collisions: its joints alone say how it moves."""

    def __init__(self, asset: Asset, fixed: bool) -> None:
        links = [
            replace(asset.links[i], collisions=[], visuals=[]) for i in range(len(asset.links))
        ]
        assert parents_first(links) == list(range(len(links)))
        self.scene = Scene()
        self.record = self.scene.add(0, replace(asset, links=links), BodyOptions(fixed=fixed))
        self.record = self.scene.bodies[0]
        self.names = [link.name for link in links]

    def place(self, share: float) -> None:
        """Put each joint with one axis at a share of its range, or at as much of a radian."""
        data = self.scene.world.data
        data.qvel[:] = 0.0
        for joint in self.record.joints:
            described = self.record.links[joint.link].link.joint
            if joint.nq != 1:
                continue
            width = 1.0
            if limited(described) and abs(described.upper - described.lower) < 1e3:
                width = 0.5 * (described.upper - described.lower)
            middle = 0.5 * (described.lower + described.upper) if limited(described) else 0.0
            middle = middle if abs(middle) < 1e3 else 0.0
            data.qpos[joint.qpos] = middle + share * width
        self.scene.world.changed()

    def run(self, steps: int) -> None:
        for _ in range(steps):
            self.scene.world.step()

    def poses(self) -> dict[str, tuple[np.ndarray, np.ndarray]]:
        import mujoco

        data = self.scene.world.data
        mujoco.mj_kinematics(self.scene.world.model, data)
        start = self.record.body
        return {
            name: (data.xpos[start + i].copy(), data.xmat[start + i].reshape(3, 3).copy())
            for i, name in enumerate(self.names)
        }


def _compare(one: dict, two: dict, when: str) -> None:
    """Poses relative to the first link that both have."""
    shared = [name for name in one if name in two]
    assert shared
    base = shared[0]
    for name in shared:
        here, there = (
            (run[base][1].T @ (run[name][0] - run[base][0]), run[base][1].T @ run[name][1])
            for run in (one, two)
        )
        scale = max(1.0, float(np.abs(here[0]).max()))
        assert np.abs(here[0] - there[0]).max() <= NEAR * scale, (name, when)
        assert np.abs(here[1] - there[1]).max() <= NEAR, (name, when)
