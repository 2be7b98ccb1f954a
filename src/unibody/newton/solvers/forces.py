"""Forces of a state: of joints, contacts and deformable elements, added to arrays of forces.

Kernels of what a model has not are never compiled.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import warp as wp

from unibody.newton.dialect import normal_sign
from unibody.newton.model import Model
from unibody.newton.state import Contacts, Control, State
from unibody.newton.targets import targets_of

_EMPTY = ("stiffness", "damping", "friction")


def copy_of_wrenches(wrenches: wp.array[Any]) -> wp.array[Any]:
    """A copy that a solver may add to; reverse mode compiles a kernel for a plain copy."""
    from unibody.newton.solvers.copy_kernels import copy_wrenches

    target = wp.empty_like(wrenches)
    wp.launch(
        copy_wrenches,
        dim=len(wrenches),
        inputs=[wrenches],
        outputs=[target],
        device=wrenches.device,
    )
    return target


def drives(model: Model, control: Control) -> Any:
    """Targets, gains and limits of a model's degrees of freedom, as a struct of kernels."""
    from unibody.newton.solvers.joint_force_kernels import Drives

    found: Any = Drives()
    found.force = _or_model(control, model, "joint_f")
    found.target_pos, found.target_at = targets_of(model, control)
    found.target_vel = _or_model(control, model, "joint_target_vel")
    found.target_ke, found.target_kd = model.joint_target_ke, model.joint_target_kd
    found.lower, found.upper = model.joint_limit_lower, model.joint_limit_upper
    found.limit_ke, found.limit_kd = model.joint_limit_ke, model.joint_limit_kd
    found.stiffness, found.damping = model.joint_stiffness, model.joint_damping
    found.rest, found.coordinate = model.joint_rest_q, model._coordinate_of_dof
    return found


def _or_model(control: Control, model: Model, name: str) -> wp.array[Any]:
    array = getattr(control, name)
    return getattr(model, name) if array is None else array


def add_joint_forces(
    model: Model, state: State, control: Control, body_f: wp.array[Any], ke: float, kd: float
) -> None:
    """Add forces of joints, whose attachments have a stiffness and a damping."""
    if not model.joint_count:
        return
    from unibody.newton.solvers.joint_force_kernels import joint_forces

    wp.launch(
        joint_forces,
        dim=model.joint_count,
        inputs=[
            state.body_q,
            state.body_qd,
            model.body_com,
            model.joint_type,
            model.joint_enabled,
            model.joint_parent,
            model.joint_child,
            model.joint_X_p,
            model.joint_X_c,
            model.joint_axis,
            model.joint_dof_dim,
            model.joint_qd_start,
            drives(model, control),
            ke,
            kd,
        ],
        outputs=[body_f],
        device=model.device,
    )


def add_mimic_forces(
    model: Model, state: State, body_f: wp.array[Any], ke: float, kd: float
) -> None:
    """Add forces of joints that follow others: springs with a stiffness and a damping."""
    from unibody.newton.solvers.mimic_force_kernels import Joints, mimic_forces

    joints: Any = Joints()
    for name in ("parent", "child", "X_p", "X_c", "axis"):
        setattr(joints, name, getattr(model, f"joint_{name}"))
    joints.dims, joints.start = model.joint_dof_dim, model.joint_qd_start
    wp.launch(
        mimic_forces,
        dim=model.joint_count,
        inputs=[
            joints,
            state.body_q,
            state.body_qd,
            model.body_com,
            model.joint_type,
            model.joint_enabled,
            model.joint_mimic_joint,
            model.joint_mimic_coeffs,
            ke,
            kd,
        ],
        outputs=[body_f],
        device=model.device,
    )


def add_muscle_forces(
    model: Model, state: State, control: Control, body_f: wp.array[Any] | None
) -> None:
    """Add forces of muscles, each of which pulls with its activation along its points."""
    if not model.muscle_count or body_f is None:
        return
    from unibody.newton.solvers.muscle_kernels import muscle_forces

    wp.launch(
        muscle_forces,
        dim=model.muscle_count,
        inputs=[
            state.body_q,
            model.body_com,
            model.muscle_start,
            model.muscle_bodies,
            model.muscle_points,
            _or_model(control, model, "muscle_activations"),
        ],
        outputs=[body_f],
        device=model.device,
    )


def materials(model: Model) -> Any:
    """Properties of the shapes of a model, as a struct of kernels."""
    from unibody.newton.solvers.contact_force_kernels import Materials

    found: Any = Materials()
    for name in ("ke", "kd", "kf", "ka", "mu"):
        setattr(found, name, getattr(model, f"shape_material_{name}"))
    found.body = model.shape_body
    return found


def with_joint_forces(
    model: Model, state: State, control: Control, dt: float = 0.0, told: wp.array[Any] | None = None
) -> wp.array[Any]:
    """Forces on bodies, with those that a control lets joints exert.

    Args:
        model: The model.
        state: Poses, and forces on bodies.
        control: Forces of joints; those of the model where it has none.
        dt: Time step [s].
        told: Impulses on what joints hold, which theirs are added to; None: nothing is.
    """
    from unibody.newton.solvers.xpbd_motion_kernels import add_joint_controls

    body_f = copy_of_wrenches(state.body_f)
    efforts = control.joint_f
    wp.launch(
        add_joint_controls,
        dim=model.joint_count,
        inputs=[
            state.body_q,
            model.body_com,
            model.joint_type,
            model.joint_parent,
            model.joint_child,
            model.joint_X_p,
            model.joint_X_c,
            model.joint_axis,
            model.joint_dof_dim,
            model.joint_qd_start,
            model.joint_f if efforts is None else efforts,
            dt,
            told,
        ],
        outputs=[body_f],
        device=model.device,
    )
    return body_f


def points(contacts: Contacts) -> Any:
    """Rigid contacts, as a struct of kernels."""
    from unibody.newton.solvers.contact_force_kernels import Points

    found: Any = Points()
    for name in (
        *("count", "shape0", "shape1", "point0", "point1", "normal"),
        *("margin0", "margin1", *_EMPTY),
    ):
        array = getattr(contacts, f"rigid_contact_{name}")
        if array is None:  # which a struct of the reverse mode cannot hold
            array = wp.empty(0, dtype=wp.float32, device=contacts.device)
        setattr(found, name, array)
    moving = contacts.rigid_contact_surface_velocity
    if moving is None:
        moving = wp.empty(0, dtype=wp.vec3, device=contacts.device)
    found.surface_velocity = moving
    found.sign = normal_sign()
    return found


def add_contact_forces(
    model: Model,
    state: State,
    contacts: Contacts | None,
    body_f: wp.array[Any] | None,
    smoothing: float,
) -> None:
    """Add forces of contacts between shapes; contacts that ask for forces get them."""
    if contacts is None or not contacts.rigid_contact_max or body_f is None:
        return
    from unibody.newton.solvers.contact_force_kernels import contact_forces

    if contacts.force is not None:
        contacts.force.zero_()
    wp.launch(
        contact_forces,
        dim=contacts.rigid_contact_max,
        inputs=[
            state.body_q,
            state.body_qd,
            model.body_com,
            materials(model),
            points(contacts),
            smoothing,
        ],
        outputs=[body_f, contacts.force],
        device=model.device,
    )


def add_soft_contact_forces(
    model: Model,
    state: State,
    contacts: Contacts | None,
    particle_f: wp.array[Any] | None,
    body_f: wp.array[Any] | None,
) -> None:
    """Add forces of contacts of particles with shapes."""
    if contacts is None or not contacts.soft_contact_max or particle_f is None:
        return
    from unibody.newton.solvers.contact_force_kernels import soft_contact_forces

    wp.launch(
        soft_contact_forces,
        dim=contacts.soft_contact_max,
        inputs=[
            state.particle_q,
            state.particle_qd,
            model.particle_radius,
            model.particle_flags,
            state.body_q,
            state.body_qd,
            model.body_com,
            materials(model),
            model.soft_contact_ke,
            model.soft_contact_kd,
            model.soft_contact_kf,
            model.soft_contact_mu,
            model.particle_adhesion,
            contacts.soft_contact_count,
            contacts.soft_contact_particle,
            contacts.soft_contact_shape,
            contacts.soft_contact_body_pos,
            contacts.soft_contact_body_vel,
            contacts.soft_contact_normal,
        ],
        outputs=[particle_f, body_f],
        device=model.device,
    )


def add_element_forces(
    model: Model, state: State, control: Control, particle_f: wp.array[Any] | None
) -> None:
    """Add forces of springs, triangles, their edges and tetrahedra."""
    if particle_f is None:
        return
    counts = (model.spring_count, model.tri_count, model.edge_count, model.tet_count)
    if not any(counts):
        return
    from unibody.newton.solvers import element_force_kernels as kernels

    q, qd = state.particle_q, state.particle_qd
    of_tri = _or_model(control, model, "tri_activations") if model.tri_count else None
    of_tet = _or_model(control, model, "tet_activations") if model.tet_count else None
    launches = (
        (
            kernels.spring_forces,
            model.spring_count,
            [
                model.spring_indices,
                model.spring_rest_length,
                model.spring_stiffness,
                model.spring_damping,
            ],
        ),
        (
            kernels.triangle_forces,
            model.tri_count,
            [model.tri_indices, model.tri_poses, of_tri, model.tri_materials],
        ),
        (
            kernels.bending_forces,
            model.edge_count,
            [model.edge_indices, model.edge_rest_angle, model.edge_bending_properties],
        ),
        (
            kernels.tetrahedron_forces,
            model.tet_count,
            [model.tet_indices, model.tet_poses, of_tet, model.tet_materials],
        ),
    )
    for kernel, count, arrays in launches:
        if count:
            wp.launch(
                kernel,
                dim=count,
                inputs=[q, qd, *arrays],
                outputs=[particle_f],
                device=model.device,
            )


def add_particle_contact_forces(
    model: Model, state: State, particle_f: wp.array[Any] | None
) -> None:
    """Add forces of particles on one another, if the script has built the model's grid."""
    if particle_f is None or model.particle_count < 2 or model.particle_grid is None:
        return
    from unibody.newton.solvers.particle_contact_kernels import particle_contact_forces

    wp.launch(
        particle_contact_forces,
        dim=model.particle_count,
        inputs=[
            model.particle_grid.id,
            state.particle_q,
            state.particle_qd,
            model.particle_radius,
            model.particle_flags,
            model.particle_world,
            model.particle_ke,
            model.particle_kd,
            model.particle_kf,
            model.particle_mu,
            model.particle_cohesion,
            model.particle_max_radius,
        ],
        outputs=[particle_f],
        device=model.device,
    )


class TriangleContacts:
    """Forces of particles on triangles that they come too near to.

    Args:
        model: The model.
    """

    def __init__(self, model: Model) -> None:
        self._model = model
        self._tree: wp.Bvh | None = None
        self._groups: wp.array[Any] | None = None
        world = model.particle_world.numpy() if model.tri_count else np.zeros(0, np.int32)
        if world.min(initial=0) >= 0 and world.max(initial=0) > 0:  # none belongs to all worlds
            of_triangles = world[model.tri_indices.numpy().reshape(-1, 3)[:, 0]]
            self._groups = wp.array(of_triangles, dtype=int, device=model.device)
        with wp.ScopedDevice(model.device):
            self._lower = wp.zeros(model.tri_count, dtype=wp.vec3)
            self._upper = wp.zeros(model.tri_count, dtype=wp.vec3)

    def add(self, state: State, particle_f: wp.array[Any] | None) -> None:
        """Add the forces of a state."""
        model = self._model
        if not model.tri_count or particle_f is None:
            return
        from unibody.newton.solvers import particle_contact_kernels as kernels

        inputs = [state.particle_q, model.tri_indices, model.particle_world]
        inputs += [model.particle_radius, model.soft_contact_ke]
        if state.requires_grad:
            wp.launch(
                kernels.triangle_contact_forces,
                dim=(model.particle_count, model.tri_count),
                inputs=inputs,
                outputs=[particle_f],
                device=model.device,
            )
            return
        wp.launch(
            kernels.triangle_boxes,
            dim=model.tri_count,
            inputs=[state.particle_q, model.tri_indices],
            outputs=[self._lower, self._upper],
            device=model.device,
        )
        tree = self._tree
        if tree is None:
            tree = self._tree = wp.Bvh(self._lower, self._upper, groups=self._groups)
        else:
            tree.refit()
        wp.launch(
            kernels.triangle_contact_forces_by_tree,
            dim=model.particle_count,
            inputs=[tree.id, self._groups is not None, *inputs],
            outputs=[particle_f],
            device=model.device,
        )
