"""Comparing a URDF as two PyBullet modules load it: tables, poses and masses."""

from __future__ import annotations

from typing import Any

import numpy as np

POSE = 1e-6  # m: PyBullet keeps poses in double precision, but passes some through floats
INERTIA = 2e-3  # relative: Bullet's mesh hulls drop points that ours keep
SURFACE = 1e-5  # relative: single precision


def differences(p: Any, q: Any, file: str, folder: str) -> list[str]:
    """What differs between ``file`` loaded by ``p`` and by the oracle ``q``."""
    bodies = [load(module, file, folder) for module in (p, q)]
    if None in bodies:
        return [] if bodies == [None, None] else [f"loaded as {bodies}"]
    ours, theirs = bodies
    found: list[str] = []
    count = q.getNumJoints(theirs)
    if p.getNumJoints(ours) != count:
        return [f"{p.getNumJoints(ours)} joints, not {count}"]
    if not close(
        p.getBasePositionAndOrientation(ours)[0], q.getBasePositionAndOrientation(theirs)[0]
    ):
        found.append("base position")
    for joint in range(count):
        found += joint_differences(
            p.getJointInfo(ours, joint), q.getJointInfo(theirs, joint), f"joint {joint}"
        )
        mine, other = p.getLinkState(ours, joint), q.getLinkState(theirs, joint)
        if not (close(mine[0], other[0]) and close(mine[4], other[4])):
            found.append(f"pose of link {joint}")
    for link in range(-1, count):
        mine, other = p.getDynamicsInfo(ours, link), q.getDynamicsInfo(theirs, link)
        surface = [0, 1, 5, 6, 7, 8, 9]
        if not np.allclose([mine[i] for i in surface], [other[i] for i in surface], rtol=SURFACE):
            found.append(f"mass or surface of link {link}: {mine} / {other}")
        if max(other[2]) < 1e9 and not np.allclose(mine[2], other[2], rtol=INERTIA, atol=1e-9):
            found.append(f"inertia of link {link}: {mine[2]} / {other[2]}")
    return found


def load(module: Any, file: str, folder: str) -> int | None:
    """The body id, or None if the module refuses the file."""
    module.resetSimulation()
    module.setAdditionalSearchPath(folder)
    try:
        return module.loadURDF(file, (0, 0, 1))
    except module.error:
        return None


def close(mine: Any, other: Any) -> bool:
    """Equal to ``POSE``."""
    return bool(np.allclose(mine, other, rtol=0, atol=POSE))


def joint_differences(mine: Any, other: Any, name: str) -> list[str]:
    """Fields of getJointInfo that differ."""
    found = []
    for field, (a, b) in enumerate(zip(mine, other, strict=True)):
        if field == 15:  # an orientation: q and -q are the same
            equal = close(a, b) or close(a, [-value for value in b])
        elif isinstance(b, float | tuple):
            equal = np.allclose(a, b, rtol=0, atol=POSE)
        else:
            equal = a == b
        if not equal:
            found.append(f"{name}, field {field}: {a} / {b}")
    return found
