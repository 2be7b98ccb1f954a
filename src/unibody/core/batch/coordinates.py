"""Joint coordinates from the states of rigid bodies.

Between a rigid body and the next one above it lies a chain of one or more axes. Their positions are
those that bring the lower body nearest to where it should be, by Gauss and Newton; its pose and
Jacobian come from products of exponentials.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from unibody.core.assets import description as core
from unibody.core.assets.rotations import rotations
from unibody.core.assets.transforms import quat_multiply, quat_of_vector, rotation_vector
from unibody.core.batch.kind import Kind
from unibody.core.batch.tables import quaternions

_cross: Any = np.cross  # of types that its stub does not know
Array = npt.NDArray[np.floating[Any]]

_ITERATIONS = 30
_CLOSE = 1e-12  # rad, m
_LONGEST = 1.0  # rad, m: of one iteration's step


class _Chain(NamedTuple):
    """Axes between two rigid bodies.

    Attributes:
        upper, lower: Numbers of the bodies.
        links: From the one below the upper body to the lower body's.
        dofs: Degrees of freedom of each link: none, one, or the three of a ball joint.
    """

    upper: int
    lower: int
    links: list[int]
    dofs: list[list[int]]


def positions(tree: core.Asset, kind: Kind, states: Array, guess: Array) -> Array:
    """Positions (dofs,) of an actor whose bodies have states (bodies, 13), near a guess.

    Quaternions are wxyz, velocities those of the mass centres. States that are not finite are no
    places: the guess stays.
    """
    found = np.asarray(guess, float).copy()
    if not np.isfinite(states).all():
        return found
    for chain in _chains(tree, kind):
        turn, place = _relative(states, chain)
        for _ in range(_ITERATIONS):
            at, pos, jacobian = _forward(tree, chain, found)
            error = np.concatenate([place - pos, _rotation_vector(turn @ at.T)])
            step = np.linalg.lstsq(jacobian, error, rcond=1e-9)[0]
            length = float(np.abs(step).max(initial=0.0))
            _move(found, chain, step * min(1.0, _LONGEST / max(length, 1e-300)))
            if length < _CLOSE:
                break
    return found


def velocities(tree: core.Asset, kind: Kind, coms: Array, states: Array, at: Array) -> Array:
    """Velocities (dofs,) of an actor whose bodies have states, at positions (dofs,).

    Zero where states are not finite.
    """
    found = np.zeros(len(kind.dofs))
    if not np.isfinite(states).all():
        return found
    where = np.asarray(at, float)
    turns = rotations(states[:, 3:7])
    arms = np.einsum("bij,bj->bi", turns, coms)
    origin = states[:, 7:10] - _cross(states[:, 10:13], arms)
    for chain in _chains(tree, kind):
        up, low = chain.upper, chain.lower
        across = states[low, :3] - states[up, :3]
        linear = origin[low] - origin[up] - _cross(states[up, 10:13], across)
        angular = states[low, 10:13] - states[up, 10:13]
        twist = np.concatenate([turns[up].T @ linear, turns[up].T @ angular])
        jacobian = _forward(tree, chain, where)[2]
        used = [dof for own in chain.dofs for dof in own]
        found[used] = np.linalg.lstsq(jacobian, twist, rcond=1e-9)[0]
    return found


def _move(q: Array, chain: _Chain, step: Array) -> None:
    """Add small changes to the positions of a chain: turns in its own axes to a ball joint."""
    start = 0
    for dofs in chain.dofs:
        change = step[start : start + len(dofs)]
        start += len(dofs)
        if len(dofs) > 1:
            turned = quat_multiply(quat_of_vector(tuple(q[dofs])), quat_of_vector(tuple(change)))
            q[dofs] = rotation_vector(turned)
        elif dofs:
            q[dofs] += change


def _chains(tree: core.Asset, kind: Kind) -> list[_Chain]:
    body_of = {link: body for body, link in enumerate(kind.body_links)}
    dofs_of: dict[int, list[int]] = {}
    for number, dof in enumerate(kind.dofs):
        dofs_of.setdefault(dof.link, []).append(number)
    chains: list[_Chain] = []
    for body, link in enumerate(kind.body_links):
        links = [link]
        while (parent := tree.links[links[0]].parent) >= 0 and parent not in body_of:
            links.insert(0, parent)
        dofs = [dofs_of.get(number, []) for number in links]
        if parent >= 0 and any(dofs):
            chains.append(_Chain(body_of[parent], body, links, dofs))
    return chains


def _relative(states: Array, chain: _Chain) -> tuple[Array, Array]:
    """Rotation and place of the lower body in the upper one's frame."""
    upper, lower = states[chain.upper].astype(float), states[chain.lower].astype(float)
    turns = rotations(np.stack([_unit(upper[3:7]), _unit(lower[3:7])]))
    return turns[0].T @ turns[1], turns[0].T @ (lower[:3] - upper[:3])


def _unit(quat: Array) -> Array:
    length = np.linalg.norm(quat)
    return quat / length if length > 0.0 else np.array([1.0, 0.0, 0.0, 0.0])


def _forward(tree: core.Asset, chain: _Chain, q: Array) -> tuple[Array, Array, Array]:
    """Rotation, place and Jacobian (6, dofs) of the lower body in the upper one's frame."""
    turn, place = np.eye(3), np.zeros(3)
    screws: list[tuple[bool, Array, Array]] = []
    for number, dofs in zip(chain.links, chain.dofs, strict=True):
        joint = tree.links[number].joint
        place = place + turn @ np.array(joint.origin.pos)
        turn = turn @ rotations(joint.origin.quat)
        if len(dofs) > 1:  # a ball joint, whose velocities are in the axes of the link
            anchor = np.array(joint.anchor)
            point, own = place + turn @ anchor, rotations(quat_of_vector(tuple(q[dofs])))
            turn = turn @ own
            place = point - turn @ anchor
            screws += [(False, turn[:, axis], point) for axis in range(3)]
            continue
        if not dofs:
            continue
        dof = dofs[0]
        axis = np.array(joint.axis) / np.linalg.norm(joint.axis)
        if joint.type is core.JointType.PRISMATIC:
            screws.append((True, turn @ axis, place))
            place = place + turn @ axis * q[dof]
        else:
            anchor = np.array(joint.anchor)
            screws.append((False, turn @ axis, place + turn @ anchor))
            own = _about(axis, float(q[dof]))
            place = place + turn @ (anchor - own @ anchor)
            turn = turn @ own
    columns = [
        np.concatenate([axis, np.zeros(3)])
        if slides
        else np.concatenate([_cross(axis, place - point), axis])
        for slides, axis, point in screws
    ]
    return turn, place, np.array(columns).T.reshape(6, -1)


def _about(axis: Array, angle: float) -> Array:
    half = 0.5 * angle
    return rotations(np.concatenate([[np.cos(half)], np.sin(half) * axis]))


def _rotation_vector(turn: Array) -> Array:
    """Axis times angle of a rotation, by its quaternion, so that half turns are no problem."""
    w, x, y, z = quaternions(turn[None])[0].tolist()
    return np.array(rotation_vector((w, x, y, z)))
