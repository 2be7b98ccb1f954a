"""createCollisionShape, createVisualShape and createMultiBody."""

from __future__ import annotations

import dataclasses
import itertools
import os
from collections.abc import Sequence
from math import hypot
from operator import index as as_index
from operator import is_
from typing import Any

import numpy as np

from unibody.bullet import constants as c
from unibody.bullet.arguments.finite import MOST, finite
from unibody.bullet.arguments.optional import optional_vector
from unibody.bullet.arguments.vectors import vector
from unibody.bullet.bodies.loading import add_asset
from unibody.bullet.clients.client import Client
from unibody.bullet.clients.registry import clients, get_client
from unibody.bullet.convert import signed_xyzw, wxyz
from unibody.bullet.errors import error
from unibody.bullet.geometry.inertia import created_inertia, widen
from unibody.bullet.geometry.plain_shapes import plain_shape
from unibody.bullet.shapes.heightfields import make_heightfield, read_grid, replace_heights
from unibody.bullet.state.shapes import ShapeGroup
from unibody.core.assets.description import (
    Asset,
    Inertial,
    Joint,
    JointType,
    Link,
    MeshSource,
    Pose,
    Shape,
    ShapeKind,
    Vec3,
)
from unibody.core.assets.paths import SearchPath
from unibody.core.assets.transforms import pose_multiply, quat_between
from unibody.errors import AssetError, InvalidArgumentError
from unibody.notices import tell

_UNIT = (1.0, 1.0, 1.0)
_ZERO = (0.0, 0.0, 0.0)
_NO_TURN = (0.0, 0.0, 0.0, 1.0)
_UP = (0.0, 0.0, 1.0)
_BOX = c.GEOM_BOX
_BASE_NAME = "link0"  # what PyBullet calls the base of a made body
_NO_BODY = "createMultiBody failed."
_LIMITS = (1.0, -1.0)  # what getJointInfo tells of the joints of a made body: no limits


def createCollisionShape(
    shapeType: int,
    radius: float = 0.5,
    halfExtents: Sequence[float] | None = None,
    height: float = 1.0,
    fileName: str = "",
    meshScale: Sequence[float] = _UNIT,
    planeNormal: Sequence[float] = _UP,
    flags: int = 0,
    collisionFramePosition: Sequence[float] = _ZERO,
    collisionFrameOrientation: Sequence[float] = _NO_TURN,
    vertices: Sequence[Sequence[float]] | None = None,
    indices: Sequence[int] | None = None,
    heightfieldTextureScaling: float = 1.0,
    heightfieldData: Sequence[float] | None = None,
    numHeightfieldRows: int = 0,
    numHeightfieldColumns: int = 0,
    replaceHeightfieldIndex: int = -1,
    physicsClientId: int = 0,
) -> int:
    """Make a collision shape for createMultiBody and return its id.

    Args:
        shapeType: ``GEOM_SPHERE``, ``GEOM_BOX``, ``GEOM_CAPSULE``, ``GEOM_CYLINDER``,
            ``GEOM_PLANE``, ``GEOM_MESH`` or ``GEOM_HEIGHTFIELD``.
        radius: Of spheres, capsules, cylinders [m].
        halfExtents: Of boxes [m].
        height: Of capsules (without the caps) and cylinders [m].
        fileName: Of meshes and height fields.
        meshScale: Of meshes; of a height field the spacing in x, in y, and the factor on heights.
        planeNormal: Of planes.
        flags: ``GEOM_FORCE_CONCAVE_TRIMESH`` keeps the triangles of a mesh that never moves.
        collisionFramePosition: Of the shape in the link [m].
        collisionFrameOrientation: (x, y, z, w).
        vertices: Of a mesh in memory.
        indices: Of its triangles; without them the mesh is the vertices' convex hull.
        heightfieldTextureScaling: Of the texture; collision does not depend on it.
        heightfieldData: Heights, all along x at the least y first.
        numHeightfieldRows: How many heights there are along x.
        numHeightfieldColumns: How many there are along y.
        replaceHeightfieldIndex: Id of a height field whose heights are replaced.
        physicsClientId: The client.

    Raises:
        error: Not connected, an unknown type, a mesh that cannot be read, or no height field of
            this size to replace.
    """
    client, call = get_client(physicsClientId), "createCollisionShape"
    frame = None
    if collisionFramePosition is not _ZERO or collisionFrameOrientation is not _NO_TURN:
        turn = optional_vector(
            client, call, "collisionFrameOrientation", collisionFrameOrientation, 4
        )
        frame = Pose(
            optional_vector(client, call, "collisionFramePosition", collisionFramePosition, 3)
            or _ZERO,
            wxyz(turn or _NO_TURN),
        )
    try:
        if shapeType == c.GEOM_HEIGHTFIELD:
            grid = read_grid(
                client, fileName, heightfieldData, numHeightfieldRows, numHeightfieldColumns
            )
            if replaceHeightfieldIndex >= 0:
                return replace_heights(client, replaceHeightfieldIndex, grid)
            shape, terrain = make_heightfield(grid, meshScale)
        else:
            terrain = None
            shape = make_shape(
                client, shapeType, radius, halfExtents, height, fileName, meshScale, planeNormal,
                vertices, indices, "createCollisionShape failed.",
            )  # fmt: skip
        shape.concave = shape.kind is ShapeKind.MESH and (
            bool(flags & c.GEOM_FORCE_CONCAVE_TRIMESH)
            or (_has_some(vertices) and _has_some(indices))
        )
        check_mesh(shape)
    except (AssetError, InvalidArgumentError) as problem:
        raise error(f"createCollisionShape failed. {problem}") from problem
    if frame is not None:
        shape.pose = pose_multiply(frame, shape.pose)
    shape_id = client.shape_ids.take()
    client.collision_shapes[shape_id] = ShapeGroup([shape], terrain=terrain)
    return shape_id


def check_mesh(shape: Shape) -> None:
    """Read the mesh now: what cannot be read is refused here and not at the next step."""
    widen(shape, implicit_cylinder=True)
    if shape.mesh is not None:
        from unibody.core.assets.mesh.load import convex_hull, load_mesh

        for part in load_mesh(shape.mesh):
            if not shape.concave:
                convex_hull(part)


def make_shape(
    client: Client,
    kind: int,
    radius: float,
    half_extents: Sequence[float] | None,
    height: float,
    file: str,
    scale: Sequence[float],
    normal: Sequence[float],
    vertices: Sequence[Sequence[float]] | None,
    indices: Sequence[int] | None,
    message: str,
) -> Shape:
    """One shape from createCollisionShape's or createVisualShape's arguments."""
    kind = as_index(kind)
    if kind == _BOX:
        if half_extents is None:
            raise error(f"{message} A box needs halfExtents.")
        return plain_shape(kind, 0.0, vector(half_extents, 3, message), 0.0)
    if kind in (c.GEOM_SPHERE, c.GEOM_CAPSULE, c.GEOM_CYLINDER) and not radius > 0.0:
        raise InvalidArgumentError("radius", radius, "a positive number [m]")
    if kind in (c.GEOM_CAPSULE, c.GEOM_CYLINDER) and not height >= 0.0:
        raise InvalidArgumentError("height or length", height, "a number [m] that is not negative")
    if kind in (c.GEOM_SPHERE, c.GEOM_CAPSULE, c.GEOM_CYLINDER):
        return plain_shape(kind, float(radius), None, float(height))
    if kind == c.GEOM_PLANE:
        up = vector(normal, 3, message)
        if up == _ZERO:
            raise InvalidArgumentError("planeNormal", normal, "a vector that is not zero")
        return Shape(ShapeKind.PLANE, pose=Pose(_ZERO, quat_between(_UP, up)))
    if kind == c.GEOM_MESH:
        return Shape(ShapeKind.MESH, mesh=_mesh(client, file, scale, vertices, indices, message))
    raise error(message)


def _has_some(numbers: Sequence[Any] | None) -> bool:
    return numbers is not None and len(numbers) > 0


def _points(vertices: Sequence[Sequence[float]], message: str) -> tuple[Vec3, ...]:
    """Vertices as tuples of floats; those in lists of numbers or one array, all at once."""
    if isinstance(vertices, np.ndarray) and vertices.ndim == 2:
        vertices = vertices.tolist()
    if {list, tuple}.issuperset(map(type, vertices)) and set(map(len, vertices)) == {3}:
        numbers = [*itertools.chain.from_iterable(vertices)]
        if {float, int}.issuperset(map(type, numbers)):
            every = map(float, numbers)
            return tuple(zip(every, every, every, strict=True))
    return tuple(vector(vertex, 3, message) for vertex in vertices)


def _mesh(
    client: Client,
    file: str,
    scale: Sequence[float],
    vertices: Sequence[Sequence[float]] | None,
    indices: Sequence[int] | None,
    message: str,
) -> MeshSource:
    factors = vector(scale, 3, message)
    if vertices is not None and len(vertices):
        points = _points(vertices, message)
        flat = [*map(int, indices)] if indices is not None else []
        if len(flat) % 3 or (flat and not 0 <= min(flat) <= max(flat) < len(points)):
            raise InvalidArgumentError(
                "indices", f"{len(flat)} numbers", f"triples of 0..{len(points) - 1}"
            )
        faces = tuple(zip(flat[0::3], flat[1::3], flat[2::3], strict=True))
        return MeshSource(scale=factors, vertices=points, faces=faces)
    if not file:
        raise error(f"{message} A mesh needs fileName or vertices.")
    found = SearchPath(client.search_path, confined=False).locate(file)
    if found is None:
        raise AssetError(file, "", "no such mesh file")
    return MeshSource(file=found, name=os.fspath(file), scale=factors)


def createVisualShape(
    shapeType: int,
    radius: float = 0.5,
    halfExtents: Sequence[float] | None = None,
    length: float = 1.0,
    fileName: str = "",
    meshScale: Sequence[float] = _UNIT,
    planeNormal: Sequence[float] = _UP,
    flags: int = 0,
    rgbaColor: Sequence[float] | None = None,
    specularColor: Sequence[float] | None = None,
    visualFramePosition: Sequence[float] = _ZERO,
    visualFrameOrientation: Sequence[float] = _NO_TURN,
    vertices: Sequence[Sequence[float]] | None = None,
    indices: Sequence[int] | None = None,
    normals: Sequence[Sequence[float]] | None = None,
    uvs: Sequence[Sequence[float]] | None = None,
    physicsClientId: int = 0,
) -> int:
    """Make a visual shape for createMultiBody and return its id; see createCollisionShape.

    ``flags``, ``normals`` and ``uvs`` concern drawing alone. Normals and texture coordinates count
    for a mesh made of ``vertices``, one for each; else they are passed over, as in PyBullet.

    A mesh file that is missing, or no mesh, is said and gives a shape of which nothing is drawn,
    as in PyBullet.

    Raises:
        error: Not connected, an unknown type, or a value that is not allowed.
    """
    try:
        client = clients[physicsClientId]
    except (KeyError, TypeError):
        client = get_client(physicsClientId)
    call, message = "createVisualShape", "createVisualShape failed."
    try:
        shape = make_shape(
            client, shapeType, radius, halfExtents, length, fileName, meshScale, planeNormal,
            vertices, indices, message,
        )  # fmt: skip
        if shape.mesh is not None:
            _dress(shape, normals, uvs, message)
    except AssetError as problem:
        tell(f"createVisualShape: nothing is drawn of this shape: {problem}")
        shape = Shape(ShapeKind.MESH, mesh=MeshSource(vertices=(_ZERO,) * 3, faces=((0, 1, 2),)))
    except InvalidArgumentError as problem:
        raise error(f"{message} {problem}") from problem
    if visualFramePosition is not _ZERO or visualFrameOrientation is not _NO_TURN:
        place = (
            optional_vector(client, call, "visualFramePosition", visualFramePosition, 3) or _ZERO
        )
        turn = optional_vector(client, call, "visualFrameOrientation", visualFrameOrientation, 4)
        shape.pose = pose_multiply(Pose(place, wxyz(turn or _NO_TURN)), shape.pose)
    if rgbaColor is not None:
        shape.rgba = optional_vector(client, call, "rgbaColor", rgbaColor, 4)
    if specularColor is not None:
        shape.specular = optional_vector(client, call, "specularColor", specularColor, 3)
    shape_id = client.visual_ids.take()
    client.visual_shapes[shape_id] = ShapeGroup([shape])
    return shape_id


def _dress(
    shape: Shape,
    normals: Sequence[Sequence[float]] | None,
    uvs: Sequence[Sequence[float]] | None,
    message: str,
) -> None:
    """Give a mesh of vertices its normals and texture coordinates; look at the name of a file.

    Raises:
        AssetError: It is none of a mesh.
    """
    if shape.mesh is None:
        return
    if shape.mesh.file:
        from unibody.core.assets.mesh.load import mesh_suffix

        mesh_suffix(shape.mesh.file)
        return
    count = len(shape.mesh.vertices)
    fitting: dict[str, tuple[tuple[float, ...], ...]] = {}
    for name, size, values in (("normals", 3, normals), ("uvs", 2, uvs)):
        if values is not None and len(values) == count:
            fitting[name] = tuple(vector(value, size, message) for value in values)
    shape.mesh = dataclasses.replace(shape.mesh, **fitting)


_JOINTS = {
    c.JOINT_REVOLUTE: JointType.REVOLUTE,
    c.JOINT_PRISMATIC: JointType.PRISMATIC,
    c.JOINT_SPHERICAL: JointType.SPHERICAL,
    c.JOINT_PLANAR: JointType.PLANAR,
    c.JOINT_FIXED: JointType.FIXED,
}


def createMultiBody(
    baseMass: float = 0.0,
    baseCollisionShapeIndex: int = -1,
    baseVisualShapeIndex: int = -1,
    basePosition: Sequence[float] = _ZERO,
    baseOrientation: Sequence[float] = _NO_TURN,
    baseInertialFramePosition: Sequence[float] = _ZERO,
    baseInertialFrameOrientation: Sequence[float] = _NO_TURN,
    linkMasses: Sequence[float] = (),
    linkCollisionShapeIndices: Sequence[int] = (),
    linkVisualShapeIndices: Sequence[int] = (),
    linkPositions: Sequence[Sequence[float]] = (),
    linkOrientations: Sequence[Sequence[float]] = (),
    linkInertialFramePositions: Sequence[Sequence[float]] = (),
    linkInertialFrameOrientations: Sequence[Sequence[float]] = (),
    linkParentIndices: Sequence[int] = (),
    linkJointTypes: Sequence[int] = (),
    linkJointAxis: Sequence[Sequence[float]] = (),
    useMaximalCoordinates: int = 0,
    flags: int = 0,
    batchPositions: Sequence[Sequence[float]] | None = None,
    physicsClientId: int = 0,
) -> Any:
    """Make a body from shapes and return its id.

    Args:
        baseMass: [kg]; 0 makes a body that never moves.
        baseCollisionShapeIndex: From createCollisionShape; -1: none.
        baseVisualShapeIndex: From createVisualShape; -1: none.
        basePosition: Of the base's link frame in the world [m].
        baseOrientation: (x, y, z, w).
        baseInertialFramePosition: Of the inertial frame in the base link [m].
        baseInertialFrameOrientation: (x, y, z, w).
        linkMasses: One for each link, as all link lists [kg].
        linkCollisionShapeIndices: From createCollisionShape.
        linkVisualShapeIndices: From createVisualShape.
        linkPositions: Of each link in its parent link [m].
        linkOrientations: (x, y, z, w).
        linkInertialFramePositions: [m].
        linkInertialFrameOrientations: (x, y, z, w).
        linkParentIndices: 0 is the base, ``i`` is link ``i - 1``.
        linkJointTypes: ``JOINT_*``.
        linkJointAxis: In the link's frame.
        useMaximalCoordinates: 1 makes a body without damping, and one without joints without a
            limit of its speed, as PyBullet's are then; joints stay joints.
        flags: ``URDF_*`` flags that concern collision.
        batchPositions: Makes one such body at each position; the ids come as a tuple.
        physicsClientId: The client.

    Raises:
        error: Lists of different lengths, or a value that is not allowed; nothing is made then.
    """
    client = get_client(physicsClientId)
    lists = (
        linkMasses, linkCollisionShapeIndices, linkVisualShapeIndices, linkPositions,
        linkOrientations, linkInertialFramePositions, linkInertialFrameOrientations,
        linkParentIndices, linkJointTypes, linkJointAxis,
    )  # fmt: skip
    try:
        same_size = len(set(map(len, lists))) == 1
    except TypeError:  # one has no length
        same_size = False
    if not same_size:
        raise error("All link arrays need to be same size.")
    call = "createMultiBody"
    base = (
        baseMass, baseCollisionShapeIndex, baseVisualShapeIndex,
        optional_vector(client, call, "baseInertialFramePosition", baseInertialFramePosition, 3)
        or _ZERO,
        optional_vector(
            client, call, "baseInertialFrameOrientation", baseInertialFrameOrientation, 4
        )
        or _NO_TURN,
    )  # fmt: skip
    asset = _linked_body(client, base, lists) if len(linkMasses) else _single_body(client, *base)
    pos = optional_vector(client, call, "basePosition", basePosition, 3) or _ZERO
    turn = optional_vector(client, call, "baseOrientation", baseOrientation, 4) or _NO_TURN
    if not hypot(*pos, *turn) <= MOST:
        finite("basePosition", *pos)
        finite("baseOrientation", *turn)
    pose = Pose(pos, wxyz(turn))
    places = [pose]
    if batchPositions is not None and len(batchPositions):
        places = [Pose(vector(place, 3, _NO_BODY), pose.quat) for place in batchPositions]
        for place in places:
            finite("batchPositions", *place.pos)
    made = _add_at_all(client, asset, places, max(flags, 0), maximal=bool(useMaximalCoordinates))
    return made[0] if batchPositions is None else tuple(made)


def _add_at_all(
    client: Client, asset: Asset, places: Sequence[Pose], flags: int, *, maximal: bool
) -> list[int]:
    """Add a body at each place, or none if that fails; their ids."""
    made: list[int] = []
    fixed = asset.links[0].inertial.mass == 0.0
    try:
        for place in places:
            body = add_asset(client, asset, place, fixed=fixed, flags=flags, maximal=maximal)
            made.append(body.id)
    except (AssetError, InvalidArgumentError) as problem:
        for body_id in reversed(made):
            client.remove_body(body_id)
        raise error(f"{_NO_BODY} {problem}") from problem
    return made


def _linked_body(client: Client, base: tuple[Any, ...], lists: tuple[Sequence[Any], ...]) -> Asset:
    """A body with links: the numbers of its base, and a list of each of those of its links."""
    mass, collision, visual, position, orientation = base
    joint = Joint(type=JointType.FLOATING)
    links = [_link(client, _BASE_NAME, -1, mass, collision, visual, position, orientation, joint)]
    for index, values in enumerate(zip(*lists, strict=True)):
        links.append(_created_link(client, index, *values))
    return _depth_first(Asset("", links))


def _single_body(
    client: Client, mass: float, collision: int, visual: int, position: Any, orientation: Any
) -> Asset:
    """A body without links: the one made last with this shape, where the numbers are the same."""
    shape = client.collision_shapes.get(int(collision))
    base = _link(
        client, _BASE_NAME, -1, mass, collision, visual, position, orientation,
        Joint(type=JointType.FLOATING), like=shape.made.links[0] if shape and shape.made else None,
    )  # fmt: skip
    if shape is None:
        return Asset("", [base])
    if shape.made is None or shape.made.links[0] is not base:
        shape.made = Asset("", [base])
    return shape.made


def _created_link(
    client: Client, index: int, mass: float, collision: int, visual: int, position: Any,
    orientation: Any, inertial_position: Any, inertial_orientation: Any, parent: int,
    joint_type: int, axis: Any,
) -> Link:  # fmt: skip
    if joint_type not in _JOINTS:
        raise error(f"{_NO_BODY} linkJointTypes[{index}]={joint_type!r} is not a JOINT_ type")
    if not 0 <= parent <= index:
        raise error(f"{_NO_BODY} linkParentIndices[{index}]={parent!r} has to be from 0 to {index}")
    unit, length = _direction(vector(axis, 3, _NO_BODY))
    joint = Joint(
        name=f"joint{index + 1}",
        type=_JOINTS[joint_type],
        origin=Pose(vector(position, 3, _NO_BODY), wxyz(vector(orientation, 4, _NO_BODY))),
        axis=unit,
        axis_length=length,
        lower=_LIMITS[0],
        upper=_LIMITS[1],
    )
    return _link(
        client, f"link{index + 1}", int(parent), mass, collision, visual, inertial_position,
        inertial_orientation, joint,
    )  # fmt: skip


def _direction(axis: Vec3) -> tuple[Vec3, float]:
    """An axis as a unit vector and its length; z where it has none."""
    length = (axis[0] ** 2 + axis[1] ** 2 + axis[2] ** 2) ** 0.5
    if length == 0.0:
        return _UP, 1.0
    return (axis[0] / length, axis[1] / length, axis[2] / length), length


def _link(
    client: Client, name: str, parent: int, mass: float, collision: int, visual: int,
    inertial_position: Any, inertial_orientation: Any, joint: Joint, *, like: Link | None = None,
) -> Link:  # fmt: skip
    turn = wxyz(vector(inertial_orientation, 4, _NO_BODY))
    if turn[0] < 1.0:  # Bullet keeps it as a matrix
        x, y, z, w = signed_xyzw(turn)
        turn = (w, x, y, z)
    frame = Pose(vector(inertial_position, 3, _NO_BODY), turn)
    shapes = client.collision_shapes.get(int(collision))
    visuals = client.visual_shapes.get(int(visual))
    collisions: list[Shape] = []
    if shapes is not None:
        shapes.used, collisions = True, list(shapes.shapes)
    looks = list(visuals.shapes) if visuals else []
    if (
        like is not None
        and (like.inertial.mass, like.inertial.pose) == (mass, frame)
        and _same_objects(like.collisions, collisions)
        and _same_objects(like.visuals, looks)
    ):
        return like
    moments = created_inertia(float(mass), collisions, frame)
    return Link(
        name=name,
        parent=parent,
        joint=joint,
        inertial=Inertial(float(mass), frame, (*moments, 0.0, 0.0, 0.0)),
        visuals=looks,
        collisions=collisions,
    )


def _same_objects(some: list[Shape], others: list[Shape]) -> bool:
    return len(some) == len(others) and all(map(is_, some, others))


def _depth_first(asset: Asset) -> Asset:
    """PyBullet numbers created links depth first too."""
    children: dict[int, list[int]] = {}
    for index, link in enumerate(asset.links[1:], start=1):
        children.setdefault(link.parent, []).append(index)
    order: list[int] = []
    stack = [0]
    while stack:
        index = stack.pop()
        order.append(index)
        stack.extend(reversed(children.get(index, [])))
    place = {old: new for new, old in enumerate(order)}
    links = [asset.links[old] for old in order]
    for link in links[1:]:
        link.parent = place[link.parent]
    return Asset(asset.name, links)


def removeCollisionShape(collisionShapeId: int, physicsClientId: int = 0) -> None:
    """Forget a collision shape.

    As in PyBullet one that a body has stays, an unknown one is passed over, and the id of one that
    a body had is not used again.

    Raises:
        error: Not connected.
    """
    client = get_client(physicsClientId)
    number = as_index(collisionShapeId)
    group = client.collision_shapes.get(number)
    if group is None or (group.used and _has_body(client, group)):
        return
    del client.collision_shapes[number]
    if not group.used:
        client.shape_ids.give_back(number)


def _has_body(client: Client, group: ShapeGroup) -> bool:
    """Whether there is a body made with a shape."""
    first = group.shapes[0]
    links = (link for body in client.bodies.values() for link in body.asset.links)
    return any(shape is first for link in links for shape in link.collisions)
