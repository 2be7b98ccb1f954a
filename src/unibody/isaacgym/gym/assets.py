"""Methods of ``Gym`` on assets, all together."""

from __future__ import annotations

from unibody.isaacgym.gym.asset_drives import AssetDriveCalls
from unibody.isaacgym.gym.asset_loading import AssetLoadingCalls
from unibody.isaacgym.gym.asset_queries import AssetQueryCalls


class AssetCalls(AssetLoadingCalls, AssetQueryCalls, AssetDriveCalls):
    """Assets."""
