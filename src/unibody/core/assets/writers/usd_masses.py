"""Masses of bodies of a stage."""

from __future__ import annotations

from typing import Any

from unibody.core.assets.description import Link, Pose, Vec3
from unibody.core.assets.mass.physical import MIN_INERTIA, MIN_MASS
from unibody.core.assets.usd.library import pxr
from unibody.core.assets.writers.losses import Losses
from unibody.core.assets.writers.principal import principal_moments


def write_mass(prim: Any, link: Link, losses: Losses) -> None:
    """Write the mass of a link.

    Args:
        prim: Of its body.
        link: The link.
        losses: What had to be changed is noted there.
    """
    where, inertial = f"link {link.name!r}", link.inertial
    if inertial.mass <= 0.0:
        losses.add(f"USD has no body without a mass, {MIN_MASS} kg are written", where)
        _write(prim, MIN_MASS, Pose(inertial.pose.pos), (MIN_INERTIA, MIN_INERTIA, MIN_INERTIA))
        return
    pose, moments = principal_moments(inertial)
    if min(moments) <= 0.0:  # none stands for those of the shapes
        losses.add("USD has no body without a moment of inertia, raised", where)
        a, b, c = (max(moment, MIN_INERTIA) for moment in moments)
        moments = (a, b, c)
    _write(prim, inertial.mass, pose, moments)


def _write(prim: Any, mass: float, pose: Pose, moments: Vec3) -> None:
    modules = pxr()
    stated = modules.UsdPhysics.MassAPI.Apply(prim)
    stated.CreateMassAttr(float(mass))
    stated.CreateCenterOfMassAttr(modules.Gf.Vec3f(*pose.pos))
    stated.CreateDiagonalInertiaAttr(modules.Gf.Vec3f(*moments))
    stated.CreatePrincipalAxesAttr(modules.Gf.Quatf(*pose.quat))
