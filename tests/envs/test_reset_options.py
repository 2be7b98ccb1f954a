"""What may be said where episodes of many worlds begin."""

from __future__ import annotations

import pytest

from unibody.envs.reset_options import reset_mask
from unibody.errors import InvalidArgumentError


def test_without_options_all_worlds_begin() -> None:
    assert reset_mask(None, 2) is None
    assert reset_mask({}, 2) is None


@pytest.mark.parametrize("mask", [[1, 0], [True], [False, False], [[True, False]]])
def test_a_mask_is_one_truth_value_a_world_and_names_one_at_least(mask: list[object]) -> None:
    with pytest.raises(InvalidArgumentError, match="reset_mask"):
        reset_mask({"reset_mask": mask}, 2)


def test_there_is_no_other_option() -> None:
    with pytest.raises(InvalidArgumentError, match="worlds"):
        reset_mask({"worlds": [0]}, 2)
