"""What prims of a stage say of masses, by the rules of later releases of 1.x.

A value that is no mass, density, moment or point counts as not stated, and a warning tells of it.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import warp as wp

from unibody.newton import inertia, usd
from unibody.newton.exceptions import warn
from unibody.newton.importers.masses import set_mass
from unibody.newton.usd_values import has_applied_api_schema

_SMALL = 0.1  # radius of the ball that OpenUSD takes for a body without colliders [m]
_TENSOR = 6


class Collider(NamedTuple):
    """Shapes of a prim that collides.

    Attributes:
        shapes: Their numbers.
        density: That they have where no schema of masses states one [kg/m^3].
        wall: Thickness of hollow ones [m].
    """

    shapes: list[int]
    density: float
    wall: float


class _Stated:
    """What a prim states by UsdPhysics' schema of masses; None: nothing of use."""

    def __init__(self, prim: Any) -> None:
        from pxr import UsdPhysics

        self.applied: Any = prim.HasAPI(UsdPhysics.MassAPI) or has_applied_api_schema(
            prim, "NewtonMassAPI"
        )
        self.mass: Any = None
        self.density: Any = None
        self.moments: Any = None
        self.centre: Any = None
        self.axes: Any = None
        self.wrong: set[str] = set()
        if not self.applied:
            return
        self.mass = self._positive(usd.get_attribute(prim, "physics:mass"), "mass")
        self.density = self._positive(usd.get_attribute(prim, "physics:density"), "density")
        self.moments = self._moments(usd.get_attribute(prim, "physics:diagonalInertia"))
        centre = usd.get_attribute(prim, "physics:centerOfMass")
        if centre is not None and np.isfinite(centre).all():
            self.centre = np.array(centre, dtype=float)
        self.axes = usd.get_quat(prim, "physics:principalAxes")

    def _positive(self, value: Any, name: str) -> Any:
        if value is None or value == 0.0:
            return None
        if math.isfinite(value) and value > 0.0:
            return float(value)
        self.wrong.add(name)
        return None

    def _moments(self, value: Any) -> Any:
        if value is None or not any(value):
            return None
        found = np.array(value, dtype=float)
        if np.isfinite(found).all() and (found >= 0.0).all():
            return found
        self.wrong.add("moments")
        return None

    def tensor(self) -> np.ndarray:
        """The stated moments about the stated axes, in the axes of the prim."""
        turn = np.eye(3) if self.axes is None else _matrix(wp.normalize(self.axes))
        return turn @ np.diag(self.moments) @ turn.T


class _Sum(NamedTuple):
    mass: float
    com: np.ndarray
    inertia: np.ndarray


class BodyMasses:
    """Gives bodies of a builder the masses that a stage states.

    Args:
        builder: The builder, whose shapes have given their bodies a mass by their densities.
        stage: A ``Usd.Stage``.
        colliders: Path of a prim -> what collides of it.
    """

    def __init__(self, builder: Any, stage: Any, colliders: dict[str, Collider]) -> None:
        self._builder, self._stage = builder, stage
        self._of_body: dict[int, dict[str, Collider]] = {}
        for path, collider in colliders.items():
            body = builder.shape_body[collider.shapes[0]]
            self._of_body.setdefault(body, {})[path] = collider

    def write(self, bodies: dict[str, int]) -> None:
        """Write the masses of bodies, by the paths of their prims."""
        for path, body in bodies.items():
            prim = self._stage.GetPrimAtPath(path)
            stated, parts = _Stated(prim), self._of_body.get(body, {})
            own = {name: _Stated(self._stage.GetPrimAtPath(name)) for name in parts}
            if stated.applied or any(part.applied for part in own.values()):
                self._write(prim, body, stated, own)

    def _write(self, prim: Any, body: int, stated: _Stated, own: dict[str, _Stated]) -> None:
        builder, path = self._builder, str(prim.GetPath())
        tell_of_wrong(path, stated)
        tensor = _stated_tensor(prim)
        if tensor is None and stated.moments is not None:
            tensor = stated.tensor()
        whole = self._sum(body, own, None if stated.mass is not None else stated.density)
        com = whole.com if stated.centre is None else _scaled(prim, stated.centre)
        by_shapes = float(builder.body_mass[body])
        if stated.mass is None:
            mass = whole.mass
            tensor = whole.inertia if tensor is None else tensor
        else:
            mass = stated.mass
            if tensor is None and stated.density is not None:
                warn(f"Body {path}: authored mass and density, the density is ignored")
            if tensor is None and by_shapes > 0.0:
                given = np.array(builder.body_inertia[body], dtype=float).reshape(3, 3)
                tensor = given * (mass / by_shapes)
            elif tensor is None:
                tensor = 0.4 * mass * _SMALL**2 * np.eye(3)
        if not tensor.any() and mass > 0.0:
            tensor = self._ball(mass, com)
        elif not tensor.any():
            warn(f"Body {path} has zero mass and zero inertia, though it has PhysicsMassAPI")
        set_mass(builder, body, mass, wp.transform(wp.vec3(*com), wp.quat_identity()), tensor)

    def _ball(self, mass: float, com: np.ndarray) -> np.ndarray:
        """The inertia of a ball of a mass and the usual density, about the body's origin."""
        volume = mass / self._builder.default_shape_cfg.density
        radius = (0.75 * volume / math.pi) ** (1.0 / 3.0)
        return (0.4 * mass * radius**2 + mass * float(com @ com)) * np.eye(3)

    def _sum(self, body: int, own: dict[str, _Stated], density: float | None) -> _Sum:
        """Mass, centre and inertia of the colliders of a body.

        Args:
            body: The body.
            own: What its colliders state, by their paths.
            density: That the body states for those that state none.
        """
        found: list[_Sum] = []
        for path, stated in own.items():
            tell_of_wrong(path, stated, collider=True)
            collider = self._of_body[body][path]
            part = self._unit(collider)
            if not part.mass > 0.0:
                warn(f"Skipping collider {path} in mass aggregation: its volume is not positive")
                continue
            if stated.mass is not None and stated.moments is not None:
                part = self._as_stated(collider.shapes[0], stated, part.mass)
            weight = collider.density if density is None else density
            weight = weight if stated.density is None else stated.density
            weight = weight if stated.mass is None else stated.mass / part.mass
            found.append(_Sum(part.mass * weight, part.com, part.inertia * weight))
        return _total(found)

    def _unit(self, collider: Collider) -> _Sum:
        """Shapes of a prim at density 1, in the frame of their body."""
        builder, found = self._builder, []
        for shape in collider.shapes:
            part = inertia.shape(
                builder.shape_type[shape],
                builder.shape_scale[shape],
                builder.shape_source[shape],
                1.0,
                builder.shape_is_solid[shape],
                collider.wall,
            )
            pose = builder.shape_transform[shape]
            turn = _matrix(wp.transform_get_rotation(pose))
            at = np.array(wp.transform_get_translation(pose)) + turn @ part.com
            found.append(_Sum(part.mass, at, turn @ part.inertia @ turn.T))
        return _total(found)

    def _as_stated(self, shape: int, stated: _Stated, volume: float) -> _Sum:
        """A collider that states its mass and moments, at density 1."""
        pose = self._builder.shape_transform[shape]
        turn = _matrix(wp.transform_get_rotation(pose))
        centre = np.zeros(3) if stated.centre is None else stated.centre
        at = np.array(wp.transform_get_translation(pose)) + turn @ centre
        own = stated.tensor() * (volume / stated.mass)
        return _Sum(volume, at, turn @ own @ turn.T)


def tell_of_wrong(path: str, stated: _Stated, *, collider: bool = False) -> None:
    """Warn of what a prim states and what counts as not stated."""
    if "mass" in stated.wrong and collider:
        warn(f"Skipping collider {path}: authored MassAPI mass must be positive and finite")
    elif "mass" in stated.wrong:
        warn(f"Body {path}: authored mass is not positive and finite, what collides says it")
    if "density" in stated.wrong:
        warn(f"{path}: authored MassAPI density must be positive and finite: it is ignored")
    if "moments" in stated.wrong:
        warn(
            f"{path}: authored MassAPI diagonalInertia must have finite, nonnegative components:"
            " it is ignored"
        )


def wall_of(prim: Any, margin: float) -> tuple[bool, float]:
    """Whether a collider is solid, and how thick its wall is where it is not.

    Args:
        prim: The collider.
        margin: Its contact margin, which counts where it states no thickness.
    """
    solid = str(usd.get_attribute(prim, "newton:massModel", "solid")) != "shell"
    wall = usd.get_float(prim, "newton:shellThickness")
    if wall is not None and wall < 0.0:
        warn(f"Shape {prim.GetPath()}: negative shell thickness {wall}: its margin counts")
        wall = None
    return solid, margin if wall is None else wall


def _stated_tensor(prim: Any) -> np.ndarray | None:
    """The inertia that Newton's schema states, or None; a warning tells why it is none."""
    if not has_applied_api_schema(prim, "NewtonMassAPI"):
        return None
    values = usd.get_attribute(prim, "newton:inertia")
    if values is None:
        return None
    numbers = np.array(values, dtype=float)
    problem = ""
    if len(numbers) != _TENSOR:
        problem = f"{len(numbers)} elements, expected {_TENSOR}"
    elif not np.isfinite(numbers).all():
        problem = "non-finite values"
    elif (numbers[:3] < 0.0).any():
        problem = "negative diagonal elements"
    else:
        xx, yy, zz, xy, xz, yz = numbers
        tensor = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        if (np.linalg.eigvalsh(tensor) >= 0.0).all():
            return tensor
        problem = "values of a tensor that is not positive semidefinite"
    warn(f"Body {prim.GetPath()}: newton:inertia has {problem}: it is ignored")
    return None


def _scaled(prim: Any, point: np.ndarray) -> np.ndarray:
    """A point of a prim in the frame that its body has, whose axes have no scale."""
    from pxr import Gf, UsdGeom

    matrix = UsdGeom.XformCache().GetLocalToWorldTransform(prim)
    turn = Gf.Transform(matrix).GetRotation()
    offset = matrix.TransformDir(Gf.Vec3d(*point.tolist()))
    return np.array(turn.GetInverse().TransformDir(offset))


def _total(parts: list[_Sum]) -> _Sum:
    mass = sum(part.mass for part in parts)
    if not mass > 0.0:
        return _Sum(0.0, np.zeros(3), np.zeros((3, 3)))
    com = np.sum([part.mass * part.com for part in parts], axis=0) / mass
    whole = np.zeros((3, 3))
    for part in parts:
        own = inertia.MassProperties(part.mass, part.com, part.inertia)
        whole = whole + inertia.about(own, np.eye(3), part.com, com)
    return _Sum(mass, com, whole)


def _matrix(turn: Any) -> np.ndarray:
    return np.array(wp.quat_to_matrix(turn), dtype=float).reshape(3, 3)
