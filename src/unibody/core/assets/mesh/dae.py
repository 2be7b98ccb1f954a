"""Reader of COLLADA .dae files: the triangles of the scene, in metres, and their normals.

Transforms of a node apply in the order of the file, as COLLADA defines. PyBullet applies the first
translation, scale and rotation only, in that order, which differs where a node has several.
"""

from __future__ import annotations

import math
from xml.etree import ElementTree

import numpy as np

from unibody.core.assets.limits import Limits
from unibody.core.assets.mesh.types import FloatArray, TriMesh, check_counts, normalized
from unibody.core.assets.xml import parse_xml
from unibody.errors import AssetError

# Rotations that turn a file with that axis up into one with z up.
_UP_AXES = {
    "X_UP": np.array([[0.0, 0.0, -1.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0]]),
    "Y_UP": np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]]),
}
_PRIMITIVES = ("triangles", "polylist", "polygons", "trifans", "tristrips")


def read_dae(text: str, file: object, limits: Limits, *, z_up: bool = False) -> TriMesh:
    """Reads all geometry that the scene of a COLLADA file shows, as one mesh.

    Args:
        text: Content of the file.
        file: Name used in error messages.
        limits: Bounds on size, depth and number of faces.
        z_up: Turn a file that states another up axis to z up. PyBullet and ROS keep the axes.

    Raises:
        AssetError: Malformed, a bound is exceeded, or nothing to show.
    """
    return _Document(parse_xml(text, limits, file=str(file), root="COLLADA"), file, limits).read(
        z_up=z_up
    )


class _Document:
    """A parsed file with its elements by id."""

    def __init__(self, root: ElementTree.Element, file: object, limits: Limits) -> None:
        self.root = root
        self.file = file
        self.limits = limits
        # Ids are to be unique, but exporters name a scene, its node and its geometry alike.
        self.by_id = {(item.tag, item.get("id", "")): item for item in root.iter()}
        self.corners: list[FloatArray] = []  # position and normal, nan where there is none, (N, 6)
        self.total = 0
        self.visited = 0
        self.geometries: dict[str, FloatArray] = {}

    def read(self, *, z_up: bool) -> TriMesh:
        """The triangles of the scene."""
        placed = np.eye(4)
        placed[:3, :3] *= self._metres()
        if z_up:
            axis = (self.root.findtext("asset/up_axis") or "").strip()
            placed[:3, :3] = placed[:3, :3] @ _UP_AXES.get(axis, np.eye(3))
        scene = self._scene()
        if scene is not None:
            for node in scene.findall("node"):
                self._node(node, placed, ())
        if not self.corners:
            raise AssetError(self.file, "", "its scene shows no triangle")
        corners = np.concatenate(self.corners)
        points, normals = np.ascontiguousarray(corners[:, :3]), normalized(corners[:, 3:])
        whole = bool(np.isfinite(normals).all() and normals.any(axis=1).all())
        faces = np.arange(len(corners), dtype=np.int32).reshape(-1, 3)
        return TriMesh(points, faces, normals=normals if whole else None)

    def _metres(self) -> float:
        unit = self.root.find("asset/unit")
        text = "1" if unit is None else unit.get("meter", "1")
        try:
            metres = float(text)
        except ValueError:
            metres = math.nan
        if not (math.isfinite(metres) and metres > 0):
            raise AssetError(self.file, "<unit>", f"meter={text!r} is not a positive number")
        return metres

    def _scene(self) -> ElementTree.Element | None:
        instance = self.root.find("scene/instance_visual_scene")
        if instance is not None:
            found = self._target(instance, "url", "visual_scene")
            if found is not None:
                return found
        found = self.root.find("library_visual_scenes/visual_scene")
        return found

    def _target(
        self, item: ElementTree.Element, attribute: str, tag: str
    ) -> ElementTree.Element | None:
        """The element of a kind that an attribute names."""
        return self.by_id.get((tag, item.get(attribute, "").removeprefix("#")))

    def _node(
        self, node: ElementTree.Element, placed: FloatArray, above: tuple[ElementTree.Element, ...]
    ) -> None:
        if any(node is other for other in above):
            raise AssetError(self.file, f"node {node.get('id')!r}", "contains itself")
        if len(above) >= self.limits.xml_depth:
            raise AssetError(self.file, "", f"nodes nested deeper than {self.limits.xml_depth}")
        # Nodes can instance one another, so a short file can describe an endless scene.
        self.visited += 1
        most = self.limits.xml_elements // 10
        if self.visited > most:
            raise AssetError(self.file, "", f"shows more than {most} nodes")
        for child in node:
            placed = placed @ self._transform(child)
        for child in node:
            kind = child.tag.removeprefix("instance_")
            target = child if kind == child.tag else self._target(child, "url", kind)
            if target is None:
                continue
            if child.tag == "instance_geometry":
                self._geometry(target, placed)
            elif child.tag in ("node", "instance_node"):
                self._node(target, placed, (*above, node))

    def _transform(self, item: ElementTree.Element) -> FloatArray:
        matrix = np.eye(4)
        if item.tag == "matrix":
            matrix[:] = self._numbers(item, 16).reshape(4, 4)
        elif item.tag == "translate":
            matrix[:3, 3] = self._numbers(item, 3)
        elif item.tag == "scale":
            matrix[(0, 1, 2), (0, 1, 2)] = self._numbers(item, 3)
        elif item.tag == "rotate":
            x, y, z, degrees = self._numbers(item, 4)
            matrix[:3, :3] = _rotation(np.array([x, y, z]), math.radians(degrees))
        return matrix

    def _geometry(self, geometry: ElementTree.Element, placed: FloatArray) -> None:
        name = geometry.get("id", "")
        if name not in self.geometries:
            self.geometries[name] = self._triangles(geometry)
        corners = self.geometries[name]
        # Counted before it is copied: a few instances of instances can make a file explode.
        self.total += len(corners)
        check_counts(self.total, self.total // 3, self.file, "", self.limits)
        turn = placed[:3, :3]
        points = corners[:, :3] @ turn.T + placed[:3, 3]
        # Normals turn with the matrix of cofactors, which also is there for a flattening one.
        cofactors = np.stack([np.cross(turn[k - 2], turn[k - 1]) for k in range(3)])
        mirrored = np.linalg.det(turn) < 0
        normals = corners[:, 3:] @ cofactors.T * (-1.0 if mirrored else 1.0)
        corners = np.hstack([points, normals])
        if mirrored:
            corners = corners.reshape(-1, 3, 6)[:, ::-1].reshape(-1, 6)
        if len(corners):
            self.corners.append(corners)

    def _triangles(self, geometry: ElementTree.Element) -> FloatArray:
        parts = [np.zeros((0, 6))]
        for mesh in geometry.findall("mesh"):
            for primitive in mesh:
                if primitive.tag in _PRIMITIVES:
                    parts.append(self._primitive(primitive))
        return np.concatenate(parts)

    def _primitive(self, primitive: ElementTree.Element) -> FloatArray:
        """Position and normal of the corners of the triangles, (N, 6)."""
        inputs: dict[str, tuple[int, ElementTree.Element]] = {}
        stride = 1
        for item in primitive.findall("input"):
            place = self._integer(item.get("offset", "0"), primitive.tag)
            stride = max(stride, place + 1)
            inputs.setdefault(item.get("semantic", ""), (place, item))
        if "VERTEX" not in inputs:
            raise AssetError(self.file, f"<{primitive.tag}>", "has no VERTEX input")
        strip = primitive.tag == "tristrips"
        place, vertices = inputs["VERTEX"]
        index = _fans(self._polygons(primitive, stride, place), strip=strip)
        positions = self._vertex_numbers(vertices, "POSITION")
        if positions is None:
            source = f"<input source={vertices.get('source')!r}>"
            raise AssetError(self.file, source, "no positions")
        if index.size and (index.min() < 0 or index.max() >= len(positions)):
            problem = f"vertex index {int(index.max())} is not in [0, {len(positions) - 1}]"
            raise AssetError(self.file, f"<{primitive.tag}>", problem)
        if "NORMAL" in inputs:
            place, item = inputs["NORMAL"]
            normals = self._source_numbers(self._target(item, "source", "source"))
            turned = _fans(self._polygons(primitive, stride, place), strip=strip)
        else:
            normals, turned = self._vertex_numbers(vertices, "NORMAL"), index
        corners = np.full((len(index), 6), np.nan)
        corners[:, :3] = positions[index]
        if normals is not None and turned.size and 0 <= turned.min() <= turned.max() < len(normals):
            count = min(len(index), len(turned))  # of a list that ends in the middle of a corner
            corners[:count, 3:] = normals[turned[:count]]
        return corners

    def _polygons(
        self, primitive: ElementTree.Element, stride: int, offset: int
    ) -> list[np.ndarray]:
        rows = [self._integers(item)[offset::stride] for item in primitive.findall("p")]
        if primitive.tag == "triangles":
            whole = [row[: len(row) // 3 * 3].reshape(-1, 3) for row in rows]
            return [polygon for row in whole for polygon in row] if len(rows) > 1 else whole
        if primitive.tag == "polylist" and rows:
            counts = primitive.find("vcount")
            sizes = np.zeros(0, dtype=np.int64) if counts is None else self._integers(counts)
            if sizes.size and (sizes.min() < 0 or int(sizes.sum()) > len(rows[0])):
                problem = f"<vcount> asks for {int(sizes.sum())} of {len(rows[0])} corners"
                raise AssetError(self.file, "<polylist>", problem)
            if sizes.size and (sizes == 3).all():
                return [rows[0][: 3 * len(sizes)].reshape(-1, 3)]
            return np.split(rows[0], np.cumsum(sizes))[:-1]
        return rows

    def _vertex_numbers(
        self, vertex_input: ElementTree.Element, semantic: str
    ) -> FloatArray | None:
        """What the <vertices> behind an input say about each vertex, (V, 3)."""
        vertices = self._target(vertex_input, "source", "vertices")
        for item in [] if vertices is None else vertices.findall("input"):
            if item.get("semantic") == semantic:
                found = self._source_numbers(self._target(item, "source", "source"))
                if found is not None:
                    return found
        return None

    def _source_numbers(self, source: ElementTree.Element | None) -> FloatArray | None:
        """The first three numbers of each row of a <source>, (N, 3)."""
        array = None if source is None else source.find("float_array")
        if source is None or array is None:
            return None
        accessor = source.find("technique_common/accessor")
        stride = "3" if accessor is None else accessor.get("stride", "3")
        width = max(3, self._integer(stride, "accessor"))
        values = self._numbers(array, None)
        return values[: len(values) // width * width].reshape(-1, width)[:, :3]

    def _numbers(self, item: ElementTree.Element, count: int | None) -> FloatArray:
        try:
            values = np.array(list(map(float, (item.text or "").split())), dtype=np.float64)
        except ValueError as error:
            raise AssetError(self.file, f"<{item.tag}>", str(error)) from error
        if count is not None and len(values) != count:
            problem = f"needs {count} numbers, has {len(values)}"
            raise AssetError(self.file, f"<{item.tag}>", problem)
        return values

    def _integers(self, item: ElementTree.Element) -> np.ndarray:
        text = item.text or ""
        try:
            return np.array(list(map(int, text.split())), dtype=np.int64)
        except (ValueError, OverflowError) as error:
            raise AssetError(self.file, "<p>", str(error)) from error

    def _integer(self, text: str, tag: str) -> int:
        try:
            value = int(text)
        except ValueError:
            value = -1
        if not 0 <= value <= 64:
            raise AssetError(self.file, f"<{tag}>", f"{text!r} is not an offset in [0, 64]")
        return value


def _fans(polygons: list[np.ndarray], *, strip: bool) -> np.ndarray:
    """Indices of the corners of the triangles of polygons (K,) or triangle lists (T, 3)."""
    parts = [np.zeros(0, dtype=np.int64)]
    for polygon in polygons:
        if polygon.ndim == 2:
            parts.append(polygon.ravel())
        elif len(polygon) >= 3:
            row = np.arange(len(polygon) - 2)
            if strip:  # every second triangle of a strip turns the other way
                odd = row % 2
                corners = np.stack([row, row + 1 + odd, row + 2 - odd], axis=1)
            else:
                corners = np.stack([np.zeros_like(row), row + 1, row + 2], axis=1)
            parts.append(polygon[corners.ravel()])
    return np.concatenate(parts)


def _rotation(axis: FloatArray, angle: float) -> FloatArray:
    """Rodrigues' formula; a zero axis does not turn."""
    length = float(np.linalg.norm(axis))
    if length == 0.0:
        return np.eye(3)
    x, y, z = axis / length
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.eye(3) + math.sin(angle) * cross + (1.0 - math.cos(angle)) * cross @ cross
