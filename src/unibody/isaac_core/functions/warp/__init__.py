"""Functions of arrays, for Warp."""

from __future__ import annotations

from unibody.isaac_core.functions.warp.maths import *  # noqa: F403
from unibody.isaac_core.functions.warp.rotations import *  # noqa: F403
from unibody.isaac_core.functions.warp.tensor import *  # noqa: F403
from unibody.isaac_core.functions.warp.transformations import *  # noqa: F403
