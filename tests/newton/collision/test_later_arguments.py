"""Arguments of CollisionPipeline that releases after 1.0 have added."""

from __future__ import annotations

from typing import Any

import pytest

from unibody.errors import InvalidArgumentError, NotSupportedError
from unibody.newton import CollisionPipeline, Model, ModelBuilder


@pytest.fixture
def model() -> Model:
    builder = ModelBuilder()
    builder.add_shape_sphere(builder.add_body(mass=1.0), radius=0.1)
    return builder.finalize(device="cpu")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("body_pair_reduction", object()),
        ("speculative_contact_gap_max", 0.1),
        ("dynamic_shape_scale", True),
    ],
)
def test_what_a_pipeline_lacks_is_refused_by_name(model: Model, name: str, value: Any) -> None:
    with pytest.raises(NotSupportedError, match=name):
        CollisionPipeline(model, **{name: value})


def test_arguments_that_ask_for_nothing_are_taken(model: Model) -> None:
    pipeline = CollisionPipeline(
        model,
        enable_rigid_soft_full_surface_contact=False,
        body_pair_reduction=None,
        speculative_contact_gap_max=None,
        dynamic_shape_scale=False,
        max_triangle_pairs=32,
    )
    assert pipeline.shape_count == 1


def test_rooms_for_triangles_are_positive_and_unknown_arguments_are_named(model: Model) -> None:
    with pytest.raises(InvalidArgumentError, match="max_triangle_pairs"):
        CollisionPipeline(model, max_triangle_pairs=0)
    with pytest.raises(TypeError, match="margin_of_all"):
        CollisionPipeline(model, margin_of_all=1.0)
