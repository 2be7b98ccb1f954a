"""Methods of ``Gym``: tensors of the whole simulation.

Rows are in the order of the environments, positions in their frames, quaternions xyzw. A tensor
keeps its memory from ``acquire`` on; ``refresh`` writes the present state into it, and ``set``
reads from any tensor of the same shape.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from unibody.core.batch.layout import POSITIONS, VELOCITIES
from unibody.errors import InvalidArgumentError
from unibody.isaacgym import handles
from unibody.isaacgym.batch.simulation import Simulation
from unibody.isaacgym.errors import ArgumentTypeError
from unibody.isaacgym.gym.checks import sim_of, space_of, text_of
from unibody.isaacgym.types.enums import CoordinateSpace, DofDriveMode, TensorDataType
from unibody.isaacgym.types.fields import to_int
from unibody.isaacgym.types.tensors import Tensor

_ALL = POSITIONS | VELOCITIES
_POS, _VEL = int(DofDriveMode.DOF_MODE_POS), int(DofDriveMode.DOF_MODE_VEL)


class TensorCalls:
    """Tensors."""

    # --- acquire -------------------------------------------------------------------------------

    def acquire_actor_root_state_tensor(self, arg0: handles.Sim) -> Tensor:
        """Return the states of the actors' first bodies, (actors, 13).

        Position [m], quaternion, velocity of the mass centre [m/s], angular velocity [rad/s].
        """
        return _acquire(arg0, "roots")

    def acquire_dof_state_tensor(self, arg0: handles.Sim) -> Tensor:
        """Return positions [m, rad] and velocities of all degrees of freedom, (dofs, 2)."""
        return _acquire(arg0, "dofs")

    def acquire_rigid_body_state_tensor(self, arg0: handles.Sim) -> Tensor:
        """Return the states of all rigid bodies, (bodies, 13)."""
        return _acquire(arg0, "bodies")

    def acquire_net_contact_force_tensor(self, arg0: handles.Sim) -> Tensor:
        """Return the sum of contact forces on each rigid body [N], (bodies, 3)."""
        return _acquire(arg0, "contacts")

    def acquire_dof_force_tensor(self, arg0: handles.Sim) -> Tensor:
        """Return the forces of degrees of freedom [N, Nm], (dofs,).

        They are those of drives, efforts, limits and friction. Actors without
        ``enable_actor_dof_force_sensors`` have zeros.
        """
        return _acquire(arg0, "dof_forces")

    def acquire_force_sensor_tensor(self, arg0: handles.Sim) -> Tensor:
        """Return force [N] and torque [Nm] of all force sensors, (sensors, 6)."""
        sim = sim_of(arg0)
        sim.build()
        if not sim.buffers.counts[3]:
            return Tensor()
        return _acquire(arg0, "sensors")

    def acquire_jacobian_tensor(self, arg0: handles.Sim, arg1: str) -> Tensor:
        """Return the Jacobians of the actors of a name.

        Returns:
            (environments, bodies, 6, dofs + 6): velocity of mass centre over angular velocity by
            the first body's velocity, angular velocity, and those of the degrees of freedom. An
            immovable first body has no row and no columns.

        Raises:
            InvalidArgumentError: No actor has that name.
        """
        return Tensor.of(sim_of(arg0).derived.jacobian(text_of("name", arg1)))

    def acquire_mass_matrix_tensor(self, arg0: handles.Sim, arg1: str) -> Tensor:
        """Return the mass matrices of the actors of a name, (environments, dofs, dofs).

        A first body that moves has six rows and columns, the first ones.
        """
        return Tensor.of(sim_of(arg0).derived.mass_matrix(text_of("name", arg1)))

    # --- refresh -------------------------------------------------------------------------------

    def refresh_actor_root_state_tensor(self, arg0: handles.Sim) -> bool:
        """Bring the tensor of first bodies up to the state."""
        sim_of(arg0).refresh_roots()
        return True

    def refresh_dof_state_tensor(self, arg0: handles.Sim) -> bool:
        """Bring the tensor of degrees of freedom up to the state."""
        sim_of(arg0).refresh_dofs()
        return True

    def refresh_rigid_body_state_tensor(self, arg0: handles.Sim) -> bool:
        """Bring the tensor of rigid bodies up to the state."""
        sim_of(arg0).refresh_bodies()
        return True

    def refresh_net_contact_force_tensor(self, arg0: handles.Sim) -> bool:
        """Bring the tensor of contact forces up to the last step."""
        sim_of(arg0).read_contacts()
        return True

    def refresh_dof_force_tensor(self, arg0: handles.Sim) -> bool:
        """Bring the tensor of forces of degrees of freedom up to the last step."""
        sim_of(arg0).read_dof_forces()
        return True

    def refresh_force_sensor_tensor(self, arg0: handles.Sim) -> bool:
        """Bring the tensor of force sensors up to the last frame."""
        sim_of(arg0).read_sensors()
        return True

    def refresh_jacobian_tensors(self, arg0: handles.Sim) -> bool:
        """Bring all Jacobians that were acquired up to the state."""
        sim_of(arg0).derived.refresh_jacobians()
        return True

    def refresh_mass_matrix_tensors(self, arg0: handles.Sim) -> bool:
        """Bring all mass matrices that were acquired up to the state."""
        sim_of(arg0).derived.refresh_mass_matrices()
        return True

    # --- set states ----------------------------------------------------------------------------

    def set_actor_root_state_tensor(self, arg0: handles.Sim, arg1: Tensor) -> bool:
        """Set the states of all first bodies, (actors, 13)."""
        return _set_roots(arg0, arg1, None, None)

    def set_actor_root_state_tensor_indexed(
        self, arg0: handles.Sim, arg1: Tensor, arg2: Tensor, arg3: int
    ) -> bool:
        """Set the states of some first bodies.

        Args:
            arg0: The simulation.
            arg1: States of all, (actors, 13).
            arg2: Numbers of actors in the simulation, int32.
            arg3: How many of these are meant.
        """
        return _set_roots(arg0, arg1, arg2, arg3)

    def set_dof_state_tensor(self, arg0: handles.Sim, arg1: Tensor) -> bool:
        """Set the states of all degrees of freedom, (dofs, 2)."""
        return _set_dofs(arg0, arg1, None, None)

    def set_dof_state_tensor_indexed(
        self, arg0: handles.Sim, arg1: Tensor, arg2: Tensor, arg3: int
    ) -> bool:
        """Set the states of the degrees of freedom of some actors."""
        return _set_dofs(arg0, arg1, arg2, arg3)

    def set_rigid_body_state_tensor(self, arg0: handles.Sim, arg1: Tensor) -> bool:
        """Set the states of all rigid bodies, (bodies, 13); joints follow as far as they can."""
        from unibody.isaacgym.gym.states import set_bodies

        sim = sim_of(arg0)
        sim.build()
        values = values_of(sim, "tensor", arg1, sim.buffers.counts[1], 13)
        set_bodies(sim.actors, np.asarray(sim.buffers.fetch(values)), _ALL)
        return True

    # --- set controls --------------------------------------------------------------------------

    def set_dof_position_target_tensor(self, arg0: handles.Sim, arg1: Tensor) -> bool:
        """Set all position targets, (dofs,); who is not in position mode ignores them."""
        return _set_targets(arg0, arg1, None, None, _POS)

    def set_dof_position_target_tensor_indexed(
        self, arg0: handles.Sim, arg1: Tensor, arg2: Tensor, arg3: int
    ) -> bool:
        """Set the position targets of some actors."""
        return _set_targets(arg0, arg1, arg2, arg3, _POS)

    def set_dof_velocity_target_tensor(self, arg0: handles.Sim, arg1: Tensor) -> bool:
        """Set all velocity targets, (dofs,); who is not in velocity mode ignores them."""
        return _set_targets(arg0, arg1, None, None, _VEL)

    def set_dof_velocity_target_tensor_indexed(
        self, arg0: handles.Sim, arg1: Tensor, arg2: Tensor, arg3: int
    ) -> bool:
        """Set the velocity targets of some actors."""
        return _set_targets(arg0, arg1, arg2, arg3, _VEL)

    def set_dof_actuation_force_tensor(self, arg0: handles.Sim, arg1: Tensor) -> bool:
        """Set all efforts [N, Nm] of one frame; who is not in effort mode ignores them."""
        return _set_efforts(arg0, arg1, None, None)

    def set_dof_actuation_force_tensor_indexed(
        self, arg0: handles.Sim, arg1: Tensor, arg2: Tensor, arg3: int
    ) -> bool:
        """Set the efforts of some actors."""
        return _set_efforts(arg0, arg1, arg2, arg3)

    # --- forces on bodies ----------------------------------------------------------------------

    def apply_rigid_body_force_tensors(
        self,
        sim: handles.Sim,
        forceTensor: Tensor | None = None,
        torqueTensor: Tensor | None = None,
        space: CoordinateSpace = CoordinateSpace.ENV_SPACE,
    ) -> bool:
        """Add forces [N] at mass centres and torques [Nm], (bodies, 3) each, for one frame."""
        return _apply(sim, forceTensor, torqueTensor, None, space)

    def apply_rigid_body_force_at_pos_tensors(
        self,
        sim: handles.Sim,
        forceTensor: Tensor,
        posTensor: Tensor | None = None,
        space: CoordinateSpace = CoordinateSpace.ENV_SPACE,
    ) -> bool:
        """Add forces [N] at points [m], (bodies, 3) each, for one frame."""
        return _apply(sim, forceTensor, None, posTensor, space)


def _acquire(sim: Any, name: str) -> Tensor:
    found = sim_of(sim)
    found.build()
    refresh = {
        "roots": found.refresh_roots,
        "dofs": found.refresh_dofs,
        "bodies": found.refresh_bodies,
    }
    if name in refresh:
        refresh[name]()
    return Tensor.of(getattr(found.buffers, name))


def values_of(sim: Simulation, name: str, tensor: Any, rows: int, width: int) -> Any:
    """The memory of a tensor of ``rows`` rows, as the exchange takes it.

    Raises:
        ArgumentTypeError: It is no tensor, or has another element type.
        InvalidArgumentError: It has another number of elements, or is on another device.
    """
    if not isinstance(tensor, Tensor) or tensor.array is None:
        wanted = "a Tensor: gymtorch.unwrap_tensor makes one of a torch tensor"
        raise ArgumentTypeError(name, tensor, wanted)
    if tensor.dtype != TensorDataType.DTYPE_FLOAT32:
        raise ArgumentTypeError(f"{name}.dtype", tensor.dtype.name, "DTYPE_FLOAT32")
    size = math.prod(tensor.shape)
    if size != rows * width:
        shape = (rows, width) if width > 1 else (rows,)
        raise InvalidArgumentError(f"{name}.shape", tensor.shape, f"{shape}")
    return sim.memory_of(name, tensor).reshape((rows, width) if width > 1 else (rows,))


def actors_of(sim: Simulation, tensor: Any, count: Any) -> Any:
    """Numbers of the actors that an indexed call is for; None: all.

    Raises:
        ArgumentTypeError: They are no integers of 32 bits.
        InvalidArgumentError: There are fewer than ``count``, or one does not exist.
    """
    if tensor is None:
        return sim.everyone
    name = "actor_indices"
    if not isinstance(tensor, Tensor) or tensor.array is None:
        wanted = "a Tensor: gymtorch.unwrap_tensor makes one of a torch tensor"
        raise ArgumentTypeError(name, tensor, wanted)
    if tensor.dtype != TensorDataType.DTYPE_UINT32:
        raise ArgumentTypeError(f"{name}.dtype", tensor.dtype.name, "int32")
    number = to_int("count", count)
    size = math.prod(tensor.shape)
    if not 0 <= number <= size:
        raise InvalidArgumentError("count", count, f"from 0 to {size}, the number of indices")
    indices = sim.memory_of(name, tensor).reshape(-1)[:number]
    return sim.buffers.checked(name, indices, len(sim.actor_places))


def _set_roots(sim: Any, tensor: Any, indices: Any, count: Any) -> bool:
    found = sim_of(sim)
    found.build()
    values = values_of(found, "states", tensor, found.buffers.counts[0], 13)
    actors = actors_of(found, indices, count)
    for group in found.groups:
        group.exchange.write_roots(actors, values, _ALL)
    found.state_changed("dofs")
    return True


def _set_dofs(sim: Any, tensor: Any, indices: Any, count: Any) -> bool:
    found = sim_of(sim)
    found.build()
    values = values_of(found, "states", tensor, found.buffers.counts[2], 2)
    actors = actors_of(found, indices, count)
    for group in found.groups:
        group.exchange.write_dofs(actors, values, _ALL)
    found.state_changed("roots")
    return True


def _set_targets(sim: Any, tensor: Any, indices: Any, count: Any, mode: int) -> bool:
    found = sim_of(sim)
    found.build()
    values = values_of(found, "targets", tensor, found.buffers.counts[2], 1)
    actors = actors_of(found, indices, count)
    for group in found.groups:
        group.exchange.write_targets(actors, values, mode)
    return True


def _set_efforts(sim: Any, tensor: Any, indices: Any, count: Any) -> bool:
    found = sim_of(sim)
    found.build()
    values = values_of(found, "efforts", tensor, found.buffers.counts[2], 1)
    actors = actors_of(found, indices, count)
    for group in found.groups:
        group.exchange.write_efforts(actors, values)
    found.forced()
    return True


def _apply(sim: Any, forces: Any, torques: Any, points: Any, space: Any) -> bool:
    found = sim_of(sim)
    found.kinematics()
    bodies = found.buffers.counts[1]
    given = {"forceTensor": forces, "torqueTensor": torques, "posTensor": points}
    rows = {
        name: None if tensor is None else values_of(found, name, tensor, bodies, 3)
        for name, tensor in given.items()
    }
    chosen = int(space_of(space))
    for group in found.groups:
        forces, torques, points = rows.values()
        group.exchange.add_wrenches(forces, torques, points, chosen)
    found.forced()
    return True
