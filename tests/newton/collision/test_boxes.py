"""Contacts of two boxes, against the projection of one on the other and the axes of both."""

from __future__ import annotations

from typing import Any

import numpy as np
import warp as wp
from scipy.optimize import minimize

from unibody import newton

HALF = np.array([[0.2, 0.3, 0.4], [0.25, 0.15, 0.35]])
REACH = 0.3  # m, between surfaces
CLOSE = 2e-4  # m: directions of nearest points are good to 1e-3, whose cosine is 5e-7 of 0.3 m


class _Pair:
    """Two boxes that can be put anywhere."""

    def __init__(self) -> None:
        builder = newton.ModelBuilder()
        builder.rigid_contact_margin = 0.5 * REACH
        for half in HALF:
            builder.add_shape_box(builder.add_body(), hx=half[0], hy=half[1], hz=half[2])
        self.model = builder.finalize(device="cpu")
        self.pipeline = newton.CollisionPipeline(self.model)
        self.state, self.contacts = self.model.state(), self.pipeline.contacts()

    def meet(self, poses: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Distances of contacts below zero where boxes overlap, and normals from 0 to 1."""
        self.state.body_q.assign(poses.astype(np.float32))
        self.pipeline.collide(self.state, self.contacts)
        found = self.contacts
        count = int(found.rigid_contact_count.numpy()[0])
        first = found.rigid_contact_shape0.numpy()[:count]
        normals = -found.rigid_contact_normal.numpy()[:count]  # told from 1 to 0
        ends = []
        for name, shapes in (("point0", first), ("point1", 1 - first)):
            points = getattr(found, f"rigid_contact_{name}").numpy()[:count]
            ends.append(np.array([_matrix(poses[s]) @ p + poses[s, :3] for s, p in zip(
                shapes, points, strict=True)]).reshape(-1, 3))  # fmt: skip
        signs = np.where(first == 0, 1.0, -1.0)[:, None]
        return np.einsum("ni,ni->n", ends[1] - ends[0], normals), normals * signs


def _matrix(pose: np.ndarray) -> np.ndarray:
    return np.array(wp.quat_to_matrix(wp.quat(*pose[3:].tolist()))).reshape(3, 3)


def _poses(rng: np.random.Generator, apart: float) -> np.ndarray:
    """Both turned in any way, with centres so far apart."""
    turns = rng.standard_normal((2, 4))
    turns /= np.linalg.norm(turns, axis=1)[:, None]
    way = rng.standard_normal(3)
    places = np.stack([np.zeros(3), apart * way / np.linalg.norm(way)])
    return np.concatenate([places, turns], axis=1)


def _distance(poses: np.ndarray) -> float:
    """The distance of two boxes: the least over points of both."""
    turns = [_matrix(pose) for pose in poses]

    def square(p: np.ndarray) -> tuple[float, np.ndarray]:
        way = turns[1] @ p[3:] + poses[1, :3] - turns[0] @ p[:3]
        return way @ way, 2.0 * np.concatenate([-turns[0].T @ way, turns[1].T @ way])

    bounds = [(-h, h) for h in HALF.reshape(-1)]
    options: dict[str, Any] = {"ftol": 1e-16, "gtol": 1e-10, "maxiter": 2000}
    found = minimize(
        square, np.zeros(6), jac=True, bounds=bounds, method="L-BFGS-B", options=options
    )
    return float(np.sqrt(found.fun))


def _least_overlap(poses: np.ndarray) -> tuple[float, np.ndarray]:
    """Of the fifteen axes: the largest gap, and its axis from the first box to the second."""
    a, b = (_matrix(pose) for pose in poses)
    axes = [*a.T, *b.T, *(np.cross(u, v) for u in a.T for v in b.T)]
    best = (-np.inf, np.zeros(3))
    for axis in axes:
        size = np.linalg.norm(axis)
        if size < 1e-2:
            continue
        n = axis / size
        middle = n @ (poses[1, :3] - poses[0, :3])
        gap = abs(middle) - np.abs(n @ a) @ HALF[0] - np.abs(n @ b) @ HALF[1]
        if gap > best[0]:
            best = (float(gap), n * np.sign(middle))
    return best


def test_boxes_that_are_apart_meet_at_their_nearest_points() -> None:
    pair, rng, seen = _Pair(), np.random.default_rng(1), 0
    for apart in np.linspace(0.5, 1.2, 60):
        poses = _poses(rng, apart)
        distance = _distance(poses)
        if not 2e-3 < distance < REACH - 1e-3:
            continue
        gaps, _ = pair.meet(poses)
        assert abs(gaps.min() - distance) < CLOSE
        seen += 1
    assert seen > 15


def test_boxes_that_overlap_part_along_the_axis_of_least_overlap() -> None:
    pair, rng, seen = _Pair(), np.random.default_rng(2), 0
    for apart in np.linspace(0.45, 0.75, 120):
        poses = _poses(rng, apart)
        gap, axis = _least_overlap(poses)
        if not -0.1 < gap < -1e-3:
            continue
        gaps, normals = pair.meet(poses)
        assert np.abs(normals @ axis - 1.0).max() < 1e-4
        assert gaps.min() > gap - 1e-5
        assert gaps.min() < 0.0
        seen += 1
    assert seen > 15


def test_boxes_side_by_side_meet_in_the_corners_of_what_they_share() -> None:
    pair = _Pair()
    poses = np.array([[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0], [0.1, 0.2, 0.76, 0.0, 0.0, 0.0, 1.0]])
    gaps, normals = pair.meet(poses)
    np.testing.assert_allclose(gaps, np.full(4, 0.01), atol=1e-6)
    np.testing.assert_allclose(normals, np.tile((0.0, 0.0, 1.0), (4, 1)), atol=1e-6)
