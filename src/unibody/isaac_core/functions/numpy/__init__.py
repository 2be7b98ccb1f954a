"""Functions of arrays, for NumPy."""

from __future__ import annotations

from unibody.isaac_core.functions.numpy.maths import *  # noqa: F403
from unibody.isaac_core.functions.numpy.rotations import *  # noqa: F403
from unibody.isaac_core.functions.numpy.tensor import *  # noqa: F403
from unibody.isaac_core.functions.numpy.transformations import *  # noqa: F403
