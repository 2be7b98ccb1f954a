"""Corrections of particles of SolverXPBD on a graphics card, in kernels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import warp as wp

if TYPE_CHECKING:
    from unibody.newton.state import Control


class KernelRounds:
    """The rounds of one step; see `xpbd_host.HostRounds`.

    Args:
        solver: Whose step it is.
        control: Activations of tetrahedra.
        x: Places of particles, changed between rounds.
        v: Their velocities.
        dt: Time step [s].

    Attributes:
        deltas: How far particles are asked to go.
    """

    def __init__(self, solver: Any, control: Control, x: Any, v: Any, dt: float) -> None:
        self._solver, self._model, self._control, self._dt = solver, solver.model, control, dt
        self._x, self._v = x, v
        self._pulled: dict[str, wp.array[Any]] = {}
        self.deltas: wp.array[Any] = wp.zeros_like(x, requires_grad=False)
        model = self._model
        self._touch = model.particle_max_radius > 0.0 and model.particle_count > 1

    def begin(self) -> None:
        """Begin a step: find out who is near."""
        model = self._model
        if self._touch and model.particle_grid is not None:
            reach = 2.0 * model.particle_max_radius + model.particle_cohesion
            model.particle_grid.build(self._x, radius=reach)

    def ask(self) -> None:
        """Write how far elements and one another ask particles to go."""
        from unibody.newton.solvers import xpbd_particle_kernels as kernels

        self.deltas.zero_()
        self._ask_elements(kernels)
        if self._model.tet_count:
            self._ask_tetrahedra(kernels)
        if self._touch and self._model.particle_grid is not None:
            self._ask_touching(kernels)

    def _launch(self, kernel: Any, dim: int, inputs: list[Any]) -> None:
        device = self._model.device
        if dim:
            wp.launch(kernel, dim=dim, inputs=inputs, outputs=[self.deltas], device=device)

    def _pulls(self, kind: str, count: int) -> wp.array[Any]:
        """What the rounds of this step have done to elements: compliance counts it."""
        if kind not in self._pulled:
            self._pulled[kind] = wp.zeros(count, dtype=float, device=self._model.device)
        return self._pulled[kind]

    def _ask_elements(self, kernels: Any) -> None:
        model, dt = self._model, self._dt
        moving = [self._x, self._v, model.particle_inv_mass]
        spring = [
            *(model.spring_indices, model.spring_rest_length),
            *(model.spring_stiffness, model.spring_damping),
        ]
        pulls = self._pulls("spring", model.spring_count)
        self._launch(kernels.solve_springs, model.spring_count, [*moving, *spring, dt, pulls])
        edge = [model.edge_indices, model.edge_rest_angle, model.edge_bending_properties]
        pulls = self._pulls("edge", model.edge_count)
        self._launch(kernels.solve_edges, model.edge_count, [*moving, *edge, dt, pulls])

    def _ask_tetrahedra(self, kernels: Any) -> None:
        model, activations = self._model, self._control.tet_activations
        self._launch(
            kernels.solve_tetrahedra,
            model.tet_count,
            [
                *(self._x, self._v, model.particle_inv_mass),
                *(model.tet_indices, model.tet_poses),
                model.tet_activations if activations is None else activations,
                *(model.tet_materials, self._dt, self._solver.soft_body_relaxation),
                self._pulls("tet", 2 * model.tet_count),
            ],
        )

    def _ask_touching(self, kernels: Any) -> None:
        model = self._model
        self._launch(
            kernels.solve_particle_contacts,
            model.particle_count,
            [
                *(model.particle_grid.id, self._x, self._v),
                *(model.particle_inv_mass, model.particle_radius),
                *(model.particle_flags, model.particle_world),
                *(model.particle_mu, model.particle_cohesion, model.particle_max_radius),
                *(self._dt, self._solver.soft_contact_relaxation),
            ],
        )
