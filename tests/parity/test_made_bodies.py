"""Bodies made of one shape, again and again, are each what PyBullet makes of it."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.support.duo import both
from tests.support.tolerances import ALGEBRA


def test_mass_frame_and_look_are_those_of_each_call() -> None:
    def script(p: Any) -> Any:
        box = p.createCollisionShape(p.GEOM_BOX, halfExtents=(0.1, 0.2, 0.3))
        first, second = (p.createVisualShape(p.GEOM_SPHERE, radius=r) for r in (0.1, 0.2))
        here, aside = (0.0, 0.0, 0.0), (0.1, 0.0, 0.2)
        calls = [
            (1.0, box, -1, here),
            (1.0, box, -1, here),
            (2.0, box, -1, here),
            (2.0, box, first, here),
            (2.0, box, second, here),
            (2.0, box, second, aside),
            (2.0, box, second, aside),
            (0.0, box, second, aside),
            (1.0, -1, first, here),
            (1.0, -1, second, here),
            (1.0, box, -1, here),
        ]
        rows = []
        for mass, shape, look, frame in calls:
            body = p.createMultiBody(mass, shape, look, baseInertialFramePosition=frame)
            found = p.getDynamicsInfo(body, -1)
            shown = [row[3][0] for row in p.getVisualShapeData(body)]
            count = len(p.getCollisionShapeData(body, -1))
            rows.append((found[0], *found[2], *found[3], *shown, count))
        return np.array(rows)

    theirs, ours = both(script)
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=ALGEBRA)
