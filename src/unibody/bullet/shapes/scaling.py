"""unsupportedChangeScaling."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from operator import index

from unibody.bullet.arguments.vectors import vector
from unibody.bullet.clients.registry import get_client
from unibody.bullet.errors import error
from unibody.bullet.handles.body import Body
from unibody.bullet.shapes.collision_data import is_hull
from unibody.core.assets.description import Pose, Shape, ShapeKind, Vec3
from unibody.core.assets.transforms import pose_inverse, pose_multiply
from unibody.errors import AssetError, InvalidArgumentError, NotSupportedError

_NAME = "unsupportedChangeScaling"
_LENGTH = "scaling needs a 3 coordinates [x,y,z]."


def unsupportedChangeScaling(
    bodyUniqueId: int, scaling: Sequence[float], physicsClientId: int = 0
) -> None:
    """Scale the collision shapes of a base about its centre of mass, along their own axes.

    The factors are those to the shapes as they were made. Mass, inertia and what
    getVisualShapeData tells stay as they are, as in PyBullet. A body that is not there is ignored.

    Raises:
        error: ``scaling`` has not three numbers, or one is not positive: PyBullet's shapes lose
            their volume then.
        NotSupportedError: A height field, or a cylinder that would become elliptical.
    """
    client = get_client(physicsClientId)
    body = client.bodies.get(index(bodyUniqueId))
    factors = vector(scaling, 3, _LENGTH)
    if not min(factors) > 0.0:
        raise error(f"scaling={factors} is not allowed: expected positive numbers")
    if body is None:
        return
    state = body.record.links[0]
    unscaled = list(state.link.collisions) if body.unscaled is None else body.unscaled
    try:
        shapes = [_scaled(body, shape, factors, state.com) for shape in unscaled]
        client.scene.set_collisions(body.record.id, 0, shapes)
    except (AssetError, InvalidArgumentError) as problem:
        raise error(f"{_NAME} failed. {problem}") from problem
    body.unscaled = unscaled
    body.solids.pop(0, None)


def _scaled(body: Body, shape: Shape, factors: Vec3, com: Pose) -> Shape:
    at_com = pose_multiply(pose_inverse(com), shape.pose)
    moved = Pose(_times(at_com.pos, factors), at_com.quat)
    changed = dataclasses.replace(shape, pose=pose_multiply(com, moved))
    x, y, z = factors
    match shape.kind:
        case ShapeKind.BOX | ShapeKind.ELLIPSOID:
            changed.size = _times((shape.size[0], shape.size[1], shape.size[2]), factors)
        case ShapeKind.SPHERE:
            changed.size = (shape.size[0] * x,)
        case ShapeKind.CAPSULE:
            changed.size = (shape.size[0] * y, shape.size[1] * z)
        case ShapeKind.CYLINDER:
            if x != y and is_hull(body):
                raise NotSupportedError(f"{_NAME} to an elliptical cylinder", "use equal x and y")
            changed.size = (shape.size[0] * x, shape.size[1] * z)
        case ShapeKind.MESH if shape.mesh is not None:
            scale = _times(shape.mesh.scale, factors)
            changed.mesh = dataclasses.replace(shape.mesh, scale=scale)
        case ShapeKind.HEIGHTFIELD:
            raise NotSupportedError(f"{_NAME} of a height field", "make it in another size")
        case _:
            pass  # a plane is the same in every scale
    return changed


def _times(a: Vec3, b: Vec3) -> Vec3:
    return (a[0] * b[0], a[1] * b[1], a[2] * b[2])
