"""Rows of frequencies that scripts define."""

from __future__ import annotations

import pytest
import warp as wp

from unibody.newton import ModelBuilder


def builder_of_pairs() -> ModelBuilder:
    builder = ModelBuilder()
    builder.add_custom_frequency(ModelBuilder.CustomFrequency(name="pair", namespace="test"))
    for name in ("a", "b"):
        builder.add_custom_attribute(
            ModelBuilder.CustomAttribute(
                name=name, frequency="test:pair", dtype=wp.int32, default=7, namespace="test"
            )
        )
    return builder


def test_a_row_has_defaults_where_it_states_nothing() -> None:
    builder = builder_of_pairs()
    for key, value in (("test:a", 1), ("test:a", 2), ("test:b", 10)):
        builder.add_custom_values(**{key: value})
    with pytest.warns(UserWarning, match=r"test:a.*Missing values"):
        model = builder.finalize(device="cpu")
    assert model.test.a.numpy().tolist() == [1, 2, 7]
    assert model.test.b.numpy().tolist() == [7, 7, 10]
    assert model.get_custom_frequency_count("test:pair") == 3


def test_a_frequency_without_rows_has_no_arrays() -> None:
    model = builder_of_pairs().finalize(device="cpu")
    assert not hasattr(model, "test")
    assert model.get_custom_frequency_count("test:pair") == 0


def test_an_attribute_of_a_frequency_that_is_not_registered_is_refused() -> None:
    attribute = ModelBuilder.CustomAttribute(name="a", frequency="test:other", dtype=wp.int32)
    with pytest.raises(ValueError, match=r"'test:other'.*not registered"):
        ModelBuilder().add_custom_attribute(attribute)
