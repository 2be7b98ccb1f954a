"""Functions of arrays, for PyTorch."""

from __future__ import annotations

from unibody.isaac_core.functions.torch.maths import *  # noqa: F403
from unibody.isaac_core.functions.torch.rotations import *  # noqa: F403
from unibody.isaac_core.functions.torch.tensor import *  # noqa: F403
from unibody.isaac_core.functions.torch.transformations import *  # noqa: F403
