"""Quick answers for boxes and cylinders are those of the search for their distance."""

import numpy as np

from unibody.fleet.collisions import box_kernels
from unibody.fleet.collisions import contact_kernels as kernels

REACH = 0.05
COUNT = 3000


def _turn(random):
    return np.linalg.qr(random.normal(size=(3, 3)))[0]


def test_quick_answers_for_boxes_and_cylinders_are_those_of_the_search():
    """Of 3000 pairs that are near; the search for the distance is exact to 1e-9 m."""
    random = np.random.default_rng(2)
    verts, work = np.zeros((1, 3)), np.empty((13, 3))
    answers = []
    for _ in range(COUNT):
        pieces = np.array([[0, random.choice([0, 2]), 0, 0] for _ in range(2)])
        shapes = np.zeros((2, 11))
        shapes[:, 7:10] = random.uniform(0.02, 0.3, (2, 3))
        turns, (one, other) = (_turn(random), _turn(random)), random.uniform(-0.2, 0.2, (2, 3))
        places, both = np.array([one, other]), np.array(turns)
        quick = box_kernels.blocks(
            pieces[0, 1], places, 0, both, 0, pieces[1, 1], places, 1, both, 1, shapes, REACH,
            np.empty((6, 3)),
        )  # fmt: skip
        if quick == box_kernels.UNSURE:
            continue
        answers.append(quick)
        margin = REACH if quick == box_kernels.APART else 0.0
        near = kernels._close(
            pieces, shapes, verts, 0, one, turns[0], 1, other, turns[1], margin, work
        )
        assert near == (quick == box_kernels.TOUCHING)
    assert min(answers.count(box_kernels.APART), answers.count(box_kernels.TOUCHING)) > COUNT // 10
