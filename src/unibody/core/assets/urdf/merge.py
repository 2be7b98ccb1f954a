"""Merging links joined by fixed joints into one, as PyBullet's URDF_MERGE_FIXED_LINKS does.

The results, oddities included, are PyBullet's: inertial frames stated in the file are replaced by
the link frames, a child's inertia is added without turning it into the parent's axes, the merged
principal moments stay along the axes of the link frame, and the order of the remaining children
follows from removal by swapping with the last one.
"""

from __future__ import annotations

import math
from dataclasses import replace

from unibody.core.assets.description import Inertial, JointType, Link, Pose, Vec3
from unibody.core.assets.transforms import pose_multiply

Tensor = list[list[float]]
_AXES = range(3)


def merge_fixed_links(
    links: list[Link], *, fixed_base: bool, maintain_order: bool = False
) -> list[Link]:
    """Merges every link with a fixed joint into its parent.

    Args:
        links: A tree of links, each behind its parent. The links are changed in place.
        fixed_base: The base does not move, so its mass and inertia stay as they are.
        maintain_order: Give the links in the order in which PyBullet rebuilds its table
            (all children of a link before grandchildren) instead of depth first.

    Returns:
        The links that remain, each with the index of its parent.
    """
    children: list[list[int]] = [[] for _ in links]
    for index, link in enumerate(links[1:], start=1):
        children[link.parent].append(index)
    static_base = fixed_base or links[0].inertial.mass == 0.0
    merged_frames: set[int] = set()
    pending = [0]
    while pending:
        index = pending.pop()
        static = static_base and index == 0
        _absorb_children(links, children, index, static=static, merged_frames=merged_frames)
        pending.extend(children[index])
    order = _rebuilt_order(children) if maintain_order else _depth_first(children)
    return _renumber(links, children, order)


def _absorb_children(
    links: list[Link],
    children: list[list[int]],
    index: int,
    *,
    static: bool,
    merged_frames: set[int],
) -> None:
    link, mine = links[index], children[index]
    position = 0
    while position < len(mine):
        child_index = mine[position]
        child = links[child_index]
        if child.joint.type is not JointType.FIXED:
            position += 1
            continue
        origin = child.joint.origin
        for shapes, taken in (
            (link.collisions, child.collisions),
            (link.visuals, child.visuals),
        ):
            shapes.extend(replace(s, pose=pose_multiply(origin, s.pose)) for s in taken)
        for number in (index, child_index):
            if number not in merged_frames:
                links[number].inertial.pose = Pose()
        if not static:
            link.inertial = _combine(link.inertial, child.inertial, origin)
            merged_frames.add(index)
        mine[position] = mine[-1]
        mine.pop()
        for grandchild in children[child_index]:
            joint = links[grandchild].joint
            joint.origin = pose_multiply(origin, joint.origin)
            mine.append(grandchild)


def _combine(link: Inertial, child: Inertial, origin: Pose) -> Inertial:
    """Mass and principal moments of both, the frame at their common centre of mass."""
    bodies = ((link, link.pose), (child, pose_multiply(origin, child.pose)))
    mass = link.mass + child.mass
    if mass == 0.0:
        return link
    center = tuple(sum(body.mass * pose.pos[i] for body, pose in bodies) / mass for i in _AXES)
    tensor = [[0.0] * 3 for _ in _AXES]
    for body, pose in bodies:
        xx, yy, zz, xy, xz, yz = body.inertia
        stated = ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))
        offset = [pose.pos[i] - center[i] for i in _AXES]
        square = sum(value * value for value in offset)
        for i in _AXES:
            for j in _AXES:
                point = (square if i == j else 0.0) - offset[i] * offset[j]
                tensor[i][j] += stated[i][j] + body.mass * point
    xx, yy, zz = _principal_moments(tensor)
    pose = Pose((center[0], center[1], center[2]))
    return Inertial(mass, pose, (xx, yy, zz, 0.0, 0.0, 0.0), link.stated)


def _principal_moments(tensor: Tensor) -> Vec3:
    """Eigenvalues by Jacobi rotations of the largest element, which leaves them in its order.

    The threshold and the number of steps are the ones Bullet uses.
    """
    for _ in range(20):
        p, q = max(((0, 1), (0, 2), (1, 2)), key=lambda pair: abs(tensor[pair[0]][pair[1]]))
        largest = abs(tensor[p][q])
        trace = sum(abs(tensor[i][i]) for i in _AXES)
        if largest == 0.0 or not math.isfinite(trace):
            break
        theta = (tensor[q][q] - tensor[p][p]) / (2.0 * tensor[p][q])
        tangent = math.copysign(1.0, theta) / (abs(theta) + math.hypot(1.0, theta))
        cosine = 1.0 / math.hypot(1.0, tangent)
        _jacobi_rotation(tensor, p, q, tangent, cosine)
        if largest <= 1e-5 * trace:
            break
    return (tensor[0][0], tensor[1][1], tensor[2][2])


def _jacobi_rotation(tensor: Tensor, p: int, q: int, tangent: float, cosine: float) -> None:
    r, sine = 3 - p - q, tangent * cosine
    change = tangent * tensor[p][q]
    tensor[p][q] = tensor[q][p] = 0.0
    tensor[p][p] -= change
    tensor[q][q] += change
    rp, rq = tensor[r][p], tensor[r][q]
    tensor[r][p] = tensor[p][r] = cosine * rp - sine * rq
    tensor[r][q] = tensor[q][r] = cosine * rq + sine * rp


def _depth_first(children: list[list[int]]) -> list[int]:
    order: list[int] = []
    pending = [0]
    while pending:
        index = pending.pop()
        order.append(index)
        pending.extend(reversed(children[index]))
    return order


def _rebuilt_order(children: list[list[int]]) -> list[int]:
    return [0, *(child for index in _depth_first(children) for child in children[index])]


def _renumber(links: list[Link], children: list[list[int]], order: list[int]) -> list[Link]:
    new_index = {old: new for new, old in enumerate(order)}
    for old in order:
        for child in children[old]:
            links[child].parent = new_index[old]
    return [links[old] for old in order]
