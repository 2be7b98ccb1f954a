"""Arrays in compiled functions whose users are not counted."""

import numpy as np

from unibody.machine_code import numba
from unibody.machine_code.pointers import borrowed

RECORD = np.dtype([("where", "f8", 3), ("seen", "u1")])


@numba.njit
def _add_to(array, amount):
    ours = borrowed(array)
    for i in range(ours.shape[0]):
        for j in range(ours.shape[1]):
            ours[i, j] += amount
    return ours.size


@numba.njit
def _see(records):
    ours = borrowed(records)
    for i in range(len(ours)):
        ours[i].seen = ours[i].where[2] > 0.0


def test_a_borrowed_array_is_the_array_itself_whatever_its_strides():
    whole = np.arange(24.0).reshape(4, 6)
    expected = whole.copy()
    expected[::2, 1::2] += 5.0
    assert _add_to(whole[::2, 1::2], 5.0) == 6
    np.testing.assert_array_equal(whole, expected)


def test_borrowed_records_are_written_in_place():
    records = np.zeros(3, dtype=RECORD)
    records["where"][:, 2] = -1.0, 1.0, 2.0
    _see(records)
    assert records["seen"].tolist() == [0, 1, 1]
