"""The soft bodies of a scene: where their particles are, and what the stage shows of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pxr import Gf, Sdf, Usd, UsdGeom, Vt

from unibody.core.batch.environment import Environment
from unibody.core.batch.soft import SoftEnvironments
from unibody.core.engine.soft.bodies import SoftWorld
from unibody.core.engine.soft.contact_tables import Slid
from unibody.isaac_core.physics.soft.reading import CLOTH, Found, is_soft, read, springs_of

_SPRINGS = ("physxAutoParticleCloth:", "physxParticle:spring")


class SoftPrim:
    """A mesh of the stage that is soft.

    Attributes:
        prim: The mesh.
        found: What it is.
        start: Its particles when it was read, (p, 3) in the world.
    """

    def __init__(self, prim: Usd.Prim, found: Found, env: Environment) -> None:
        self.prim: Any = prim
        self.found: Found = found
        self._origin = np.asarray(env.position, np.float64)
        self._faces = found.soft.faces
        self._to_local = np.linalg.inv(_matrix(prim))
        self.start: NDArray[np.floating[Any]] = found.soft.state.positions.copy()
        self.world: SoftWorld | None = None
        found.soft.state.positions[:] -= self._origin
        if found.soft.rest is not None:
            found.soft.rest = found.soft.rest - self._origin

    @property
    def positions(self) -> Any:
        """Of its particles, (p, 3) in the world."""
        return self.found.soft.state.positions + self._origin

    @property
    def velocities(self) -> Any:
        """Of its particles, (p, 3)."""
        return self.found.soft.state.velocities

    def place(self, positions: Any) -> None:
        """Put the particles elsewhere; their velocities stay."""
        self.found.soft.state.positions[:] = np.asarray(positions) - self._origin
        self.found.soft.state.accelerations[:] = 0.0
        self._forget_slides()

    def move(self, velocities: Any) -> None:
        """Give the particles velocities."""
        self.found.soft.state.velocities[:] = velocities
        self.found.soft.state.accelerations[:] = 0.0

    def reset(self) -> None:
        """Put the particles where they were when the stage was read, at rest."""
        self.place(self.start)
        self.move(0.0)

    def fall(self, gravity: Any) -> None:
        """Let the first step begin with the acceleration of free fall."""
        self.found.soft.state.accelerations[:] = self.found.soft.gravity * gravity

    def carry(self) -> None:
        """Go along with the prim, which a script has put elsewhere."""
        before, self._to_local = self._to_local, np.linalg.inv(_matrix(self.prim))
        way = before @ _matrix(self.prim)
        self.place(self.positions @ way[:3, :3] + way[3, :3])
        self.start = self.start @ way[:3, :3] + way[3, :3]

    def weigh(self, masses: Any) -> None:
        """Give the particles masses, (p,)."""
        soft = self.found.soft
        self._rebuilt(lambda: replace(soft.tables, masses=np.array(masses, np.float64)))

    def read_springs(self) -> None:
        """Take the springs that the stage states now."""
        soft = self.found.soft
        springs = springs_of(self.prim, self.start, self._faces)
        self._rebuilt(lambda: replace(soft.tables, springs=springs))

    def _rebuilt(self, make: Callable[[], Any]) -> None:
        world = self.world
        assert world is not None
        world.remove(self.found.soft)
        self.found.soft.tables = make()
        world.add(self.found.soft)

    def _forget_slides(self) -> None:
        if self.world is not None:
            self.world.set_slid(self.found.soft, Slid.none())

    def points(self) -> Any:
        """Of the mesh, in the frame of its prim, (n, 3)."""
        drawing = self.found.drawing
        places = self.positions
        places = places if drawing is None else drawing.places(places)
        return places @ self._to_local[:3, :3] + self._to_local[3, :3]

    def damp(self, dt: float) -> None:
        """Slow the particles down, as the material says."""
        if self.found.damping > 0.0:
            self.velocities[:] *= max(1.0 - self.found.damping * dt, 0.0)


def _matrix(prim: Usd.Prim) -> Any:
    return np.array(UsdGeom.XformCache().GetLocalToWorldTransform(prim))


class SoftPrims:
    """The soft bodies of a scene.

    Args:
        scene: A ``PhysicsScene``, whose environments are there.
        of_prim: The environment of a path.
    """

    def __init__(self, scene: Any, of_prim: Callable[[str], Environment]) -> None:
        self.scene = scene
        self._gravity = np.array(scene.gravity, np.float32)
        self.by_path: dict[str, SoftPrim] = {}
        self._before: dict[str, tuple[Any, bool]] = {}
        for prim in scene.stage.Traverse():
            if is_soft(prim):
                path = str(prim.GetPath())
                env = of_prim(path)
                self.by_path[path] = SoftPrim(prim, read(prim), env)
                self._enter(env, self.by_path[path])

    def _enter(self, env: Environment, one: SoftPrim) -> None:
        batch = self.scene.batch
        if batch.soft is None:
            batch.soft = SoftEnvironments(batch)
        one.world = batch.soft.add(env, one.found.soft)
        one.fall(self._gravity)

    def before_step(self, dt: float) -> None:
        """What acts on particles besides what they touch."""
        for one in self.by_path.values():
            one.damp(dt)

    def changed(self, path: str, names: Iterable[str]) -> bool:
        """Take what a script wrote; whether all of it acts now."""
        one = self.by_path[path]
        written = list(names)
        if any(name.startswith("xformOp") for name in written):
            one.carry()
        if one.prim.HasAPI(CLOTH) and any(name.startswith(_SPRINGS) for name in written):
            one.read_springs()
        return all(name.startswith(("xformOp", "physics:mass", *_SPRINGS)) for name in written)

    def flush(self) -> None:
        """Write the points of the meshes to the stage."""
        layer = self.scene.stage.GetEditTarget().GetLayer()
        with Sdf.ChangeBlock():
            for one in self.by_path.values():
                if one.prim:
                    points = np.ascontiguousarray(one.points(), np.float32)
                    spec = self._spec(layer, one.prim, "points", Sdf.ValueTypeNames.Point3fArray)
                    spec.default = Vt.Vec3fArray.FromNumpy(points)
                    spec = self._spec(layer, one.prim, "extent", Sdf.ValueTypeNames.Float3Array)
                    corners = (points.min(axis=0), points.max(axis=0))
                    spec.default = [Gf.Vec3f(*corner.tolist()) for corner in corners]

    def restore(self) -> None:
        """Write the points from before the flushes."""
        layer = self.scene.stage.GetEditTarget().GetLayer()
        with Sdf.ChangeBlock():
            for path, (value, authored) in self._before.items():
                spec = layer.GetAttributeAtPath(path)
                if spec is not None and authored:
                    spec.default = value
                elif spec is not None:
                    spec.owner.RemoveProperty(spec)
        self._before.clear()

    def _spec(self, layer: Any, prim: Usd.Prim, name: str, kind: Any) -> Any:
        path = prim.GetPath().AppendProperty(name)
        spec = layer.GetAttributeAtPath(path)
        if str(path) not in self._before:
            has = spec is not None and bool(spec.HasDefaultValue())
            self._before[str(path)] = (spec.default if spec is not None and has else None, has)
        if spec is None:
            owner = Sdf.CreatePrimInLayer(layer, prim.GetPath())
            spec = Sdf.AttributeSpec(owner, name, kind, Sdf.VariabilityVarying)
        return spec
