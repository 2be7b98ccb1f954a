"""What of PhysX a stage asks for that its worlds do not have: refused, or told once."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Sequence

from pxr import Usd

from unibody.core.assets.description import Asset, Shape
from unibody.core.engine.records.options import WorldOptions
from unibody.core.engine.records.rule_table import FrictionRule
from unibody.errors import NotSupportedError
from unibody.notices import tell_once

_TENDONS = ("PhysxTendonAttachment",)
_SOFT = ("PhysxDeformableSurfaceAPI", "PhysxParticleSetAPI", "PhysxParticleSamplingAPI")
_LIMIT = re.compile(r"physxLimit:\w+:(stiffness|damping|restitution)")
_COMPLIANCE = re.compile(r"physxMimicJoint:\w+:naturalFrequency")
_RULES = {  # in PhysX's order: of two surfaces the later one counts
    "average": FrictionRule.AVERAGE,
    "min": FrictionRule.MINIMUM,
    "multiply": FrictionRule.MULTIPLY,
    "max": FrictionRule.MAXIMUM,
}


def check_prims(stage: Usd.Stage, root: str, excluded: Sequence[str] = ()) -> None:
    """Look at what prims ask for.

    Args:
        stage: The stage.
        root: Path of the prim that is looked at, with all below it.
        excluded: Paths that are left out, with all below them.

    Raises:
        NotSupportedError: There are spatial tendons.
    """
    left_out = set(excluded)
    prims = iter(Usd.PrimRange(stage.GetPrimAtPath(root), Usd.TraverseInstanceProxies()))
    for prim in prims:
        if str(prim.GetPath()) in left_out:
            prims.PruneChildren()
            continue
        schemas = [str(name) for name in prim.GetAppliedSchemas()]
        if any(name.startswith(_TENDONS) for name in schemas):
            raise NotSupportedError(
                f"the spatial tendon at {prim.GetPath()}", "fixed tendons (PhysxTendonAxisRootAPI)"
            )
        if any(name.startswith(_SOFT) for name in (*schemas, prim.GetTypeName())):
            tell_once(
                f"{prim.GetPath()}: loose particles and deformable surfaces of a stage "
                "stay where they are"
            )
        if any(name.startswith("PhysxLimitAPI") for name in schemas):
            _tell_of(prim, _LIMIT, "limits of joints are hard, and nothing bounces off them")
        if any(name.startswith("PhysxMimicJointAPI") for name in schemas):
            _tell_of(prim, _COMPLIANCE, "mimic joints are rigid")


def _tell_of(prim: Usd.Prim, pattern: re.Pattern[str], what: str) -> None:
    for attribute in prim.GetAuthoredAttributes():
        value = attribute.Get() if pattern.fullmatch(attribute.GetName()) else None
        if value:
            tell_once(f"{prim.GetPath()}: {attribute.GetName()} is left out: {what}")


def combine_surfaces(
    options: WorldOptions, moving: Iterable[Asset], still: Sequence[Asset]
) -> None:
    """Choose how the numbers of two surfaces combine, from what the materials of a stage say.

    A world has one rule each for friction and restitution; where pairs of surfaces ask for
    several, it is the average, and that is told.

    Args:
        options: Of the world.
        moving: What may touch anything.
        still: What touches only these.
    """
    first = [shape for asset in moving for link in asset.links for shape in link.collisions]
    others = [shape for asset in still for link in asset.links for shape in link.collisions]
    for name in ("friction", "restitution"):
        own = {_rank(shape, name) for shape in first}
        pairs = itertools.product(own, own | {_rank(shape, name) for shape in others})
        asked = sorted({max(pair) for pair in pairs})
        rules = list(_RULES.values())
        if len(asked) == 1:
            setattr(options, f"{name}_rule", rules[asked[0]])
        elif asked:
            known = [list(_RULES)[rank] for rank in asked]
            tell_once(f"materials combine {name} as {known}: a stage has one way, here the average")


def _rank(shape: Shape, name: str) -> int:
    surface = shape.surface
    stated = "" if surface is None else getattr(surface, f"{name}_combine")
    return list(_RULES).index(stated) if stated in _RULES else 0
