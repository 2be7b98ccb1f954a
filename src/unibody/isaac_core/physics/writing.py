"""Poses and velocities of bodies, written to the stage."""

from __future__ import annotations

from typing import Any

import numpy as np
from pxr import Gf, Sdf, UsdGeom

from unibody.isaac_core.convert import gf_rotation

_STANDARD = ["xformOp:translate", "xformOp:orient", "xformOp:scale"]
_VELOCITIES = ("physics:velocity", "physics:angularVelocity")


class _Place:
    """Where the state of one body goes: what of the stage stays the same from flush to flush.

    Attributes:
        fixed: Transform of the parent of its prim to the body that carries it, or to the world.
        carrier: Number of the body above its prim; -1: none.
        size: Scale of its prim.
        poses: Specs of translation, rotation and scale, and types of their values.
        velocities: Specs of the linear and angular velocity.
    """

    __slots__ = ("carrier", "fixed", "poses", "size", "velocities")

    def __init__(self, fixed: Gf.Matrix4d, carrier: int, size: Gf.Vec3d) -> None:
        self.fixed, self.carrier, self.size = fixed, carrier, size
        self.poses: list[tuple[Any, str]] = []
        self.velocities: list[Any] = []

    def above(self, world: list[Any]) -> Gf.Matrix4d:
        """The transform of the parent of the prim, where the bodies are now."""
        return self.fixed if self.carrier < 0 else self.fixed * world[self.carrier]


class StageWriter:
    """Writes the state of a scene to its stage, and takes that back.

    Args:
        scene: A ``PhysicsScene``.
    """

    def __init__(self, scene: Any) -> None:
        self.scene = scene
        self.written: int = 0  # bodies whose states were written
        self._before: dict[str, tuple[Any, bool]] = {}  # attribute -> value, whether authored
        self._layer: Any = None
        self._paths: list[str] = []
        self._places: list[_Place] = []
        self._carriers = np.zeros(0, np.int64)
        self._last: Any = None

    def forget(self) -> None:
        """Look at the stage again in the next flush: prims were moved, or have come or gone."""
        self._layer = self._last = None
        self._places = []

    def flush(self) -> None:
        """Write poses and velocities of bodies that have changed since the last flush."""
        scene = self.scene
        if not scene.body_paths():
            return
        layer = scene.stage.GetEditTarget().GetLayer()
        if self._layer != layer:
            self.forget()
            self._look(layer)
        rows = self._states()
        changed = np.ones(len(rows), bool)
        if self._last is not None:
            changed = (rows != self._last).any(axis=1)
            carried = self._carriers >= 0
            changed[carried] |= changed[self._carriers[carried]]
        self._last = rows
        self._write(rows, np.flatnonzero(changed).tolist())

    def _states(self) -> Any:
        """States of the bodies whose prims are there."""
        return self._states_of(self._paths)

    def _states_of(self, paths: list[str]) -> Any:
        scene = self.scene
        scene.batch.read_bodies()
        host = scene.batch.buffers.to_host("bodies")
        states = np.asarray(scene.batch.buffers.host.bodies if host is None else host, float)
        found = [scene.body_of(path) for path in paths]
        return states[[body.actor.sim_body + number for body, number in found]]

    def transform(self, path: str) -> Gf.Matrix4d:
        """The transform of a body, where it is now."""
        return _matrix(self._states_of([path])[0])

    def above(self, path: str) -> Gf.Matrix4d:
        """The transform of the parent of a body's prim, where the bodies are now."""
        paths = self._present()
        self._paths, self._layer = paths, None
        place = self._place(path, {one: n for n, one in enumerate(paths)}, UsdGeom.XformCache())
        if place.carrier < 0:
            return place.fixed
        return place.fixed * _matrix(self._states()[place.carrier])

    def _present(self) -> list[str]:
        """Paths of bodies whose prims were not deleted while the stage is in motion."""
        stage = self.scene.stage
        return [path for path in self.scene.body_paths() if stage.GetPrimAtPath(path)]

    def _look(self, layer: Any) -> None:
        """Find what stays the same, and make the attributes that are written."""
        self._paths = self._present()
        numbers = {path: number for number, path in enumerate(self._paths)}
        cache = UsdGeom.XformCache()
        self._places = [self._place(path, numbers, cache) for path in self._paths]
        self._carriers = np.array([place.carrier for place in self._places], np.int64)
        stage = self.scene.stage
        with Sdf.ChangeBlock():
            for path, place in zip(self._paths, self._places, strict=True):
                self._make_specs(layer, stage.GetPrimAtPath(path), place)
        self._layer = layer

    def _place(self, path: str, numbers: dict[str, int], cache: Any) -> _Place:
        prim = self.scene.stage.GetPrimAtPath(path)
        own = UsdGeom.Xformable(prim)
        size = Gf.Vec3d(Gf.Transform(own.GetLocalTransformation()).GetScale())
        if own.GetResetXformStack():
            return _Place(Gf.Matrix4d(1.0), -1, size)
        parent = prim.GetParent()
        carrier = parent
        while carrier and not carrier.IsPseudoRoot() and str(carrier.GetPath()) not in numbers:
            carrier = carrier.GetParent()
        now = cache.GetLocalToWorldTransform(parent)
        if not carrier or carrier.IsPseudoRoot():
            return _Place(now, -1, size)
        was = cache.GetLocalToWorldTransform(carrier)
        scale = Gf.Matrix4d(1.0).SetScale(Gf.Transform(was).GetScale())
        return _Place(now * was.GetInverse() * scale, numbers[str(carrier.GetPath())], size)

    def _make_specs(self, layer: Any, prim: Any, place: _Place) -> None:
        order = prim.GetAttribute("xformOpOrder")
        names = list(order.Get() or []) if order else []
        reset = "!resetXformStack!" in names
        for name in _STANDARD:
            spec, kind = self._spec(layer, prim, name)
            place.poses.append((spec, kind))
        for name in _VELOCITIES:
            place.velocities.append(self._spec(layer, prim, name)[0])
        wanted = ["!resetXformStack!", *_STANDARD] if reset else _STANDARD
        if names != wanted:
            self._spec(layer, prim, "xformOpOrder")[0].default = wanted

    def _spec(self, layer: Any, prim: Any, name: str) -> tuple[Any, str]:
        """An attribute in a layer, and the type of its values; what it held is remembered."""
        attribute = prim.GetAttribute(name)
        path = prim.GetPath().AppendProperty(name)
        kind = attribute.GetTypeName() if attribute else _TYPES[name]
        spec = layer.GetAttributeAtPath(path)
        if str(path) not in self._before:
            known = (None, False)
            if spec is not None and spec.HasDefaultValue():
                known = (spec.default, True)
            self._before[str(path)] = known
        if spec is None:
            own = Sdf.CreatePrimInLayer(layer, prim.GetPath())
            spec = Sdf.AttributeSpec(own, name, kind, Sdf.VariabilityVarying)
        return spec, str(kind)

    def _write(self, rows: Any, changed: list[int]) -> None:
        self.written += len(changed)
        world = [_matrix(row) for row in rows] if changed else []
        degrees = np.degrees(rows[:, 10:13]).tolist()
        linear = rows[:, 7:10].tolist()
        with Sdf.ChangeBlock():
            for number in changed:
                place = self._places[number]
                above = place.above(world)
                whole = Gf.Transform(world[number] * above.GetInverse())
                values = (whole.GetTranslation(), whole.GetRotation().GetQuat(), place.size)
                for (spec, kind), value in zip(place.poses, values, strict=True):
                    spec.default = _as_type(value, kind)
                back = above.RemoveScaleShear().ExtractRotationMatrix().GetInverse()
                for spec, vector in zip(
                    place.velocities, (linear[number], degrees[number]), strict=True
                ):
                    spec.default = Gf.Vec3f(Gf.Vec3d(*vector) * back)

    def restore(self) -> None:
        """Write the values from before the flushes."""
        layer = self.scene.stage.GetEditTarget().GetLayer()
        with Sdf.ChangeBlock():
            for path, (value, authored) in self._before.items():
                spec = layer.GetAttributeAtPath(path)
                if spec is None:
                    continue
                if authored:
                    spec.default = value
                else:
                    owner = spec.owner
                    owner.RemoveProperty(spec)
        self._before.clear()
        self.forget()


_TYPES = {
    "xformOp:translate": Sdf.ValueTypeNames.Double3,
    "xformOp:orient": Sdf.ValueTypeNames.Quatd,
    "xformOp:scale": Sdf.ValueTypeNames.Double3,
    "xformOpOrder": Sdf.ValueTypeNames.TokenArray,
    "physics:velocity": Sdf.ValueTypeNames.Vector3f,
    "physics:angularVelocity": Sdf.ValueTypeNames.Vector3f,
}


def _as_type(value: Any, name: str) -> Any:
    made = _MADE.get(name)
    return value if made is None else made(value)


_MADE = {
    "quatd": Gf.Quatd,
    "quatf": Gf.Quatf,
    "quath": Gf.Quath,
    "float3": Gf.Vec3f,
    "vector3f": Gf.Vec3f,
    "half3": Gf.Vec3h,
}


def _matrix(row: Any) -> Gf.Matrix4d:
    x, y, z, w = row[3:7].tolist()
    return Gf.Matrix4d(gf_rotation(Gf.Quatd(w, x, y, z)), Gf.Vec3d(*row[:3].tolist()))
