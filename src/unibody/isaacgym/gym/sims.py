"""Methods of ``Gym``: simulations, their parameters, the ground, and time."""

from __future__ import annotations

import os
import time
from typing import Any

from unibody.core.engine.library.devices import use_gpu
from unibody.errors import InvalidArgumentError
from unibody.isaacgym import handles
from unibody.isaacgym.batch import ground
from unibody.isaacgym.batch.simulation import Simulation
from unibody.isaacgym.errors import ArgumentTypeError
from unibody.isaacgym.gym.checks import numbers_of, sim_of
from unibody.isaacgym.types.enums import SimType
from unibody.isaacgym.types.fields import to_choice, to_flag, to_int
from unibody.isaacgym.types.sim_params import SimParams
from unibody.isaacgym.types.terrain_params import (
    HeightFieldParams,
    PlaneParams,
    TriangleMeshParams,
)
from unibody.isaacgym.types.viewing import PerformanceTimers, Version
from unibody.notices import tell

_VERSION = (1, 4)  # of the API that this one speaks
DEVICE_VARIABLE = "UNIBODY_ISAACGYM_DEVICE"
"""A device of the engine to be used whatever the script asks for, such as "warp-cpu"."""


class SimCalls:
    """Simulations."""

    def create_sim(
        self,
        compute_device: int = 0,
        graphics_device: int = 0,
        type: SimType = SimType.SIM_FLEX,
        params: SimParams = SimParams(),  # noqa: B008 - read, never written
    ) -> Simulation:
        """Make a simulation.

        Args:
            compute_device: Of the worlds, where ``params.use_gpu_pipeline`` is set: an ordinal of
                a CUDA device. Without that, or with -1, worlds are on the CPU.
            graphics_device: Has no effect: images are drawn on the CPU.
            type: There is one engine. Of ``SIM_FLEX``, stiffness and damping of a degree of freedom
                act only where its mode is that of positions or velocities.
            params: Copied.

        Raises:
            ArgumentTypeError: An argument has another type.
            InvalidArgumentError: The time step is not positive.
            EngineError: A GPU is required, and there is none.
        """
        ordinal = to_int("compute_device", compute_device)
        to_int("graphics_device", graphics_device)
        own_type = to_choice("type", type, SimType, "a gymapi.SIM_*")
        if not isinstance(params, SimParams):
            raise ArgumentTypeError("params", params, "a gymapi.SimParams")
        _check(params)
        own = SimParams()
        own.assign("params", params)
        device = os.environ.get(DEVICE_VARIABLE, "")
        if not device:
            wanted = own.use_gpu_pipeline and ordinal >= 0
            request = f"create_sim({ordinal}, use_gpu_pipeline=True)"
            device = f"cuda:{ordinal}" if wanted and use_gpu(request) else "cpu"
        threads = own.physx.num_threads if own.physx.num_threads > 1 else 0
        return Simulation(own, device, threads, own_type)

    def destroy_sim(self, arg0: handles.Sim) -> None:
        """Let go of a simulation: its handles are good for nothing any more."""
        sim = sim_of(arg0)
        if sim.viewer is not None:
            sim.viewer.close()
        sim.close()

    def get_sim_params(self, arg0: handles.Sim) -> SimParams:
        """Return a copy of the parameters."""
        own = SimParams()
        own.assign("params", sim_of(arg0).params)
        return own

    def set_sim_params(self, arg0: handles.Sim, arg1: SimParams) -> None:
        """Change the parameters: gravity in place, others by building the worlds anew."""
        sim = sim_of(arg0)
        if not isinstance(arg1, SimParams):
            raise ArgumentTypeError("params", arg1, "a gymapi.SimParams")
        _check(arg1)
        if _built_in(sim.params) != _built_in(arg1) and sim.built:
            sim.edited()
        sim.params.assign("params", arg1)
        sim.params_changed()

    def set_sim_device(self, arg0: handles.Sim) -> None:
        """Do nothing: every call finds its device."""
        sim_of(arg0)

    def prepare_sim(self, arg0: handles.Sim) -> bool:
        """Build the worlds; without it, the first call that needs them does."""
        sim_of(arg0).build()
        return True

    def simulate(self, arg0: handles.Sim) -> None:
        """Advance by ``dt``, in ``substeps`` steps."""
        sim_of(arg0).step()

    def fetch_results(self, arg0: handles.Sim, arg1: bool) -> None:
        """Do nothing more: a step is over when ``simulate`` returns."""
        sim_of(arg0)
        to_flag("wait", arg1)

    # --- the ground ----------------------------------------------------------------------------

    def add_ground(self, sim: handles.Sim, params: PlaneParams) -> None:
        """Add a plane."""
        if not isinstance(params, PlaneParams):
            raise ArgumentTypeError("params", params, "a gymapi.PlaneParams")
        sim_of(sim).add_ground(ground.plane(params))

    def add_heightfield(self, arg0: handles.Sim, arg1: Any, arg2: HeightFieldParams) -> None:
        """Add a grid of heights: ``arg1`` holds nbRows * nbColumns int16 samples."""
        if not isinstance(arg2, HeightFieldParams):
            raise ArgumentTypeError("params", arg2, "a gymapi.HeightFieldParams")
        sim_of(arg0).add_ground(ground.height_field(numbers_of("heightSamples", arg1), arg2))

    def add_triangle_mesh(
        self, arg0: handles.Sim, arg1: Any, arg2: Any, arg3: TriangleMeshParams
    ) -> None:
        """Add a mesh: ``arg1`` holds coordinates [m], ``arg2`` corners, three a triangle."""
        if not isinstance(arg3, TriangleMeshParams):
            raise ArgumentTypeError("params", arg3, "a gymapi.TriangleMeshParams")
        points, corners = numbers_of("vertices", arg1), numbers_of("triangles", arg2)
        sim_of(arg0).add_ground(ground.triangle_mesh(points, corners, arg3))

    # --- counts and time -----------------------------------------------------------------------

    def get_env_count(self, arg0: handles.Sim) -> int:
        """Return the number of environments."""
        return len(sim_of(arg0).envs)

    def get_sim_actor_count(self, arg0: handles.Sim) -> int:
        """Return the number of actors."""
        return sum(len(env.actors) for env in sim_of(arg0).envs)

    def get_sim_dof_count(self, arg0: handles.Sim) -> int:
        """Return the number of degrees of freedom."""
        return sum(env.dof_count for env in sim_of(arg0).envs)

    def get_sim_joint_count(self, arg0: handles.Sim) -> int:
        """Return the number of joints."""
        return sum(env.joint_count for env in sim_of(arg0).envs)

    def get_sim_rigid_body_count(self, arg0: handles.Sim) -> int:
        """Return the number of rigid bodies."""
        return sum(env.body_count for env in sim_of(arg0).envs)

    def get_sim_force_sensor_count(self, arg0: handles.Sim) -> int:
        """Return the number of force sensors."""
        return sum(env.sensor_count for env in sim_of(arg0).envs)

    def get_sim_time(self, arg0: handles.Sim) -> float:
        """Return the simulated time [s]."""
        return sim_of(arg0).time

    def get_elapsed_time(self, arg0: handles.Sim) -> float:
        """Return the time on the clock since the simulation was made [s]."""
        return time.perf_counter() - sim_of(arg0).started

    def get_frame_count(self, arg0: handles.Sim) -> int:
        """Return how often ``simulate`` was called."""
        return sim_of(arg0).frames

    def sync_frame_time(self, arg0: handles.Sim) -> None:
        """Wait until the clock has caught up with the simulated time."""
        sim = sim_of(arg0)
        sim.last_sync = max(sim.last_sync + sim.params.dt, time.perf_counter() - sim.params.dt)
        time.sleep(max(0.0, sim.last_sync - time.perf_counter()))

    def get_version(self) -> Version:
        """Return the version of the API."""
        version = Version()
        version.major, version.minor = _VERSION
        return version

    # --- timers --------------------------------------------------------------------------------

    def create_performance_timers(self, arg0: handles.Sim) -> int:
        """Begin to measure; return a handle for ``get_performance_timers``."""
        sim = sim_of(arg0)
        sim.timers.append(sim.clock.now())
        return len(sim.timers) - 1

    def get_performance_timers(self, arg0: handles.Sim, arg1: int) -> PerformanceTimers:
        """Return what has been spent on what since the last query [s]."""
        sim = sim_of(arg0)
        before = _timer(sim, arg1)
        now = sim.clock.now()
        sim.timers[arg1] = now
        timers = PerformanceTimers()
        for name, value in now.items():
            setattr(timers, name, value - before[name])
        return timers

    def destroy_performance_timers(self, arg0: handles.Sim, arg1: int) -> None:
        """Stop measuring."""
        sim = sim_of(arg0)
        _timer(sim, arg1)
        sim.timers[arg1] = None


def _timer(sim: Simulation, handle: int) -> dict[str, float]:
    number = to_int("timers", handle)
    found = sim.timers[number] if 0 <= number < len(sim.timers) else None
    if found is None:
        raise InvalidArgumentError("timers", handle, "what create_performance_timers returned")
    return found


def _built_in(params: SimParams) -> tuple[float, ...]:
    """Parameters that worlds are built with."""
    speeds = params.physx.bounce_threshold_velocity, params.physx.max_depenetration_velocity
    return params.dt, params.substeps, *speeds


def _check(params: SimParams) -> None:
    if not params.dt > 0.0:
        raise InvalidArgumentError("params.dt", params.dt, "a positive time [s]")
    if params.substeps < 1:
        raise InvalidArgumentError("params.substeps", params.substeps, "at least 1")
    parting = params.physx.max_depenetration_velocity
    if not parting >= 0.0:
        raise InvalidArgumentError(
            "params.physx.max_depenetration_velocity", parting, "a speed of at least 0 [m/s]"
        )
    if params.physx.solver_type not in (0, 1):
        tell(f"params.physx.solver_type = {params.physx.solver_type} has no effect")
