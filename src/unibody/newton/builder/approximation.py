"""Simpler shapes in the place of meshes: convex hulls, pieces, boxes and balls."""

from __future__ import annotations

import importlib
from collections import Counter
from typing import Any

import numpy as np
import warp as wp

from unibody.core.assets.mesh.decomposition import Decomposition, convex_pieces
from unibody.core.assets.mesh.types import TriMesh
from unibody.core.deform import topology
from unibody.errors import InvalidArgumentError, NotSupportedError
from unibody.newton import config, handles, inertia, mesh_shapes
from unibody.newton.builder import entries, piece_cache
from unibody.newton.builder.pairs import add_shape_collision_filter_pair
from unibody.newton.builder.shapes import add_shape
from unibody.newton.builder.tables import COLUMNS, Tables
from unibody.newton.configs import ShapeConfig
from unibody.newton.enums import AttributeFrequency, GeoType, ShapeFlags
from unibody.newton.exceptions import warn
from unibody.newton.mesh import Mesh

_PIECES = ("coacd", "vhacd")
_METHODS = (*_PIECES, "convex_hull", "bounding_box", "bounding_sphere")
_REMESHING = ("ftetwild", "alphashape", "quadratic", "poisson")
_COACD = {"mcts_nodes": 20, "mcts_iterations": 5, "mcts_max_depth": 1, "merge": False}
_MESHES = (GeoType.MESH, GeoType.CONVEX_MESH)
_OWN = {"shape_key", "shape_source", "shape_type", "shape_body", "shape_transform"}
"""What a further piece of a shape does not take from it."""


def approximate_meshes(
    self: Tables,
    method: str = "convex_hull",
    shape_indices: list[int] | None = None,
    raise_on_failure: bool = False,
    keep_visual_shapes: bool = False,
    **remeshing_kwargs: Any,
) -> set[int]:
    """Put simpler shapes in the place of meshes.

    Where taking apart fails, a hull stands in, and for that a box; a warning says so.

    Args:
        self: The builder.
        method: "convex_hull", "coacd" or "vhacd" (convex pieces), "bounding_box" (along the
            principal axes) or "bounding_sphere".
        shape_indices: Those that are replaced; None: all meshes that collide.
        raise_on_failure: Whether a failure is an error.
        keep_visual_shapes: Whether the meshes stay, for drawing alone.
        **remeshing_kwargs: Settings of the method; and `cache_dir`, the folder in which convex
            pieces are kept, in the place of `newton.config.cache_dir_meshes`.

    Returns:
        The shapes that were replaced.

    Raises:
        RuntimeError: It failed, with `raise_on_failure`.
    """
    _check_method(method)
    cache_dir = remeshing_kwargs.pop("cache_dir", None)
    entries.check_sources(self)
    shapes = _chosen(self, shape_indices)
    for shape in shapes:
        _check_distances(self, shape, method)
    if keep_visual_shapes:
        for shape in shapes:
            _keep_to_see(self, shape)
    done: set[int] = set()
    if method in _PIECES:
        folder = config.cache_dir_meshes if cache_dir is None else cache_dir
        maker = _Pieces(self, method, folder, remeshing_kwargs)
        done |= _attempt(maker.replace_all, shapes, method, raise_on_failure, "convex_hull")
        method, remeshing_kwargs = "convex_hull", {}
    if remeshing_kwargs:
        name = next(iter(remeshing_kwargs))
        raise InvalidArgumentError(name, remeshing_kwargs[name], f"nothing for {method!r}")
    rest = [shape for shape in shapes if shape not in done]
    if method == "convex_hull":
        done |= _attempt(_Hulls(self).replace_all, rest, method, raise_on_failure, "bounding_box")
        rest, method = [shape for shape in rest if shape not in done], "bounding_box"
    for shape in rest:
        (_to_box if method == "bounding_box" else _to_ball)(self, shape)
    done.update(rest)
    _hide_simple(self, done)
    return done


def _check_method(method: str) -> None:
    if method in _REMESHING:
        raise NotSupportedError(f"approximate_meshes({method!r})", "convex_hull, coacd and vhacd")
    if method not in _METHODS:
        text = f"Unsupported remeshing method: one of {', '.join((*_REMESHING, *_METHODS))}"
        raise InvalidArgumentError("method", method, text)


def _chosen(self: Tables, indices: list[int] | None) -> list[int]:
    if indices is not None:
        for shape in indices:
            handles.check("shape_indices", shape, self.shape_count, "shapes")
        return [shape for shape in indices if self.shape_type[shape] in _MESHES]
    return [
        shape
        for shape, kind in enumerate(self.shape_type)
        if kind == GeoType.MESH and self.shape_flags[shape] & ShapeFlags.COLLIDE_SHAPES
    ]


def _check_distances(self: Tables, shape: int, method: str) -> None:
    stated = (self.shape_sdf_max_resolution[shape], self.shape_sdf_target_voxel_size[shape])
    if stated != (None, None) or self.shape_flags[shape] & ShapeFlags.HYDROELASTIC:
        raise ValueError(
            f"Shape {shape}: method '{method}' replaces the mesh with non-mesh geometry;"
            " SDF / hydroelastic configuration cannot be preserved."
        )


def _attempt(
    replace_all: Any, shapes: list[int], method: str, strict: bool, instead: str
) -> set[int]:
    """What a method replaces; where it fails, an error or a warning."""
    done: set[int] = set()
    try:
        failed = replace_all(shapes, done)
    except Exception as error:
        if strict:
            raise RuntimeError(f"Remeshing with method '{method}' failed.") from error
        failed = str(error) or type(error).__name__
    if failed and strict:
        raise RuntimeError(f"Remeshing with method '{method}' failed: {failed}")
    if failed:
        warn(f"Remeshing with method '{method}' failed: {failed}. Falling back to {instead}.")
    return done


class _Hulls:
    """Replaces meshes by their convex hulls; equal meshes by one."""

    def __init__(self, builder: Tables) -> None:
        self._builder = builder
        self._known: dict[Any, Any] = {}

    def replace_all(self, shapes: list[int], done: set[int]) -> str:
        """Replace the meshes of shapes.

        Returns:
            What failed, or an empty text.
        """
        failed = ""
        for shape in shapes:
            mesh = self._builder.shape_source[shape]
            key = (hash(mesh), mesh.maxhullvert)
            try:
                if key not in self._known:
                    self._known[key] = mesh_shapes.convex_hull(mesh.vertices, mesh.maxhullvert)
            except Exception as error:
                failed = f"shape {shape}: {error}"
                continue
            _replace_mesh(self._builder, shape, *self._known[key])
            done.add(shape)
        return failed


class _Pieces:
    """Replaces meshes by convex pieces.

    Args:
        builder: The builder.
        method: "coacd" or "vhacd".
        folder: Where pieces are kept; None: nowhere.
        given: Settings that the script gives.
    """

    def __init__(self, builder: Tables, method: str, folder: Any, given: dict[str, Any]) -> None:
        self._builder, self._method, self._folder = builder, method, folder
        self._given = given
        self._known: dict[Any, list[piece_cache.Piece]] = {}
        self._parts: dict[int, list[int]] = {}
        self._apart: dict[int, set[int]] = {}

    def replace_all(self, shapes: list[int], done: set[int]) -> str:
        """Replace the meshes of shapes.

        Returns:
            What failed, or an empty text.
        """
        for a, b in self._builder.shape_collision_filter_pairs:
            self._apart.setdefault(a, set()).add(b)
            self._apart.setdefault(b, set()).add(a)
        failed = ""
        for shape in shapes:
            mesh = self._builder.shape_source[shape]
            key = (hash(mesh), mesh.maxhullvert)
            if key not in self._known:
                self._known[key] = self._pieces(mesh)
            if not self._known[key]:
                failed = f"shape {shape}: there are no convex parts"
                continue
            self._replace(shape, self._known[key])
            done.add(shape)
        return failed

    def _pieces(self, mesh: Any) -> list[piece_cache.Piece]:
        settings = self._settings(mesh)
        key = piece_cache.key_of(mesh, self._method, settings) if self._folder is not None else None
        kept = None if key is None else piece_cache.read(self._folder, key)
        if kept is not None:
            return kept
        made: list[piece_cache.Piece] = []
        apart = _by_coacd if self._method == "coacd" else _by_vhacd
        for points, faces in components(mesh):
            made += apart(points, faces, mesh.maxhullvert, settings)
        if key is not None and made:
            piece_cache.write(self._folder, key, made)
        return made

    def _settings(self, mesh: Any) -> dict[str, Any]:
        if self._method == "vhacd":
            return {"maxNumVerticesPerCH": mesh.maxhullvert, **self._given}
        threshold = self._builder.default_mesh_approximation_cfg.coacd_threshold
        return {"threshold": threshold, **_COACD, **self._given}

    def _replace(self, shape: int, pieces: list[piece_cache.Piece]) -> None:
        builder = self._builder
        most = builder.shape_source[shape].maxhullvert
        _replace_mesh(builder, shape, *pieces[0])
        own = builder.shape_body[shape]
        apart = sorted(s for s in self._apart.get(shape, ()) if builder.shape_body[s] != own)
        for number, (points, faces) in enumerate(pieces[1:], 1):
            mesh = Mesh(points, faces, maxhullvert=most)
            extra = _add_like(builder, shape, mesh, f"convex_{number}")
            for other in apart:
                for part in (other, *self._parts.get(other, ())):
                    add_shape_collision_filter_pair(builder, part, extra)
            self._parts.setdefault(shape, []).append(extra)


def components(mesh: Any) -> list[piece_cache.Piece]:
    """The parts of a mesh that share no point, each with vertices of its own."""
    faces = mesh.indices.reshape(-1, 3)
    vertices, where = np.unique(mesh.vertices, axis=0, return_inverse=True)
    welded = where.reshape(-1)[faces]
    count = int(welded.max(initial=-1)) + 1
    label = topology.components(count, [welded])
    if count and not label.any():
        # Seams, where corners lie on one another, are no gaps.
        seams = len(vertices) < len(mesh.vertices)
        return [(vertices, welded.astype(np.int32)) if seams else (mesh.vertices, faces)]
    found = []
    of_face = label[welded[:, 0]]
    for part in np.unique(of_face):
        own = faces[of_face == part]
        used, own = np.unique(own, return_inverse=True)
        found.append((mesh.vertices[used], own.reshape(-1, 3).astype(np.int32)))
    return found


def _by_coacd(points: Any, faces: Any, most: int, settings: dict[str, Any]) -> list[Any]:
    """Pieces by CoACD, or where it is not installed by the cuts of V-HACD."""
    try:
        coacd: Any = importlib.import_module("coacd")
    except ImportError:
        how = Decomposition(concavity=settings["threshold"], max_vertices=most)
        return [
            (np.asarray(p.vertices), np.asarray(p.faces))
            for p in convex_pieces([TriMesh(points, faces)], how, "approximate_meshes")
        ]
    made = coacd.run_coacd(coacd.Mesh(points, faces), **settings)
    return [(v, f) if len(v) <= most else mesh_shapes.convex_hull(v, most) for v, f in made]


def _by_vhacd(points: Any, faces: Any, _: int, settings: dict[str, Any]) -> list[Any]:
    trimesh: Any = importlib.import_module("trimesh")
    made = trimesh.decomposition.convex_decomposition(trimesh.Trimesh(points, faces), **settings)
    return [(part["vertices"], part["faces"]) for part in made]


def _replace_mesh(self: Tables, shape: int, points: Any, faces: Any) -> None:
    mesh = self.shape_source[shape].copy(points, np.asarray(faces))
    mesh.normals = mesh.uvs = None
    self.shape_source[shape] = mesh
    self.shape_type[shape] = GeoType.CONVEX_MESH


def _add_like(self: Tables, shape: int, mesh: Any, ending: str) -> int:
    """A convex shape beside another one, with all that it has."""
    config = ShapeConfig(density=0.0, collision_filter_parent=False)
    config.flags = self.shape_flags[shape]
    custom = {
        key: attribute.values[shape]
        for key, attribute in self.custom_attributes.items()
        if attribute.frequency == AttributeFrequency.SHAPE and shape in attribute.values
    }
    new = add_shape(
        self,
        self.shape_body[shape],
        GeoType.CONVEX_MESH,
        self.shape_transform[shape],
        config,
        self.shape_scale[shape],
        mesh,
        True,
        f"{self.shape_key[shape]}_{ending}",
        custom or None,
    )
    for column in COLUMNS:
        if column.entity == "shape" and column.name not in _OWN:
            rows = getattr(self, column.name)
            rows[new] = rows[shape]
    return new


def _keep_to_see(self: Tables, shape: int) -> None:
    """Let a shape be seen no more, and a copy of it be seen alone."""
    if not self.shape_flags[shape] & ShapeFlags.VISIBLE:
        return
    new = _add_like(self, shape, self.shape_source[shape], "visual")
    self.shape_type[new] = self.shape_type[shape]
    self.shape_flags[new] = int(ShapeFlags.VISIBLE)
    self.shape_flags[shape] &= ~ShapeFlags.VISIBLE


def _to_box(self: Tables, shape: int) -> None:
    points = self.shape_source[shape].vertices * np.asarray(self.shape_scale[shape])
    pose, half = oriented_box(points)
    _simplify(self, shape, GeoType.BOX, half, pose)


def oriented_box(points: np.ndarray) -> tuple[wp.transform, tuple[float, ...]]:
    """A box around points, along the principal axes of their hull.

    Args:
        points: Shape (n, 3) [m].

    Returns:
        Its pose, and half of its sizes [m].
    """
    part = inertia.mesh(1.0, *mesh_shapes.convex_hull(points, max(len(points), 4)))
    _, axes = np.linalg.eigh(part.inertia)
    if np.linalg.det(axes) < 0.0:
        axes[:, 2] *= -1.0
    along = points @ axes
    lower, upper = along.min(axis=0), along.max(axis=0)
    turn = wp.quat_from_matrix(wp.mat33(*axes.reshape(-1).tolist()))
    centre = axes @ (lower + upper) / 2.0
    half = tuple(((upper - lower) / 2.0).tolist())
    return wp.transform(wp.vec3(*centre.tolist()), turn), half


def _to_ball(self: Tables, shape: int) -> None:
    points = self.shape_source[shape].vertices * np.asarray(self.shape_scale[shape], np.float32)
    centre = points.mean(axis=0)
    radius = float(np.linalg.norm(points - centre, axis=1).max())
    pose = wp.transform(wp.vec3(*centre.tolist()), wp.quat_identity())
    _simplify(self, shape, GeoType.SPHERE, (radius, 0.0, 0.0), pose)


def _simplify(self: Tables, shape: int, kind: GeoType, size: Any, pose: wp.transform) -> None:
    self.shape_type[shape] = kind
    self.shape_source[shape] = None
    self.shape_scale[shape] = size
    self.shape_transform[shape] = self.shape_transform[shape] * pose


def _hide_simple(self: Tables, done: set[int]) -> None:
    """Hide boxes and balls of bodies that have other shapes to see."""
    pairs = zip(self.shape_body, self.shape_flags, strict=True)
    seen = Counter(body for body, flags in pairs if flags & ShapeFlags.VISIBLE)
    for shape in sorted(done):
        visible = self.shape_flags[shape] & ShapeFlags.VISIBLE
        body = self.shape_body[shape]
        if visible and self.shape_type[shape] not in _MESHES and seen[body] > 1:
            self.shape_flags[shape] &= ~ShapeFlags.VISIBLE
            seen[body] -= 1
