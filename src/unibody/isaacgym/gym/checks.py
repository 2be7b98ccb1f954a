"""What arguments have to be."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from unibody.errors import InvalidArgumentError
from unibody.isaacgym.batch.environment import Actor, Environment
from unibody.isaacgym.batch.simulation import Simulation
from unibody.isaacgym.errors import ArgumentTypeError
from unibody.isaacgym.types import records
from unibody.isaacgym.types.enums import CoordinateSpace, IndexDomain
from unibody.isaacgym.types.fields import to_choice, to_int, to_list
from unibody.isaacgym.types.poses import Transform
from unibody.isaacgym.types.vectors import Vec3


def sim_of(value: Any, name: str = "sim") -> Simulation:
    """Return a simulation that is still there.

    Raises:
        ArgumentTypeError: It is no simulation.
        InvalidArgumentError: It has been destroyed.
    """
    if not isinstance(value, Simulation):
        raise ArgumentTypeError(name, value, "a Sim that create_sim returned")
    if not value.open:
        raise InvalidArgumentError(name, value, "a Sim that has not been destroyed")
    return value


def env_of(value: Any, name: str = "env") -> Environment:
    """Return an environment of a simulation that is still there."""
    if not isinstance(value, Environment):
        raise ArgumentTypeError(name, value, "an Env that create_env returned")
    sim_of(value.sim, name)
    if not value.open:
        raise InvalidArgumentError(name, value, "an Env that has not been destroyed")
    return value


def envs_of(value: Any, name: str = "envs") -> list[Environment]:
    """Return environments of simulations that are still there."""
    return [env_of(env, name) for env in to_list(name, value, "a list of environments")]


def actor_of(env: Any, handle: Any) -> Actor:
    """Return an actor of an environment.

    Raises:
        ArgumentTypeError: The environment or the handle has another type.
        InvalidArgumentError: There is no such actor.
    """
    actors = env_of(env).actors
    return actors[_within("actor handle", handle, len(actors), "actors in the environment")]


def body_of(env: Any, handle: Any) -> tuple[Actor, int]:
    """Return the actor of a rigid body handle, and the body's number there."""
    found = env_of(env)
    number = _within("rigid body handle", handle, found.body_count, "bodies in the environment")
    return found.body(number)


def dof_of(env: Any, handle: Any) -> tuple[Actor, int]:
    """Return the actor of a DOF handle, and the DOF's number there."""
    found = env_of(env)
    number = _within("DOF handle", handle, found.dof_count, "DOFs in the environment")
    return found.dof(number)


def joint_of(env: Any, handle: Any) -> tuple[Actor, int]:
    """Return the actor of a joint handle, and the joint's number there."""
    found = env_of(env)
    number = _within("joint handle", handle, found.joint_count, "joints in the environment")
    return found.joint(number)


def index_of(name: str, value: Any, count: int) -> int:
    """Return an index from 0 to ``count`` - 1."""
    return _within(name, value, count, "of them")


def _within(name: str, value: Any, count: int, what: str) -> int:
    number = to_int(name, value)
    if not 0 <= number < count:
        raise InvalidArgumentError(name, value, f"from 0 to {count - 1}: there are {count} {what}")
    return number


def in_domain(domain: Any, actor: int, env: int, sim: Callable[[], int]) -> int:
    """Choose an index by its domain."""
    chosen = to_choice("domain", domain, IndexDomain, "a gymapi.DOMAIN_*")
    if chosen is IndexDomain.DOMAIN_SIM:
        return sim()
    return env if chosen is IndexDomain.DOMAIN_ENV else actor


def text_of(name: str, value: Any) -> str:
    """Return a string."""
    if not isinstance(value, str):
        raise ArgumentTypeError(name, value, "a str")
    return value


def transform_of(name: str, value: Any) -> Transform:
    """Return a pose."""
    if not isinstance(value, Transform):
        raise ArgumentTypeError(name, value, "a gymapi.Transform")
    return value


def vector_of(name: str, value: Any) -> Vec3:
    """Return a vector."""
    if not isinstance(value, Vec3):
        raise ArgumentTypeError(name, value, "a gymapi.Vec3")
    return value


def space_of(value: Any) -> CoordinateSpace:
    """Return the space that forces are given in."""
    wanted = "gymapi.ENV_SPACE, LOCAL_SPACE or GLOBAL_SPACE"
    return to_choice("space", value, CoordinateSpace, wanted)


def numbers_of(name: str, value: Any) -> npt.NDArray[Any]:
    """Return finite numbers of any kind and shape as a flat array.

    Raises:
        ArgumentTypeError: They are no numbers.
        InvalidArgumentError: One is not finite.
    """
    wanted = "an array of numbers"
    numbers = records.to_array(name, value, wanted).ravel()
    if numbers.dtype.kind not in "biuf":
        raise ArgumentTypeError(name, value, wanted)
    if not np.isfinite(numbers).all():
        raise InvalidArgumentError(name, "a number that is not finite", "finite numbers")
    return numbers


def floats_of(name: str, value: Any, count: int) -> npt.NDArray[np.float32]:
    """Return ``count`` finite numbers as float32.

    Raises:
        ArgumentTypeError: They are no numbers.
        InvalidArgumentError: There are more or fewer, or one is not finite.
    """
    numbers = numbers_of(name, value)
    if numbers.size != count:
        raise InvalidArgumentError(name, f"{numbers.size} numbers", f"{count} numbers, one a DOF")
    return _single(name, numbers)


def records_of(
    name: str, value: Any, dtype: np.dtype[np.void], count: int
) -> npt.NDArray[np.float32]:
    """Return records of single-precision numbers as an array (count, width).

    One number a record fills all of it, as NumPy and so the original convert it.

    Raises:
        ArgumentTypeError: They are of another dtype.
        InvalidArgumentError: There are more or fewer, or one is not finite.
    """
    array = records.to_array(name, value, f"an array of {dtype}")
    width = dtype.itemsize // 4
    if array.dtype == dtype:
        array = np.ascontiguousarray(array).ravel().view(np.float32).reshape(-1, width)
    elif array.dtype.kind in "fiu" and array.shape == (count,):
        array = np.repeat(array, width)
    elif array.dtype.kind not in "fiu" or not array.ndim or array.shape[-1] != width:
        raise ArgumentTypeError(name, f"an array of {array.dtype}", f"an array of {dtype}")
    array = array.reshape(-1, width)
    if len(array) != count:
        raise InvalidArgumentError(name, f"{len(array)} records", f"{count} records")
    return _single(name, array)


def _single(name: str, numbers: npt.NDArray[Any]) -> npt.NDArray[np.float32]:
    """Round to single precision; what is not finite, or beyond, is refused."""
    with np.errstate(over="ignore"):
        rounded = numbers.astype(np.float32)
    if not np.isfinite(rounded).all():
        raise InvalidArgumentError(name, "a number that is not finite", "finite numbers")
    return rounded


def flags_of(name: str, value: Any) -> int:
    """Return ``STATE_*`` bits."""
    number = to_int(name, value)
    if not 0 <= number <= 3:
        raise InvalidArgumentError(name, value, "STATE_NONE, STATE_POS, STATE_VEL or STATE_ALL")
    return number
