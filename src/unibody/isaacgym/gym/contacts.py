"""Methods of ``Gym``: contacts of rigid bodies."""

from __future__ import annotations

from typing import Any

import numpy as np

from unibody.core.assets.rotations import rotations
from unibody.isaacgym import handles
from unibody.isaacgym.batch.environment import Environment
from unibody.isaacgym.batch.simulation import Simulation
from unibody.isaacgym.gym.checks import env_of, envs_of, sim_of
from unibody.isaacgym.types import records

_GROUND = -1


class ContactCalls:
    """Contacts."""

    def get_rigid_contact_forces(self, arg0: handles.Sim) -> Any:
        """Return the sum of contact forces on each rigid body [N], records ``Vec3`` (bodies,)."""
        return _forces(sim_of(arg0))

    def get_env_rigid_contact_forces(self, arg0: handles.Env) -> Any:
        """Return the same for the bodies of an environment."""
        env = env_of(arg0)
        forces = _forces(env.sim)
        return forces[env.body_base : env.body_base + env.body_count]

    def get_vec_env_rigid_contact_forces(self, arg0: list[handles.Env]) -> Any:
        """Return the same for several environments, one after another."""
        parts = [self.get_env_rigid_contact_forces(env) for env in envs_of(arg0)]
        return np.concatenate(parts) if parts else np.zeros(0, records.VEC3)

    def get_env_rigid_contacts(self, arg0: handles.Env) -> Any:
        """Return the contacts of an environment as of its state, records ``RigidContact``."""
        env = env_of(arg0)
        return _contacts(env, _states(env.sim))

    def get_rigid_contacts(self, arg0: handles.Sim) -> Any:
        """Return the contacts of all environments as of their states."""
        sim = sim_of(arg0)
        states = _states(sim)
        parts = [_contacts(env, states) for env in sim.envs]
        return np.concatenate(parts) if parts else np.zeros(0, records.RIGID_CONTACT)


def _forces(sim: Simulation) -> Any:
    sim.read_contacts()
    sim.buffers.to_host("contacts")
    return sim.buffers.host.contacts.copy().view(records.VEC3)[:, 0]


def _states(sim: Simulation) -> Any:
    """States of all bodies, in host memory."""
    sim.build()
    sim.read_bodies()
    sim.buffers.to_host("bodies")
    return sim.buffers.host.bodies


def _contacts(env: Environment, every: Any) -> Any:
    if not env.actors:
        return np.zeros(0, records.RIGID_CONTACT)
    sim = env.sim
    group = sim.group_of(env.actors[0])
    found = group.exchange.contacts(group.world_of(env))
    own = np.full(int(found.bodies.max(initial=0)) + 1, _GROUND)
    known = group.places.bodies
    inside = known < len(own)
    own[known[inside]] = np.flatnonzero(inside)
    result = np.zeros(len(found.bodies), records.RIGID_CONTACT)
    pairs = own[found.bodies]
    turned = pairs[:, 0] < pairs[:, 1]  # scripts look for an object and what holds it in this order
    pairs[turned] = pairs[turned, ::-1]
    normals = np.where(turned[:, None], -found.normals, found.normals)
    states = every[env.body_base : env.body_base + env.body_count]
    for side in (0, 1):
        numbers = pairs[:, side]
        result[f"body{side}"] = numbers
        result[f"env{side}"] = np.where(numbers == _GROUND, _GROUND, env.index)
        local = found.points.copy()
        turns = rotations(np.roll(states[numbers, 3:7], 1, axis=1))
        moved = np.einsum("nji,nj->ni", turns, found.points - states[numbers, :3])
        local[numbers != _GROUND] = moved[numbers != _GROUND]
        result[f"localPos{side}"] = records.records(local, records.VEC3)
    result["initialOverlap"] = np.maximum(-found.distances, 0.0)
    result["normal"] = records.records(normals, records.VEC3)
    result["lambda"] = found.forces[:, 0]
    result["lambdaFriction"] = records.records(found.forces[:, 1:], records.VEC2)
    result["friction"] = found.friction
    return result
