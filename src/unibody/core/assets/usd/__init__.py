"""Reading USD files: what UsdPhysics says of bodies, joints and shapes becomes an ``Asset``."""

from unibody.core.assets.usd.layers import check_stage, open_stage
from unibody.core.assets.usd.reader import UsdOptions, load_usd

__all__ = ["UsdOptions", "check_stage", "load_usd", "open_stage"]
