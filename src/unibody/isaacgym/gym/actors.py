"""Methods of ``Gym``: actors, and the names, numbers and handles of their parts.

A handle is a number in the environment. What is looked up by a name that does not exist is -1.
"""

from __future__ import annotations

from typing import Any

from unibody.errors import InvalidArgumentError
from unibody.isaacgym import handles
from unibody.isaacgym.batch.environment import Actor
from unibody.isaacgym.errors import ArgumentTypeError
from unibody.isaacgym.gym.checks import (
    actor_of,
    env_of,
    in_domain,
    index_of,
    joint_of,
    text_of,
    transform_of,
)
from unibody.isaacgym.models.model import Model
from unibody.isaacgym.types.constants import INVALID_HANDLE
from unibody.isaacgym.types.enums import IndexDomain
from unibody.isaacgym.types.fields import to_int
from unibody.isaacgym.types.poses import IndexRange, Transform

_MOST_FILTER = 2**31 - 1


class ActorCalls:
    """Actors."""

    def create_actor(
        self,
        env: handles.Env,
        asset: handles.Asset,
        pose: Transform,
        name: str | None = None,
        group: int = -1,
        filter: int = -1,
        segmentationId: int = 0,
    ) -> int:
        """Put an asset into an environment.

        Args:
            env: The environment.
            asset: The asset.
            pose: Of its first body, in the environment's frame.
            name: Need not be unique.
            group: Actors of different groups do not collide; -1 collides with all.
            filter: Bits: two shapes that share one do not collide, so a number above zero
                switches self-collision off. -1 leaves the shapes those of the asset.
            segmentationId: Its number in segmentation images.

        Returns:
            The actor's handle, in its environment.
        """
        place = env_of(env)
        if not isinstance(asset, Model):
            raise ArgumentTypeError("asset", asset, "an Asset that load_asset returned")
        own = transform_of("pose", pose)
        filter_ = to_int("filter", filter)
        if not -1 <= filter_ <= _MOST_FILTER:
            raise InvalidArgumentError("filter", filter, "-1 or more")
        label = "" if name is None else text_of("name", name)
        number = to_int("segmentationId", segmentationId)
        actor = place.add(asset, own, label, to_int("group", group), filter_, number)
        place.sim.edited()
        return actor.handle

    # --- actors --------------------------------------------------------------------------------

    def get_actor_count(self, arg0: handles.Env) -> int:
        """Return the number of actors in an environment."""
        return len(env_of(arg0).actors)

    def get_actor_handle(self, arg0: handles.Env, arg1: int) -> int:
        """Return the handle of an actor by its number in the environment."""
        return index_of("actor index", arg1, len(env_of(arg0).actors))

    def get_actor_name(self, arg0: handles.Env, arg1: int) -> str:
        """Return the name of an actor."""
        return actor_of(arg0, arg1).name

    def get_actor_asset(self, arg0: handles.Env, arg1: int) -> handles.Asset:
        """Return what an actor was made of."""
        return actor_of(arg0, arg1).model

    def get_actor_index(self, arg0: handles.Env, arg1: int, arg2: IndexDomain) -> int:
        """Return the number of an actor in a domain."""
        actor = actor_of(arg0, arg1)
        return in_domain(arg2, 0, actor.handle, lambda: _bases(actor)[0] + actor.handle)

    def find_actor_handle(self, arg0: handles.Env, arg1: str) -> int:
        """Return the handle of the first actor with a name."""
        names = [actor.name for actor in env_of(arg0).actors]
        return _find(names, arg1)

    def find_actor_index(self, arg0: handles.Env, arg1: str, arg2: IndexDomain) -> int:
        """Return the number of the first actor with a name in a domain."""
        handle = self.find_actor_handle(arg0, arg1)
        return handle if handle < 0 else self.get_actor_index(arg0, handle, arg2)

    # --- rigid bodies --------------------------------------------------------------------------

    def get_actor_rigid_body_count(self, arg0: handles.Env, arg1: int) -> int:
        """Return the number of rigid bodies of an actor."""
        return len(actor_of(arg0, arg1).model.body_links)

    def get_actor_rigid_body_names(self, arg0: handles.Env, arg1: int) -> list[str]:
        """Return the names of an actor's rigid bodies."""
        return list(actor_of(arg0, arg1).model.body_names)

    def get_actor_rigid_body_dict(self, arg0: handles.Env, arg1: int) -> dict[str, int]:
        """Return the numbers of an actor's rigid bodies by name."""
        return _numbers(actor_of(arg0, arg1).model.body_names)

    def get_actor_rigid_body_handle(self, arg0: handles.Env, arg1: int, arg2: int) -> int:
        """Return the handle of a rigid body by its number."""
        return self.get_actor_rigid_body_index(arg0, arg1, arg2, IndexDomain.DOMAIN_ENV)

    def get_actor_rigid_body_index(
        self, arg0: handles.Env, arg1: int, arg2: int, arg3: IndexDomain
    ) -> int:
        """Return the number of a rigid body in a domain."""
        actor = actor_of(arg0, arg1)
        number = index_of("body index", arg2, len(actor.model.body_links))
        in_env = actor.first_body + number
        return in_domain(arg3, number, in_env, lambda: _bases(actor)[1] + in_env)

    def get_actor_root_rigid_body_handle(self, arg0: handles.Env, arg1: int) -> int:
        """Return the handle of an actor's first body."""
        return actor_of(arg0, arg1).first_body

    def find_actor_rigid_body_handle(self, arg0: handles.Env, arg1: int, arg2: str) -> int:
        """Return the handle of a rigid body by name."""
        return self.find_actor_rigid_body_index(arg0, arg1, arg2, IndexDomain.DOMAIN_ENV)

    def find_actor_rigid_body_index(
        self, arg0: handles.Env, arg1: int, arg2: str, arg3: IndexDomain
    ) -> int:
        """Return the number of a rigid body in a domain, by name."""
        number = _find(actor_of(arg0, arg1).model.body_names, arg2)
        return number if number < 0 else self.get_actor_rigid_body_index(arg0, arg1, number, arg3)

    def get_rigid_handle(self, arg0: handles.Env, arg1: str, arg2: str) -> int:
        """Return the handle of a rigid body by the names of its actor and itself."""
        handle = self.find_actor_handle(arg0, arg1)
        return handle if handle < 0 else self.find_actor_rigid_body_handle(arg0, handle, arg2)

    def get_actor_rigid_shape_count(self, arg0: handles.Env, arg1: int) -> int:
        """Return the number of collision shapes of an actor."""
        return len(actor_of(arg0, arg1).model.shapes)

    def get_actor_rigid_body_shape_indices(self, arg0: handles.Env, arg1: int) -> list[IndexRange]:
        """Return for each rigid body which collision shapes are its own."""
        return shape_ranges(actor_of(arg0, arg1).model)

    # --- joints --------------------------------------------------------------------------------

    def get_actor_joint_count(self, arg0: handles.Env, arg1: int) -> int:
        """Return the number of joints of an actor."""
        return len(actor_of(arg0, arg1).model.joints)

    def get_actor_joint_names(self, arg0: handles.Env, arg1: int) -> list[str]:
        """Return the names of an actor's joints."""
        return [joint.name for joint in actor_of(arg0, arg1).model.joints]

    def get_actor_joint_dict(self, arg0: handles.Env, arg1: int) -> dict[str, int]:
        """Return the numbers of an actor's joints by name."""
        return _numbers(self.get_actor_joint_names(arg0, arg1))

    def get_actor_joint_handle(self, arg0: handles.Env, arg1: int, arg2: int) -> int:
        """Return the handle of a joint by its number."""
        return self.get_actor_joint_index(arg0, arg1, arg2, IndexDomain.DOMAIN_ENV)

    def get_actor_joint_index(
        self, arg0: handles.Env, arg1: int, arg2: int, arg3: IndexDomain
    ) -> int:
        """Return the number of a joint in a domain."""
        actor = actor_of(arg0, arg1)
        number = index_of("joint index", arg2, len(actor.model.joints))
        in_env = actor.first_joint + number
        return in_domain(arg3, number, in_env, lambda: _bases(actor)[3] + in_env)

    def find_actor_joint_handle(self, arg0: handles.Env, arg1: int, arg2: str) -> int:
        """Return the handle of a joint by name."""
        return self.find_actor_joint_index(arg0, arg1, arg2, IndexDomain.DOMAIN_ENV)

    def find_actor_joint_index(
        self, arg0: handles.Env, arg1: int, arg2: str, arg3: IndexDomain
    ) -> int:
        """Return the number of a joint in a domain, by name."""
        number = _find(self.get_actor_joint_names(arg0, arg1), arg2)
        return number if number < 0 else self.get_actor_joint_index(arg0, arg1, number, arg3)

    def get_joint_handle(self, arg0: handles.Env, arg1: str, arg2: str) -> int:
        """Return the handle of a joint by the names of its actor and itself."""
        handle = self.find_actor_handle(arg0, arg1)
        return handle if handle < 0 else self.find_actor_joint_handle(arg0, handle, arg2)

    def get_joint_name(self, arg0: handles.Env, arg1: int) -> str:
        """Return the name of a joint."""
        actor, number = joint_of(arg0, arg1)
        return actor.model.joints[number].name

    # --- degrees of freedom --------------------------------------------------------------------

    def get_actor_dof_count(self, arg0: handles.Env, arg1: int) -> int:
        """Return the number of degrees of freedom of an actor."""
        return len(actor_of(arg0, arg1).model.dofs)

    def get_actor_dof_names(self, arg0: handles.Env, arg1: int) -> list[str]:
        """Return the names of an actor's degrees of freedom."""
        return [dof.name for dof in actor_of(arg0, arg1).model.dofs]

    def get_actor_dof_dict(self, arg0: handles.Env, arg1: int) -> dict[str, int]:
        """Return the numbers of an actor's degrees of freedom by name."""
        return _numbers(self.get_actor_dof_names(arg0, arg1))

    def get_actor_dof_handle(self, arg0: handles.Env, arg1: int, arg2: int) -> int:
        """Return the handle of a degree of freedom by its number."""
        return self.get_actor_dof_index(arg0, arg1, arg2, IndexDomain.DOMAIN_ENV)

    def get_actor_dof_index(
        self, arg0: handles.Env, arg1: int, arg2: int, arg3: IndexDomain
    ) -> int:
        """Return the number of a degree of freedom in a domain."""
        actor = actor_of(arg0, arg1)
        number = index_of("DOF index", arg2, len(actor.model.dofs))
        in_env = actor.first_dof + number
        return in_domain(arg3, number, in_env, lambda: _bases(actor)[2] + in_env)

    def find_actor_dof_handle(self, arg0: handles.Env, arg1: int, arg2: str) -> int:
        """Return the handle of a degree of freedom by name."""
        return self.find_actor_dof_index(arg0, arg1, arg2, IndexDomain.DOMAIN_ENV)

    def find_actor_dof_index(
        self, arg0: handles.Env, arg1: int, arg2: str, arg3: IndexDomain
    ) -> int:
        """Return the number of a degree of freedom in a domain, by name."""
        number = _find(self.get_actor_dof_names(arg0, arg1), arg2)
        return number if number < 0 else self.get_actor_dof_index(arg0, arg1, number, arg3)


def shape_ranges(model: Model) -> list[IndexRange]:
    """Which collision shapes belong to each rigid body."""
    ranges: list[IndexRange] = []
    for body in range(len(model.body_links)):
        own = [number for number, shape in enumerate(model.shapes) if shape.body == body]
        entry = IndexRange()
        entry.start, entry.count = (own[0] if own else 0), len(own)
        ranges.append(entry)
    return ranges


def _bases(actor: Actor) -> tuple[int, int, int, int]:
    """Numbers in the simulation of an environment's first actor, body, DOF and joint."""
    env = actor.env
    if env.sim.built:
        joints = sum(other.joint_count for other in env.sim.envs[: env.index])
        return env.actor_base, env.body_base, env.dof_base, joints
    before = env.sim.envs[: env.index]
    return (
        sum(len(other.actors) for other in before),
        sum(other.body_count for other in before),
        sum(other.dof_count for other in before),
        sum(other.joint_count for other in before),
    )


def _find(names: list[str], name: Any) -> int:
    wanted = text_of("name", name)
    return names.index(wanted) if wanted in names else INVALID_HANDLE


def _numbers(names: list[str]) -> dict[str, int]:
    return {name: number for number, name in enumerate(names)}
