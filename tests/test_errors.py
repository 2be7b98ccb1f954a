"""The exception family."""

from __future__ import annotations

import pickle

import pytest

from unibody.errors import AssetError, InvalidArgumentError, NotSupportedError, UnibodyError


@pytest.mark.parametrize(
    "error",
    [
        InvalidArgumentError("size", -1.0, "a positive number"),
        AssetError("arm.urdf", "joint 'elbow'", "no axis"),
        NotSupportedError("soft bodies", "use cloth"),
        UnibodyError("stopped"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_an_error_is_the_same_in_the_process_that_asked_for_the_work(error: UnibodyError) -> None:
    found = pickle.loads(pickle.dumps(error))
    assert type(found) is type(error)
    assert str(found) == str(error)
    assert found.args == error.args
    assert vars(found) == vars(error)
