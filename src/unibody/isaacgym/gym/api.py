"""``Gym``: all methods of the API."""

from __future__ import annotations

from functools import cache
from typing import Any

from unibody.isaacgym.absent import absent_method, absent_methods
from unibody.isaacgym.gym.actor_drives import ActorDriveCalls
from unibody.isaacgym.gym.actors import ActorCalls
from unibody.isaacgym.gym.assets import AssetCalls
from unibody.isaacgym.gym.attractors import AttractorCalls
from unibody.isaacgym.gym.cameras import CameraCalls
from unibody.isaacgym.gym.contacts import ContactCalls
from unibody.isaacgym.gym.controls import ControlCalls
from unibody.isaacgym.gym.envs import EnvCalls
from unibody.isaacgym.gym.looks import LookCalls
from unibody.isaacgym.gym.properties import PropertyCalls
from unibody.isaacgym.gym.sims import SimCalls
from unibody.isaacgym.gym.soft import SoftCalls
from unibody.isaacgym.gym.states import StateCalls
from unibody.isaacgym.gym.tensors import TensorCalls
from unibody.isaacgym.gym.viewers import ViewerCalls


class Gym(
    SimCalls,
    AssetCalls,
    EnvCalls,
    ActorCalls,
    PropertyCalls,
    StateCalls,
    ControlCalls,
    AttractorCalls,
    ContactCalls,
    ActorDriveCalls,
    TensorCalls,
    SoftCalls,
    LookCalls,
    CameraCalls,
    ViewerCalls,
):
    """The API. A process has one, which ``acquire_gym`` returns."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Take no notice of arguments: the original's own constructor is not documented."""


for _name in absent_methods() - set(dir(Gym)):
    setattr(Gym, _name, absent_method(_name))


@cache
def acquire() -> Gym:
    """Return the one ``Gym``."""
    return Gym()
