"""Soft bodies in camera pictures."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pybullet
import pytest

import unibody.bullet
from tests.bullet.soft.cubes import cube_of_tetrahedra
from tests.support.duo import DATA, connected

SIZE = 96


def _picture(p: Any, height: float) -> tuple[Any, Any]:
    view = p.computeViewMatrix([0, 0, height], [0, 0, 0], [0, 1, 0])
    lens = p.computeProjectionMatrixFOV(60, 1.0, 0.1, 20)
    image = p.getCameraImage(SIZE, SIZE, view, lens, renderer=p.ER_TINY_RENDERER)
    return np.reshape(image[2], (SIZE, SIZE, 4))[:, :, :3].astype(float), np.reshape(
        image[4], (SIZE, SIZE)
    )


@pytest.mark.parametrize("kind", ["cloth", "solid", "solid with a texture"])
@pytest.mark.parametrize("height", [0.6, -0.6], ids=["above", "below"])
def test_a_soft_body_looks_as_in_pybullet_from_both_sides(
    kind: str, height: float, tmp_path: Path
) -> None:
    solid = cube_of_tetrahedra(tmp_path, 3, 0.3)

    def seen(p: Any) -> tuple[Any, Any, int]:
        p.resetSimulation(p.RESET_USE_DEFORMABLE_WORLD)
        if kind == "cloth":
            body = p.loadSoftBody(f"{DATA}/cloth_z_up.obj", useMassSpring=1, scale=0.16)
        else:
            body = p.loadSoftBody(solid, [-0.143, -0.132, -0.15], useNeoHookean=1)
        if kind == "solid with a texture":
            texture = p.loadTexture(f"{DATA}/tex256.png")
            p.changeVisualShape(body, -1, textureUniqueId=texture)
        p.stepSimulation()
        return *_picture(p, height), body

    with connected(pybullet) as p:
        theirs, labels, body = seen(p)
    with connected(unibody.bullet) as p:
        ours, found, number = seen(p)
    at = (labels == body) & (found == number)
    assert at.sum() > 0.97 * (labels == body).sum() > 1000
    # Single pixels at edges of the texture may differ by all of 255.
    assert np.abs(ours - theirs)[at].mean() < 3.0
    assert np.ptp(ours[at].mean(axis=1)) > 30.0  # it is not one colour
