"""Parameters of the ground."""

from __future__ import annotations

from unibody.isaacgym.types.fields import UINT32, Float, Int, Nested, Struct
from unibody.isaacgym.types.poses import Transform
from unibody.isaacgym.types.vectors import Vec3


def _up() -> Vec3:
    return Vec3(0.0, 1.0, 0.0)


class PlaneParams(Struct):
    """A plane: the points whose product with ``normal`` is minus ``distance`` [m]."""

    __slots__ = ()
    normal: Nested[Vec3] = Nested(_up)
    distance: Float = Float(0.0)
    static_friction: Float = Float(1.0)
    dynamic_friction: Float = Float(1.0)
    restitution: Float = Float(0.0)
    segmentation_id: Int = Int(0)


class HeightFieldParams(Struct):
    """A grid of heights.

    Attributes:
        nbRows: Samples in the row dimension (x).
        nbColumns: Samples in the column dimension (y with z up).
        row_scale: Distance of samples in the row dimension [m].
        column_scale: Distance of samples in the column dimension [m].
        vertical_scale: Height of one unit of a sample [m].
        transform: Where the field is.
    """

    __slots__ = ()
    nbRows: Int = Int(0, UINT32)
    nbColumns: Int = Int(0, UINT32)
    row_scale: Float = Float(1.0)
    column_scale: Float = Float(1.0)
    vertical_scale: Float = Float(1.0)
    transform: Nested[Transform] = Nested(Transform)
    static_friction: Float = Float(1.0)
    dynamic_friction: Float = Float(1.0)
    restitution: Float = Float(0.0)
    segmentation_id: Int = Int(0)


class TriangleMeshParams(Struct):
    """A mesh of ``nb_triangles`` triangles with ``nb_vertices`` corners."""

    __slots__ = ()
    nb_vertices: Int = Int(0, UINT32)
    nb_triangles: Int = Int(0, UINT32)
    transform: Nested[Transform] = Nested(Transform)
    static_friction: Float = Float(1.0)
    dynamic_friction: Float = Float(1.0)
    restitution: Float = Float(0.0)
    segmentation_id: Int = Int(0)
