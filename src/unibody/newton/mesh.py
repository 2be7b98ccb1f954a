"""Triangle meshes of scripts."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import warp as wp

from unibody.core.assets.description import MeshSource
from unibody.core.assets.mesh.load import load_mesh
from unibody.errors import AssetError, InvalidArgumentError, NotSupportedError
from unibody.newton import inertia as mass_properties
from unibody.newton import mesh_shapes, terrains
from unibody.newton.builder.looks import check_shape
from unibody.newton.enums import Axis


class Mesh:
    """A triangle mesh, with mass properties for a density of 1 kg/m^3.

    Args:
        vertices: Shape (n, 3) [m].
        indices: Three a triangle, flat or in rows.
        normals: One a vertex, for drawing.
        uvs: One a vertex, for drawing.
        compute_inertia: Whether to work out mass, centre and inertia.
        is_solid: Whether it is filled.
        maxhullvert: Most vertices of its convex hull; None: 64.
        color: For drawing.
        roughness: For drawing.
        metallic: For drawing.
        texture: For drawing.
        sdf: Signed distances to it.
        opacity: For drawing, from 0 to 1.
        enable_surface_velocity: Whether contacts heed the velocities of the Warp mesh that
            `finalize` makes, ``mesh.mesh.velocities``: its surface moves as a belt does.
    """

    MAX_HULL_VERTICES = 64

    def __init__(
        self,
        vertices: Any,
        indices: Any,
        normals: Any = None,
        uvs: Any = None,
        compute_inertia: bool = True,
        is_solid: bool = True,
        maxhullvert: int | None = None,
        color: Any = None,
        roughness: float | None = None,
        metallic: float | None = None,
        texture: Any = None,
        *,
        sdf: Any = None,
        opacity: float | None = None,
        enable_surface_velocity: bool = False,
    ) -> None:
        self.vertices = vertices
        self.indices = indices
        self.normals = None if normals is None else np.array(normals, np.float32).reshape(-1, 3)
        self.uvs = None if uvs is None else np.array(uvs, np.float32).reshape(-1, 2)
        check_shape(None, opacity)
        self.color = color
        self.opacity = opacity
        self.enable_surface_velocity = enable_surface_velocity
        self.roughness = roughness
        self.metallic = metallic
        self.texture = texture
        self.sdf = sdf
        self.is_solid = is_solid
        self.has_inertia = compute_inertia
        self.maxhullvert: int = self.MAX_HULL_VERTICES if maxhullvert is None else maxhullvert
        self.mesh: wp.Mesh | None = None
        self.mass: float = 1.0
        self.com: wp.vec3 = wp.vec3()
        self.inertia: wp.mat33 = wp.mat33(*np.eye(3).reshape(-1))
        if compute_inertia:
            self._work_out_inertia()

    def _work_out_inertia(self) -> None:
        found = mass_properties.mesh(1.0, self._vertices, self._indices, solid=self.is_solid)
        self.mass: float = float(found.mass)
        self.com = wp.vec3(*found.com.tolist())
        self.inertia = wp.mat33(*found.inertia.reshape(-1).tolist())

    @staticmethod
    def create_from_file(filename: Any, method: str | None = None, **kwargs: Any) -> Mesh:
        """Read a surface from a file (.obj, .stl, .dae, .ply, .gltf, .glb), its groups as one.

        Args:
            filename: Path of the file.
            method: The library that reads it, which is always this one: None.
            kwargs: Arguments of `Mesh`.

        Raises:
            FileNotFoundError: There is no such file.
            AssetError: It cannot be read.
            NotSupportedError: A method is named.
        """
        if method is not None:
            raise NotSupportedError(f"Mesh.create_from_file(method={method!r})", "method=None")
        if not os.path.exists(filename):
            raise FileNotFoundError(f"a mesh: there is no file {filename}")
        parts = load_mesh(MeshSource(file=os.path.abspath(filename), name=os.fspath(filename)))
        starts = np.cumsum([0, *(len(part.vertices) for part in parts)])
        vertices = [np.asarray(part.vertices).reshape(-1, 3) for part in parts]
        faces = [np.asarray(p.faces) + start for p, start in zip(parts, starts, strict=False)]
        if not parts:
            raise AssetError(filename, "", "has no faces")
        return Mesh(np.concatenate(vertices), np.concatenate(faces).reshape(-1), **kwargs)

    @staticmethod
    def create_from_usd(source: Any = None, *, prim: Any = None, **kwargs: Any) -> Mesh:
        """Read a prim of USD. See `newton.usd.get_mesh`, whose arguments it takes."""
        from unibody.newton import usd

        return usd.get_mesh(prim if source is None else source, **kwargs)

    @staticmethod
    def create_heightfield(
        heightfield: Any,
        extent_x: float,
        extent_y: float,
        center_x: float = 0.0,
        center_y: float = 0.0,
        ground_z: float = 0.0,
        *,
        compute_inertia: bool = True,
    ) -> Mesh:
        """A closed mesh below heights over a grid.

        Args:
            heightfield: Heights [m], shape (n, m): the first axis is x.
            extent_x: Size along x [m].
            extent_y: Size along y [m].
            center_x: Where the middle is [m].
            center_y: Where the middle is [m].
            ground_z: Height of the bottom [m].
            compute_inertia: Whether to work out mass, centre and inertia.

        Raises:
            InvalidArgumentError: The heights are no grid, or a size is not positive.
        """
        found = terrains.of_heights(
            heightfield, (extent_x, extent_y), (center_x, center_y), ground_z
        )
        return Mesh(*found, compute_inertia=compute_inertia)

    @staticmethod
    def create_terrain(
        grid_size: tuple[int, int] = (4, 4),
        block_size: tuple[float, float] = (5.0, 5.0),
        terrain_types: Any = None,
        terrain_params: dict[str, Any] | None = None,
        seed: int | None = None,
        *,
        compute_inertia: bool = True,
    ) -> Mesh:
        """Blocks of terrain in a grid.

        Args:
            grid_size: Rows and columns.
            block_size: Of a block, along x and y [m].
            terrain_types: A kind, or several by turns: "flat", "pyramid_stairs", "random_grid",
                "wave", "box", "gap", "heightfield", or functions of a size that return vertices and
                indices; None: four of them.
            terrain_params: Kind -> arguments of it.
            seed: Of what is random.
            compute_inertia: Whether to work out mass, centre and inertia.

        Raises:
            InvalidArgumentError: A kind is not known.
        """
        found = terrains.grid(grid_size, block_size, terrain_types, terrain_params, seed)
        return Mesh(*found, compute_inertia=compute_inertia)

    @property
    def vertices(self) -> np.ndarray:
        """Shape (n, 3), float32."""
        return self._vertices

    @vertices.setter
    def vertices(self, value: Any) -> None:
        array = np.array(value, dtype=np.float32).reshape(-1, 3)
        if not np.isfinite(array).all():
            bad = int(np.flatnonzero(~np.isfinite(array).all(axis=1))[0])
            raise InvalidArgumentError(f"vertices[{bad}]", array[bad].tolist(), "finite numbers")
        if hasattr(self, "_indices"):
            check_corners(self._indices, len(array))
        self._vertices = array
        self._hash: int | None = None

    @property
    def indices(self) -> np.ndarray:
        """Three a triangle, flat, int32."""
        return self._indices

    @indices.setter
    def indices(self, value: Any) -> None:
        given = np.array(value).reshape(-1)
        array = given.astype(np.int32)
        changed = np.flatnonzero(array != given)
        if len(changed):
            bad = given[changed[0]].item()
            raise InvalidArgumentError("indices", bad, "integer indices of 32 bits")
        if array.size % 3:
            allowed = "three a triangle, a multiple of 3"
            raise InvalidArgumentError("indices", f"{array.size} numbers", allowed)
        check_corners(array, len(self._vertices))
        self._indices = array
        self._hash = None

    def invalidate_cache(self) -> None:
        """Forget what is kept of vertices and indices, after they were written in place."""
        self._hash = None

    def copy(
        self, vertices: Any = None, indices: Any = None, recompute_inertia: bool = False
    ) -> Mesh:
        """Another mesh with the same properties, and other geometry where it is given."""
        other = Mesh(
            self._vertices if vertices is None else vertices,
            self._indices if indices is None else indices,
            self.normals,
            self.uvs,
            compute_inertia=recompute_inertia,
            is_solid=self.is_solid,
            maxhullvert=self.maxhullvert,
            color=self.color,
            roughness=self.roughness,
            metallic=self.metallic,
            texture=self.texture,
            sdf=self.sdf,
            opacity=self.opacity,
            enable_surface_velocity=self.enable_surface_velocity,
        )
        if not recompute_inertia:
            other.mass, other.com, other.inertia = self.mass, self.com, self.inertia
            other.has_inertia = self.has_inertia
        return other

    def compute_convex_hull(self, replace: bool = False) -> Mesh:
        """The convex hull, of `maxhullvert` vertices at most.

        Args:
            replace: Whether this mesh becomes its hull.
        """
        points, triangles = mesh_shapes.convex_hull(self._vertices, self.maxhullvert)
        if not replace:
            return self.copy(points, triangles)
        self._indices = np.zeros(0, np.int32)  # those of before refer to other vertices
        self.vertices, self.indices = points, triangles
        self.normals = self.uvs = None
        return self

    def finalize(self, device: Any = None, requires_grad: bool = False) -> int:
        """Put the mesh on a device.

        Returns:
            The number that Warp's kernels know it by.
        """
        check_corners(self._indices, len(self._vertices))  # they may be written in place
        with wp.ScopedDevice(device):
            points = wp.array(self._vertices, dtype=wp.vec3, requires_grad=requires_grad)
            mesh = wp.Mesh(
                points=points,
                velocities=wp.zeros_like(points),
                indices=wp.array(self._indices, dtype=wp.int32),
            )
        self.mesh = mesh
        return int(mesh.id)

    def build_sdf(self, **settings: Any) -> None:
        """Refuse a grid of signed distances: contacts are found from the surface itself.

        Args:
            settings: Of the grid.

        Raises:
            NotSupportedError: Always.
        """
        raise NotSupportedError(
            f"Mesh.build_sdf({', '.join(settings)})",
            "meshes touch with their surface where no build_sdf is called",
        )

    def clear_sdf(self) -> None:
        """Forget the distances that came with the mesh."""
        self.sdf = None

    def __hash__(self) -> int:
        if self._hash is None:
            content = (self._vertices.tobytes(), self._indices.tobytes(), self.is_solid)
            self._hash = hash(content)
        return self._hash

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Mesh):
            return NotImplemented
        return (
            self.is_solid == other.is_solid
            and np.array_equal(self._vertices, other._vertices)
            and np.array_equal(self._indices, other._indices)
        )

    @staticmethod
    def create_box(
        hx: float,
        hy: float | None = None,
        hz: float | None = None,
        *,
        duplicate_vertices: bool = True,
        compute_normals: bool = True,
        compute_uvs: bool = True,
        compute_inertia: bool = True,
    ) -> Mesh:
        """A box by its half extents; each face has corners of its own unless they are shared."""
        points, triangles, normals, uvs = mesh_shapes.box(
            hx, hx if hy is None else hy, hx if hz is None else hz, duplicate_vertices
        )
        return _drawn(
            points, triangles, normals, uvs, compute_normals, compute_uvs, compute_inertia
        )

    @staticmethod
    def create_plane(
        width: float,
        length: float,
        *,
        compute_normals: bool = True,
        compute_uvs: bool = True,
        compute_inertia: bool = True,
    ) -> Mesh:
        """A rectangle in the x-y plane, of width along x and length along y."""
        made = mesh_shapes.rectangle(width, length)
        return _drawn(*made, compute_normals, compute_uvs, compute_inertia)

    @staticmethod
    def create_sphere(
        radius: float = 1.0,
        *,
        num_latitudes: int = 32,
        num_longitudes: int = 32,
        reverse_winding: bool = False,
        compute_normals: bool = True,
        compute_uvs: bool = True,
        compute_inertia: bool = True,
    ) -> Mesh:
        """A ball of latitudes and longitudes."""
        return Mesh.create_ellipsoid(
            radius,
            radius,
            radius,
            num_latitudes=num_latitudes,
            num_longitudes=num_longitudes,
            reverse_winding=reverse_winding,
            compute_normals=compute_normals,
            compute_uvs=compute_uvs,
            compute_inertia=compute_inertia,
        )

    @staticmethod
    def create_ellipsoid(
        rx: float = 1.0,
        ry: float = 1.0,
        rz: float = 1.0,
        *,
        num_latitudes: int = 32,
        num_longitudes: int = 32,
        reverse_winding: bool = False,
        compute_normals: bool = True,
        compute_uvs: bool = True,
        compute_inertia: bool = True,
    ) -> Mesh:
        """An ellipsoid by its semi-axes."""
        points, triangles, normals, uvs = mesh_shapes.ellipsoid(
            rx, ry, rz, num_latitudes, num_longitudes
        )
        if reverse_winding:
            triangles = triangles[:, ::-1]
        return _drawn(
            points, triangles, normals, uvs, compute_normals, compute_uvs, compute_inertia
        )

    @staticmethod
    def create_capsule(
        radius: float,
        half_height: float,
        *,
        up_axis: Axis = Axis.Y,
        segments: int = 32,
        compute_normals: bool = True,
        compute_uvs: bool = True,
        compute_inertia: bool = True,
    ) -> Mesh:
        """A capsule along an axis."""
        outline = mesh_shapes.capsule_outline(radius, half_height, segments)
        made = mesh_shapes.lathe(outline, segments, up_axis)
        return _drawn(*made, compute_normals, compute_uvs, compute_inertia)

    @staticmethod
    def create_cylinder(
        radius: float,
        half_height: float,
        *,
        up_axis: Axis = Axis.Y,
        segments: int = 32,
        top_radius: float | None = None,
        compute_normals: bool = True,
        compute_uvs: bool = True,
        compute_inertia: bool = True,
    ) -> Mesh:
        """A cylinder along an axis, or a truncated cone."""
        top = radius if top_radius is None else top_radius
        outline = [(0.0, -half_height), (radius, -half_height), (top, half_height)]
        if top > 0.0:
            outline.append((0.0, half_height))
        made = mesh_shapes.lathe(outline, segments, up_axis)
        return _drawn(*made, compute_normals, compute_uvs, compute_inertia)

    @staticmethod
    def create_cone(
        radius: float,
        half_height: float,
        *,
        up_axis: Axis = Axis.Y,
        segments: int = 32,
        compute_normals: bool = True,
        compute_uvs: bool = True,
        compute_inertia: bool = True,
    ) -> Mesh:
        """A cone along an axis, its base at -half_height."""
        return Mesh.create_cylinder(
            radius,
            half_height,
            up_axis=up_axis,
            segments=segments,
            top_radius=0.0,
            compute_normals=compute_normals,
            compute_uvs=compute_uvs,
            compute_inertia=compute_inertia,
        )


def check_corners(indices: np.ndarray, count: int) -> None:
    """Check that corners of triangles are vertices.

    Raises:
        InvalidArgumentError: One is none.
    """
    wrong = np.flatnonzero((indices < 0) | (indices >= count))
    if len(wrong):
        bad = int(indices[wrong[0]])
        problem = f"negative index {bad}" if bad < 0 else f"{bad} exceeds vertex count {count}"
        raise InvalidArgumentError("indices", bad, f"0 to {count - 1}: {problem}")


def _drawn(
    points: Any,
    triangles: Any,
    normals: Any,
    uvs: Any,
    with_normals: bool,
    with_uvs: bool,
    with_inertia: bool,
) -> Mesh:
    return Mesh(
        points,
        triangles,
        normals if with_normals else None,
        uvs if with_uvs else None,
        compute_inertia=with_inertia,
    )


def barrel_mesh(radius: float, half_height: float, arc: float) -> Mesh:
    """A barrel along z: a cylinder whose side is an arc of a radius.

    Args:
        radius: Of the rims [m].
        half_height: m.
        arc: Radius of the side [m].
    """
    heights = np.linspace(-half_height, half_height, 9)
    bulge = np.sqrt(arc**2 - heights**2) - np.sqrt(arc**2 - half_height**2)
    side = zip((radius + bulge).tolist(), heights.tolist(), strict=True)
    outline = [(0.0, -half_height), *side, (0.0, half_height)]
    return _drawn(*mesh_shapes.lathe(outline, 32, Axis.Z), True, True, True)
