"""Poses and velocities of bodies, written to the stage."""

from __future__ import annotations

from typing import Any

import numpy as np
from pxr import Gf, Sdf, UsdGeom

_STANDARD = ["xformOp:translate", "xformOp:orient", "xformOp:scale"]


class StageWriter:
    """Writes the state of a scene to its stage, and takes that back.

    Args:
        scene: A ``PhysicsScene``.
    """

    def __init__(self, scene: Any) -> None:
        self.scene = scene
        self._before: dict[str, tuple[Any, bool]] = {}  # attribute -> value, whether authored

    def flush(self, *, velocities: bool) -> None:
        """Write poses, and velocities."""
        scene = self.scene
        if not scene.body_paths():
            return
        rows = self._rows()
        world = {path: _matrix(row) for path, row in rows.items()}
        cache = UsdGeom.XformCache()
        above = {path: self._above(path, world, cache) for path in world}
        with Sdf.ChangeBlock():
            layer = scene.stage.GetEditTarget().GetLayer()
            for path, matrix in world.items():
                self._write_pose(layer, path, matrix * above[path].GetInverse())
        if velocities:
            self._write_velocities(rows, above)

    def _rows(self) -> dict[str, Any]:
        """States of the bodies whose prims are there."""
        scene = self.scene
        scene.batch.read_bodies()
        host = scene.batch.buffers.to_host("bodies")
        states = np.asarray(scene.batch.buffers.host.bodies if host is None else host, float)
        rows: dict[str, Any] = {}
        for path in scene.body_paths():
            if not scene.stage.GetPrimAtPath(path):
                continue  # it was deleted while the stage is in motion
            body, number = scene.body_of(path)
            rows[path] = states[body.actor.sim_body + number]
        return rows

    def above(self, path: str) -> Gf.Matrix4d:
        """The transform of the parent of a body's prim, where the bodies are now."""
        world = {one: _matrix(row) for one, row in self._rows().items()}
        return self._above(path, world, UsdGeom.XformCache())

    def _above(self, path: str, world: dict[str, Any], cache: Any) -> Gf.Matrix4d:
        """The transform of the parent of a prim, where the bodies are now."""
        prim = self.scene.stage.GetPrimAtPath(path)
        if UsdGeom.Xformable(prim).GetResetXformStack():
            return Gf.Matrix4d(1.0)
        parent = prim.GetParent()
        carrier = parent
        while carrier and not carrier.IsPseudoRoot() and str(carrier.GetPath()) not in world:
            carrier = carrier.GetParent()
        now = cache.GetLocalToWorldTransform(parent)
        if not carrier or carrier.IsPseudoRoot():
            return now
        was = cache.GetLocalToWorldTransform(carrier)
        scale = Gf.Matrix4d(1.0).SetScale(Gf.Transform(was).GetScale())
        return now * was.GetInverse() * scale * world[str(carrier.GetPath())]

    def _write_pose(self, layer: Any, path: str, local: Gf.Matrix4d) -> None:
        prim = self.scene.stage.GetPrimAtPath(path)
        size = Gf.Transform(UsdGeom.Xformable(prim).GetLocalTransformation()).GetScale()
        whole = Gf.Transform(local)
        order = prim.GetAttribute("xformOpOrder")
        names = list(order.Get() or []) if order else []
        reset = "!resetXformStack!" in names
        values: dict[str, Any] = {
            "xformOp:translate": Gf.Vec3d(whole.GetTranslation()),
            "xformOp:orient": whole.GetRotation().GetQuat(),
            "xformOp:scale": Gf.Vec3d(size),
        }
        for name, value in values.items():
            self._set(layer, prim, name, value)
        wanted = ["!resetXformStack!", *_STANDARD] if reset else _STANDARD
        if names != wanted:
            self._set(layer, prim, "xformOpOrder", wanted)

    def _set(self, layer: Any, prim: Any, name: str, value: Any) -> None:
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
        spec.default = _as_type(value, kind)

    def _write_velocities(self, rows: dict[str, Any], above: dict[str, Any]) -> None:
        layer = self.scene.stage.GetEditTarget().GetLayer()
        with Sdf.ChangeBlock():
            for path, row in rows.items():
                turn = Gf.Matrix4d(above[path]).RemoveScaleShear().ExtractRotationMatrix()
                back = turn.GetInverse()
                linear = Gf.Vec3d(*row[7:10].tolist()) * back
                angular = Gf.Vec3d(*np.degrees(row[10:13]).tolist()) * back
                prim = self.scene.stage.GetPrimAtPath(path)
                self._set(layer, prim, "physics:velocity", Gf.Vec3f(linear))
                self._set(layer, prim, "physics:angularVelocity", Gf.Vec3f(angular))

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


_TYPES = {
    "xformOp:translate": Sdf.ValueTypeNames.Double3,
    "xformOp:orient": Sdf.ValueTypeNames.Quatd,
    "xformOp:scale": Sdf.ValueTypeNames.Double3,
    "xformOpOrder": Sdf.ValueTypeNames.TokenArray,
    "physics:velocity": Sdf.ValueTypeNames.Vector3f,
    "physics:angularVelocity": Sdf.ValueTypeNames.Vector3f,
}


def _as_type(value: Any, kind: Any) -> Any:
    name = str(kind)
    if name.startswith("quat"):
        made = {"quatf": Gf.Quatf, "quath": Gf.Quath}.get(name, Gf.Quatd)
        return made(value)
    if name in ("float3", "vector3f"):
        return Gf.Vec3f(value)
    if name == "half3":
        return Gf.Vec3h(value)
    return value


def _matrix(row: Any) -> Gf.Matrix4d:
    x, y, z, w = row[3:7].tolist()
    turn = Gf.Rotation(Gf.Quatd(w, x, y, z))
    return Gf.Matrix4d(turn, Gf.Vec3d(*row[:3].tolist()))
