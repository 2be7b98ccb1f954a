"""Compares the URDF reader with PyBullet on every URDF of ``pybullet_data``.

For each file both have to load it or both have to refuse it, and link names, joint tables,
masses, inertial frames, contact parameters, visual shapes and link world poses at q = 0 have to
be equal. Prints a summary and exits with 1 if a file differs.
"""

from __future__ import annotations

import argparse
import logging
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pybullet
import pybullet_data

from unibody.core.assets.description import Asset, JointType, Link, Pose, Shape, ShapeKind
from unibody.core.assets.paths import SearchPath
from unibody.core.assets.urdf import UrdfOptions, load_urdf
from unibody.errors import AssetError

# Both sides compute in float64 from the same text: what remains is rounding, except for values
# that travel through PyBullet's 32-bit fields (colours) and its visual poses.
ALGEBRA = 1e-9
WORLD = 1e-6  # metres and quaternion components, the accuracy asked of a loaded body
SINGLE = 1e-6

_PYBULLET_TYPE = {
    JointType.REVOLUTE: pybullet.JOINT_REVOLUTE,
    JointType.CONTINUOUS: pybullet.JOINT_REVOLUTE,
    JointType.PRISMATIC: pybullet.JOINT_PRISMATIC,
    JointType.SPHERICAL: pybullet.JOINT_SPHERICAL,
    JointType.PLANAR: pybullet.JOINT_PLANAR,
    JointType.FIXED: pybullet.JOINT_FIXED,
    JointType.FLOATING: pybullet.JOINT_FIXED,  # PyBullet makes a fixed joint of it
}
_WITH_AXIS = (pybullet.JOINT_REVOLUTE, pybullet.JOINT_PRISMATIC)
_GEOMETRY = {
    ShapeKind.BOX: pybullet.GEOM_BOX,
    ShapeKind.SPHERE: pybullet.GEOM_SPHERE,
    ShapeKind.CYLINDER: pybullet.GEOM_CYLINDER,
    ShapeKind.CAPSULE: pybullet.GEOM_CAPSULE,
    ShapeKind.PLANE: pybullet.GEOM_PLANE,
    ShapeKind.MESH: pybullet.GEOM_MESH,
}

Matrix = npt.NDArray[np.float64]


def matrix(pose: Pose) -> Matrix:
    """The 4x4 homogeneous matrix of a pose."""
    w, x, y, z = pose.quat
    result = np.eye(4)
    result[:3, :3] = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    result[:3, 3] = pose.pos
    return result


def matrix_from_pybullet(position: Any, quat_xyzw: Any) -> Matrix:
    """The 4x4 homogeneous matrix of a position and a quaternion (x, y, z, w)."""
    x, y, z, w = quat_xyzw
    return matrix(Pose(tuple(position), (w, x, y, z)))


def link_poses(asset: Asset) -> list[Matrix]:
    """World pose of every link frame at q = 0, the base at the origin."""
    poses = [np.eye(4)]
    for link in asset.links[1:]:
        poses.append(poses[link.parent] @ matrix(link.joint.origin))
    return poses


def compare_file(file: str, search_path: SearchPath, *, client: int, flags: int = 0) -> list[str]:
    """Differences between the reader and PyBullet for one file; empty where there is none.

    Args:
        file: Absolute path of a URDF.
        search_path: Where the reader looks for meshes.
        client: PyBullet's physics client; its bodies are removed.
        flags: PyBullet's URDF flags, those that ``UrdfOptions`` has a counterpart of.
    """
    pybullet.resetSimulation(physicsClientId=client)
    pybullet.setPhysicsEngineParameter(enableFileCaching=0, physicsClientId=client)
    try:
        # Without that flag PyBullet reports a cylinder as a mesh of its own making.
        flags |= pybullet.URDF_USE_IMPLICIT_CYLINDER
        body = pybullet.loadURDF(file, flags=flags, physicsClientId=client)
    except pybullet.error:
        body = None
    try:
        asset = load_urdf(file, search_path=search_path, options=_options(flags))
    except AssetError as error:
        return [] if body is None else [f"PyBullet loads it, but: {error}"]
    if body is None:
        return ["PyBullet refuses it, the reader does not"]
    return list(compare_body(asset, body, client))


def _options(flags: int) -> UrdfOptions:
    return UrdfOptions(
        maintain_link_order=bool(flags & pybullet.URDF_MAINTAIN_LINK_ORDER),
        merge_fixed_links=bool(flags & pybullet.URDF_MERGE_FIXED_LINKS),
    )


def compare_body(asset: Asset, body: int, client: int) -> Iterator[str]:
    """Differences between an asset and a body loaded by PyBullet."""
    count = pybullet.getNumJoints(body, client)
    if count != len(asset.links) - 1:
        yield f"{len(asset.links) - 1} joints, PyBullet has {count}"
        return
    base_name, robot_name = pybullet.getBodyInfo(body, client)
    yield from _texts("robot name", asset.name, robot_name)
    yield from _texts("base name", asset.links[0].name, base_name)
    yield from _compare_dynamics(asset.links[0], body, -1, client)
    for index, link in enumerate(asset.links[1:]):
        yield from _compare_joint(asset, link, body, index, client)
        yield from _compare_dynamics(link, body, index, client)
    yield from _compare_world(asset, body, client)
    yield from _compare_visuals(asset, body, client)
    yield from _compare_collisions(asset, body, client)


def _compare_joint(asset: Asset, link: Link, body: int, index: int, client: int) -> Iterator[str]:
    info = pybullet.getJointInfo(body, index, client)
    joint, what = link.joint, f"joint {link.joint.name!r}"
    yield from _texts(f"{what} name", joint.name, info[1])
    yield from _texts(f"{what} link name", link.name, info[12])
    yield from _equal(f"{what} type", _PYBULLET_TYPE[joint.type], info[2])
    yield from _equal(f"{what} parent", link.parent - 1, info[16])
    values = (joint.damping, joint.friction, joint.lower, joint.upper)
    yield from _close(f"{what} dynamics, limits", values, info[6:10], ALGEBRA)
    values = (joint.effort, joint.velocity)
    yield from _close(f"{what} effort, velocity", values, info[10:12], ALGEBRA)
    # Everything PyBullet reports of a joint is relative to the inertial frames it connects.
    inertial = matrix(link.inertial.pose)
    parent_inertial = matrix(asset.links[link.parent].inertial.pose)
    if info[2] in _WITH_AXIS:
        axis = inertial[:3, :3].T @ np.array(joint.axis)
        yield from _close(f"{what} axis", axis, info[13], ALGEBRA)
    frame = np.linalg.inv(parent_inertial) @ matrix(joint.origin)
    if info[2] != pybullet.JOINT_PLANAR:  # PyBullet leaves the position of a planar joint 0
        yield from _close(f"{what} parent frame position", frame[:3, 3], info[14], ALGEBRA)
    rotation = (frame[:3, :3] @ inertial[:3, :3]).T  # PyBullet's goes from the parent to the link
    theirs = matrix_from_pybullet((0, 0, 0), info[15])[:3, :3]
    yield from _close(f"{what} parent frame rotation", rotation, theirs, ALGEBRA)


def _compare_dynamics(link: Link, body: int, index: int, client: int) -> Iterator[str]:
    info, what = pybullet.getDynamicsInfo(body, index, client), f"link {link.name!r}"
    yield from _close(f"{what} mass", link.inertial.mass, info[0], ALGEBRA)
    pose = matrix(link.inertial.pose)
    theirs = matrix_from_pybullet(info[3], info[4])
    yield from _close(f"{what} inertial frame", pose, theirs, ALGEBRA)
    contact = link.contact
    ours = (
        0.5 if contact.lateral_friction is None else contact.lateral_friction,
        contact.restitution or 0.0,
        contact.rolling_friction or 0.0,
        contact.spinning_friction or 0.0,
    )
    yield from _close(f"{what} friction, restitution", ours, (info[1], *info[5:8]), ALGEBRA)
    if contact.stiffness is not None:
        ours = (contact.damping, contact.stiffness)
        yield from _close(f"{what} contact damping, stiffness", ours, info[8:10], ALGEBRA)


def _compare_world(asset: Asset, body: int, client: int) -> Iterator[str]:
    poses = link_poses(asset)
    base = poses[0] @ matrix(asset.links[0].inertial.pose)
    theirs = matrix_from_pybullet(*pybullet.getBasePositionAndOrientation(body, client))
    yield from _close("base world pose", base, theirs, WORLD)
    for index, pose in enumerate(poses[1:]):
        state = pybullet.getLinkState(
            body, index, computeForwardKinematics=True, physicsClientId=client
        )
        what = f"link {asset.links[index + 1].name!r} world pose"
        yield from _close(what, pose, matrix_from_pybullet(state[4], state[5]), WORLD)


def _compare_visuals(asset: Asset, body: int, client: int) -> Iterator[str]:
    theirs: dict[int, list[Any]] = {}
    for row in pybullet.getVisualShapeData(body, physicsClientId=client):
        theirs.setdefault(row[1], []).append(row)
    for index, link in enumerate(asset.links):
        rows, what = theirs.get(index - 1, []), f"link {link.name!r} visuals"
        shapes = link.visuals or link.collisions  # PyBullet draws the latter in place of none
        if len(rows) != len(shapes):
            yield f"{what}: {len(shapes)}, PyBullet has {len(rows)}"
            continue
        for shape, row in zip(shapes, rows, strict=True):
            yield from _equal(f"{what} geometry", _GEOMETRY[shape.kind], row[2])
            pose = matrix_from_pybullet(row[5], row[6])
            if shape.kind is not ShapeKind.PLANE:
                yield from _close(f"{what} pose", matrix(shape.pose), pose, SINGLE)
            if shape.mesh is not None:
                yield from _equal(f"{what} mesh", shape.mesh.file, _real(row[4]))
                yield from _close(f"{what} mesh scale", shape.mesh.scale, row[3], SINGLE)
            if shape.rgba is not None:
                yield from _close(f"{what} colour", shape.rgba, row[7], SINGLE)


def _compare_collisions(asset: Asset, body: int, client: int) -> Iterator[str]:
    for index, link in enumerate(asset.links):
        rows = pybullet.getCollisionShapeData(body, index - 1, client)
        what = f"link {link.name!r} collisions"
        if len(rows) != len(link.collisions):
            yield f"{what}: {len(link.collisions)}, PyBullet has {len(rows)}"
            continue
        inverse = np.linalg.inv(matrix(link.inertial.pose))
        for shape, row in zip(link.collisions, rows, strict=True):
            yield from _equal(f"{what} geometry", _GEOMETRY[shape.kind], row[2])
            pose = matrix_from_pybullet(row[5], row[6])
            if shape.kind is not ShapeKind.PLANE:  # PyBullet reports neither size nor normal
                yield from _close(f"{what} size", _dimensions(shape), row[3], SINGLE)
                yield from _close(f"{what} pose", inverse @ matrix(shape.pose), pose, SINGLE)
            if shape.mesh is not None:
                yield from _equal(f"{what} mesh", shape.mesh.file, _real(row[4]))


def _dimensions(shape: Shape) -> tuple[float, ...]:
    """What getCollisionShapeData reports as the size of a shape."""
    if shape.mesh is not None:
        return shape.mesh.scale
    if shape.kind is ShapeKind.SPHERE:
        return shape.size * 3
    if shape.kind in (ShapeKind.CYLINDER, ShapeKind.CAPSULE):
        radius, length = shape.size
        return (length, radius, 0.0)
    return shape.size


def _real(name: bytes) -> str:
    return os.path.abspath(name.decode())


def _texts(what: str, ours: str, theirs: bytes) -> Iterator[str]:
    yield from _equal(what, ours, theirs.decode("utf-8", "replace"))


def _equal(what: str, ours: Any, theirs: Any) -> Iterator[str]:
    if ours != theirs:
        yield f"{what}: {ours!r}, PyBullet has {theirs!r}"


def _close(what: str, ours: Any, theirs: Any, tolerance: float) -> Iterator[str]:
    if not np.allclose(ours, theirs, rtol=tolerance, atol=tolerance):
        yield f"{what}: {np.array(ours).tolist()}, PyBullet has {np.array(theirs).tolist()}"


def main() -> int:
    """Checks the files below a directory and returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", default=pybullet_data.getDataPath(), help="directory to search")
    parser.add_argument("--match", default="", help="only files whose path contains this text")
    parser.add_argument(
        "--merge-fixed-links", action="store_true", help="check with URDF_MERGE_FIXED_LINKS"
    )
    arguments = parser.parse_args()
    logging.disable(logging.WARNING)
    files = [str(file) for file in sorted(Path(arguments.root).rglob("*.urdf"))]
    files = [file for file in files if arguments.match in file]
    flags = pybullet.URDF_MERGE_FIXED_LINKS if arguments.merge_fixed_links else 0
    search_path = SearchPath((arguments.root,))
    client = pybullet.connect(pybullet.DIRECT)
    start, different = time.perf_counter(), 0
    for file in files:
        problems = compare_file(file, search_path, client=client, flags=flags)
        different += bool(problems)
        for problem in problems[:10]:
            sys.stderr.write(f"{os.path.relpath(file, arguments.root)}: {problem}\n")
    pybullet.disconnect(client)
    seconds = time.perf_counter() - start
    sys.stderr.write(f"{len(files)} files, {different} differ, {seconds:.1f} s\n")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
