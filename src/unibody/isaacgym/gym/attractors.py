"""Methods of ``Gym``: attractors."""

from __future__ import annotations

from typing import Any

from unibody.isaacgym import handles
from unibody.isaacgym.batch.attractor import Attractor
from unibody.isaacgym.batch.environment import Environment
from unibody.isaacgym.errors import ArgumentTypeError
from unibody.isaacgym.gym.checks import body_of, env_of, index_of, transform_of
from unibody.isaacgym.types.poses import Transform
from unibody.isaacgym.types.properties import AttractorProperties


class AttractorCalls:
    """Attractors: springs that pull a point of a body to a pose in its environment."""

    def create_rigid_body_attractor(self, arg0: handles.Env, arg1: AttractorProperties) -> int:
        """Add an attractor; return its handle in the environment.

        Raises:
            InvalidArgumentError: There is no such body, or a gain is negative.
            NotSupportedError: Some axes of rotation, but not all.
        """
        env = env_of(arg0)
        properties = _properties(arg1)
        attractor = _made(env, properties)
        env.attractors.append(attractor)
        env.sim.edited()
        return len(env.attractors) - 1

    def get_attractor_properties(self, arg0: handles.Env, arg1: int) -> AttractorProperties:
        """Return a copy of the properties of an attractor."""
        found = AttractorProperties()
        found.assign("attractor", _attractor(env_of(arg0), arg1).properties)
        return found

    def set_attractor_properties(
        self, arg0: handles.Env, arg1: int, arg2: AttractorProperties
    ) -> None:
        """Change the properties of an attractor."""
        env = env_of(arg0)
        attractor = _attractor(env, arg1)
        properties = _properties(arg2)
        before = attractor.topology()
        replaced = _made(env, properties)
        if replaced.topology() != before:
            env.sim.edited()
        env.attractors[arg1] = replaced
        env.sim.spring_changed(env, replaced)

    def set_attractor_target(self, arg0: handles.Env, arg1: int, arg2: Transform) -> None:
        """Change where an attractor pulls to."""
        target = transform_of("target", arg2)
        properties = self.get_attractor_properties(arg0, arg1)
        properties.target = target
        self.set_attractor_properties(arg0, arg1, properties)


def _made(env: Environment, properties: AttractorProperties) -> Attractor:
    actor, body = body_of(env, properties.rigid_handle)
    return Attractor(actor.handle, actor.model.body_links[body], properties)


def _attractor(env: Environment, handle: Any) -> Attractor:
    return env.attractors[index_of("attractor handle", handle, len(env.attractors))]


def _properties(value: Any) -> AttractorProperties:
    if not isinstance(value, AttractorProperties):
        raise ArgumentTypeError("properties", value, "a gymapi.AttractorProperties")
    return value
