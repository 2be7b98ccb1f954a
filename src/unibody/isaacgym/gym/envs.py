"""Methods of ``Gym``: environments and aggregates."""

from __future__ import annotations

from unibody.errors import InvalidArgumentError
from unibody.isaacgym import handles
from unibody.isaacgym.batch.environment import Environment
from unibody.isaacgym.gym.checks import actor_of, env_of, index_of, sim_of, vector_of
from unibody.isaacgym.types.enums import SimType
from unibody.isaacgym.types.fields import to_flag, to_int, to_list
from unibody.isaacgym.types.vectors import Vec3


class EnvCalls:
    """Environments."""

    def create_env(self, arg0: handles.Sim, arg1: Vec3, arg2: Vec3, arg3: int) -> Environment:
        """Add an environment.

        Args:
            arg0: The simulation.
            arg1: Lower corner of its space [m]; places in the grid are as wide as that.
            arg2: Upper corner [m].
            arg3: Places in a row of the grid.
        """
        sim = sim_of(arg0)
        lower, upper = vector_of("lower", arg1), vector_of("upper", arg2)
        per_row = to_int("num_per_row", arg3)
        if per_row < 1:
            raise InvalidArgumentError("num_per_row", arg3, "at least 1")
        env = Environment(sim, lower, upper, per_row)
        sim.envs.append(env)
        sim.edited()
        return env

    def destroy_env(self, arg0: handles.Env) -> None:
        """Remove an environment with its actors; the numbers of those behind it change."""
        env = env_of(arg0)
        env.sim.edited()
        env.sim.envs.remove(env)
        for index, other in enumerate(env.sim.envs):
            other.index = index
        env.open = False

    def get_env(self, arg0: handles.Sim, arg1: int) -> Environment:
        """Return an environment by its number."""
        sim = sim_of(arg0)
        return sim.envs[index_of("env index", arg1, len(sim.envs))]

    def get_env_origin(self, arg0: handles.Env) -> Vec3:
        """Return where an environment's frame is in the simulation's [m]."""
        origin = env_of(arg0).origin
        return Vec3(origin.x, origin.y, origin.z)

    def get_env_dof_count(self, arg0: handles.Env) -> int:
        """Return the number of degrees of freedom of an environment."""
        return env_of(arg0).dof_count

    def get_env_joint_count(self, arg0: handles.Env) -> int:
        """Return the number of joints of an environment."""
        return env_of(arg0).joint_count

    def get_env_rigid_body_count(self, arg0: handles.Env) -> int:
        """Return the number of rigid bodies of an environment."""
        return env_of(arg0).body_count

    # --- aggregates ----------------------------------------------------------------------------

    def begin_aggregate(self, arg0: handles.Env, arg1: int, arg2: int, arg3: bool) -> bool:
        """Open an aggregate: actors are put into it until it ends.

        Args:
            arg0: The environment.
            arg1: How many bodies come; more or fewer change nothing.
            arg2: How many shapes come; the same.
            arg3: Whether shapes of its actors collide with one another, those of one actor too.

        Returns:
            False if one is open already.
        """
        env = env_of(arg0)
        to_int("max_bodies", arg1)
        to_int("max_shapes", arg2)
        if env.aggregate is not None:
            return False
        collide = (
            to_flag("self_collisions", arg3) or env.sim.type == SimType.SIM_FLEX
        )  # which has no aggregates
        env.aggregate = -1 if collide else env.aggregates
        env.aggregates += 1
        return True

    def end_aggregate(self, arg0: handles.Env) -> bool:
        """Close the aggregate; False if none is open."""
        env = env_of(arg0)
        was_open = env.aggregate is not None
        env.aggregate = None
        return was_open

    def create_aggregate(self, arg0: handles.Env, arg1: list[int]) -> bool:
        """Put actors into an aggregate, in which they collide with one another as before."""
        env = env_of(arg0)
        for handle in to_list("actor handles", arg1, "a list of actor handles"):
            actor_of(env, handle)
        return True
