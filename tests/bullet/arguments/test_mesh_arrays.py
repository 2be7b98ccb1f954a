"""Vertices and indices of a mesh in the forms that scripts have them in."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import unibody.bullet as p

CORNERS = [[0, 0, 0], [1.5, 0, 0], [0, 1, 0], [0, 0, 1]]
FACES = [0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3]


@pytest.fixture
def client() -> Iterator[int]:
    number = p.connect(p.DIRECT)
    yield number
    p.disconnect(number)


def read(client: int, vertices: Any, indices: Any = FACES) -> Any:
    shape = p.createCollisionShape(
        p.GEOM_MESH, vertices=vertices, indices=indices, physicsClientId=client
    )
    body = p.createMultiBody(0, shape, physicsClientId=client)
    return p.getMeshData(body, -1, physicsClientId=client)


@pytest.mark.parametrize(
    "vertices",
    [
        [tuple(map(float, corner)) for corner in CORNERS],
        tuple(map(tuple, CORNERS)),
        np.array(CORNERS),
        np.array(CORNERS, dtype=np.float32),
        list(np.array(CORNERS)),
        [[np.float64(number) for number in corner] for corner in CORNERS],
    ],
)
def test_all_forms_of_vertices_make_the_same_mesh(client: int, vertices: Any) -> None:
    assert read(client, vertices) == read(client, CORNERS)


@pytest.mark.parametrize("indices", [tuple(FACES), np.array(FACES), np.array(FACES, np.int32)])
def test_all_forms_of_indices_make_the_same_mesh(client: int, indices: Any) -> None:
    assert read(client, CORNERS, indices) == read(client, CORNERS)


@pytest.mark.parametrize("vertices", [[[0, 0], *CORNERS], [*CORNERS, 3.0], [["a", 0, 0], *CORNERS]])
def test_what_is_no_vertex_is_refused(client: int, vertices: Any) -> None:
    with pytest.raises((p.error, TypeError)):
        read(client, vertices)


@pytest.mark.parametrize("indices", [FACES[:-1], [*FACES, 0, 1, 4], [*FACES, 0, 1, -1]])
def test_indices_of_no_vertex_are_refused(client: int, indices: Any) -> None:
    with pytest.raises(p.error, match="indices"):
        read(client, CORNERS, indices)
