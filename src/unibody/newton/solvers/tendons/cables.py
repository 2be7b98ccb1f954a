"""Tendons of a solver: their arrays, what states keep of them, and the stages of a step."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import warp as wp

from unibody.errors import NotSupportedError

if TYPE_CHECKING:
    from unibody.newton.model import Model

_FIXED = ("start", "guide_body", "guide_type", "guide_flags", "guide_orientation")
_FIXED_NUMBERS = ("guide_radius", "guide_offset", "guide_axis")
_VECTORS = ("left", "right", "left_local", "right_local")
_NUMBERS = (
    *("rest", "length", "length_before", "material_compliance", "material_damping"),
    *("compliance", "damping", "stretch", "material", "drag", "rolled_l", "rolled_r"),
    *("ratio", "pull", "pulled", "multiplier"),
)
_COUNTS = ("active", "guide_l", "guide_r", "neighbour")
_OF_GUIDES = {"touched": wp.bool, "friction": wp.float32, "rubbed": wp.float32}
_OF_GUIDES |= {"carried": wp.float32, "grip": wp.float32, "moved": wp.spatial_vector}
_KEPT = ("rest", "left_local", "right_local", "touched")
TENDON_OPTIONS: dict[str, Any] = {
    "tendon_max_sweeps": 256,
    "tendon_settle_tol": 1e-3,
    "tendon_activation_tol": 2e-3,
}
"""Options of solvers with tendons, in the order of `Cables`, and what they are by default."""
LEAST_COMPLIANCE = 1e-8
"""Compliance [m/N] of spans that are stated to have none, where a solver needs some."""
ANEW, GOES_ON = 1, 2
"""What a state keeps of a tendon: it begins at its pose, or goes on from the step before."""


def check_options(max_sweeps: int, settle_tol: float, activation_tol: float) -> None:
    """Check options of tendons.

    Raises:
        ValueError: One is not allowed.
    """
    if max_sweeps < 1:
        raise ValueError(f"tendon_max_sweeps={max_sweeps}: expected 1 or more")
    if not (np.isfinite(settle_tol) and settle_tol >= 0.0):
        raise ValueError(f"tendon_settle_tol={settle_tol}: expected a finite number of 0 or more")
    if not 0.0 <= activation_tol < 1.0:
        raise ValueError(f"tendon_activation_tol={activation_tol}: expected 0 or more, below 1")


class Cables:
    """The tendons of a model in a solver.

    Args:
        model: The model, with one tendon or more.
        least: Least compliance that spans have in reports [m/N].
        max_sweeps: Most sweeps of slip in a round.
        settled: Change of tensions at which sweeps end, as a share of the greatest.
        activation: Share of its radius that a roller pushes a cable aside before it is touched.

    Attributes:
        guides: Guides as kernels read them.
        spans: Spans as they are now.
        base: Spans as the solver has begun.
        rules: When sweeps end, and when rollers are touched.
        total: Material of each tendon [m].

    Raises:
        NotSupportedError: The model takes part in gradients.
    """

    def __init__(
        self,
        model: Model,
        least: float = 0.0,
        max_sweeps: int = 256,
        settled: float = 1e-3,
        activation: float = 2e-3,
    ) -> None:
        from unibody.newton.solvers.tendons.geometry_kernels import Guides, Rules

        check_options(max_sweeps, settled, activation)
        if model.requires_grad:
            raise NotSupportedError(
                "tendons are not differentiable: a model with requires_grad=True",
                "finalize(requires_grad=False) works",
            )
        self.model: Model = model
        self._least = least
        found: Any = Guides()
        found.start, found.body = model.tendon_start, model.tendon_guide_body
        found.kind, found.flags = model.tendon_guide_type, model.tendon_guide_flags
        found.orientation, found.radius = model.tendon_guide_orientation, model.tendon_guide_radius
        found.mu, found.offset = model.tendon_guide_mu, model.tendon_guide_offset
        found.axis = model.tendon_guide_axis
        self.guides: Any = found
        rules: Any = Rules()
        rules.max_sweeps, rules.settled, rules.activation = max_sweeps, settled, activation
        self.rules: Any = rules
        self._given = {
            name: getattr(model, f"tendon_{name}").numpy().copy()
            for name in (*_FIXED, *_FIXED_NUMBERS)
        }
        self._first_poses = wp.clone(model.body_q) if model.body_count else None
        self._worlds = model.tendon_world.numpy().copy()
        self.spans: Any = self._allocated()
        self.base: Any = self._allocated()
        for name in ("material_compliance", "material_damping"):
            setattr(self.base, name, getattr(self.spans, name))
        device = model.device
        self.total: Any = wp.zeros(model.tendon_count, dtype=float, device=device)
        self._first_total: Any = wp.zeros(model.tendon_count, dtype=float, device=device)
        self.guide_l: Any = wp.array(_first_guides(model), dtype=int, device=device)
        self.refresh()
        self._begin()

    def _allocated(self) -> Any:
        from unibody.newton.solvers.tendons.geometry_kernels import Spans

        model, found = self.model, Spans()
        segments, device = model.tendon_segment_count, model.device
        for names, dtype in ((_VECTORS, wp.vec3), (_NUMBERS, float), (_COUNTS, int)):
            for name in names:
                setattr(found, name, wp.zeros(segments, dtype=dtype, device=device))
        for name, dtype in _OF_GUIDES.items():
            setattr(found, name, wp.zeros(model.tendon_guide_count, dtype=dtype, device=device))
        found.sweeps = wp.zeros(model.tendon_count, dtype=int, device=device)
        return found

    def launch(self, kernel: Any, inputs: list[Any]) -> None:
        """Launch a kernel with one thread a tendon."""
        count, device = self.model.tendon_count, self.model.device
        wp.launch(kernel, dim=count, inputs=inputs, device=device)

    def refresh(self) -> None:
        """Take over materials from the model, and what spans are at rest from its first poses.

        Raises:
            ValueError: A number is not allowed, or a guide has become another.
        """
        from unibody.newton.solvers.tendons.routing_kernels import begin_tendons

        model = self.model
        for name, before in self._given.items():
            if not np.array_equal(getattr(model, f"tendon_{name}").numpy(), before):
                raise ValueError(
                    f"model.tendon_{name} has changed: a solver takes that by reconstructing it"
                )
        for name in ("segment_compliance", "segment_damping", "guide_mu"):
            values = getattr(model, f"tendon_{name}").numpy()
            if not (np.isfinite(values) & (values >= 0.0)).all():
                raise ValueError(f"model.tendon_{name} must be finite and non-negative")
        if not np.isfinite(model.tendon_segment_rest_length.numpy()).all():
            raise ValueError("model.tendon_segment_rest_length must be finite")
        soft = np.maximum(model.tendon_segment_compliance.numpy(), np.float32(self._least))
        self.spans.material_compliance.assign(soft)
        self.spans.material_damping.assign(model.tendon_segment_damping)
        authored = model.tendon_segment_rest_length
        poses = self._first_poses
        first = [self.guides, self.base, self.rules, poses, authored, self._first_total]
        self.launch(begin_tendons, first)

    def _begin(self) -> None:
        """Have spans as the solver begins."""
        from unibody.newton.solvers.tendons.routing_kernels import begin_tendons

        authored, poses = self.model.tendon_segment_rest_length, self._first_poses
        first = [self.guides, self.spans, self.rules, poses, authored, self.total]
        self.launch(begin_tendons, first)

    def load(self, state: Any) -> None:
        """Begin a step with what a state keeps, and choose the rollers that cables touch.

        Args:
            state: The state; its bodies are where they begin.
        """
        from unibody.newton.solvers.tendons.routing_kernels import load_tendons

        kept = [*_history(self.model, state)]
        poses = state.body_q
        self.launch(load_tendons, [self.guides, self.spans, self.base, *kept, poses])
        self.choose(poses)

    def choose(self, poses: Any) -> None:
        """Choose the rollers that cables touch where bodies are."""
        from unibody.newton.solvers.tendons.routing_kernels import choose_guides

        self.launch(choose_guides, [self.guides, self.spans, self.rules, poses])

    def save(self, state: Any) -> None:
        """Have a state keep what tendons have become."""
        from unibody.newton.solvers.tendons.routing_kernels import save_tendons

        kept = _history(self.model, state)
        self.launch(save_tendons, [self.guides, self.spans, None, GOES_ON, *kept])

    def reset(self, state: Any, worlds: np.ndarray) -> None:
        """Have tendons of some worlds begin anew, at the pose of the next step.

        Args:
            state: What is written.
            worlds: Which worlds, and at last what belongs to all worlds.
        """
        from unibody.newton.solvers.tendons.routing_kernels import save_tendons

        device = self.model.device
        which = wp.array(worlds[self._worlds], dtype=wp.bool, device=device)
        ignored = wp.zeros(len(self._worlds), dtype=int, device=device)
        own = [getattr(self.spans, name) for name in _KEPT]
        for kept in (_history(self.model, state), [ignored, *own]):
            self.launch(save_tendons, [self.guides, self.base, which, ANEW, *kept])
        total = np.where(which.numpy(), self._first_total.numpy(), self.total.numpy())
        self.total.assign(total)

    def check_colors(self, groups: Any) -> None:
        """Check that no two bodies of a colour are at the ends of a span.

        Raises:
            ValueError: Two are.
        """
        from unibody.newton.builder.tendons import pairs_of_bodies

        colors = np.full(self.model.body_count, -1)
        for number, group in enumerate(groups):
            colors[group.numpy()] = number
        starts, bodies, flags = (
            getattr(self.model, f"tendon_{name}").numpy().tolist()
            for name in ("start", "guide_body", "guide_flags")
        )
        for a, b in pairs_of_bodies(starts[:-1], bodies, flags):
            if colors[a] == colors[b]:
                raise ValueError(
                    f"body_color_groups does not separate tendon segment endpoints: bodies {a} and"
                    f" {b} have one color; ModelBuilder.color() after add_tendon() parts them"
                )


def _first_guides(model: Model) -> np.ndarray:
    """The guide that each span begins at, where all are touched."""
    starts = model.tendon_start.numpy()
    return np.delete(np.arange(model.tendon_guide_count), starts[1:] - 1).astype(np.int32)


def new_history(model: Model) -> dict[str, Any]:
    """What a new state keeps of tendons: nothing yet.

    Args:
        model: The model.

    Returns:
        Attribute -> array.
    """
    device, segments = model.device, model.tendon_segment_count
    with wp.ScopedDevice(device):
        return {
            "_tendon_phase": wp.zeros(model.tendon_count, dtype=wp.int32),
            "tendon_segment_rest_length": wp.clone(model.tendon_segment_rest_length),
            "tendon_segment_attachment_l_local": wp.zeros(segments, dtype=wp.vec3),
            "tendon_segment_attachment_r_local": wp.zeros(segments, dtype=wp.vec3),
            "tendon_guide_active": wp.full(model.tendon_guide_count, True, dtype=wp.bool),
        }


def _history(model: Model, state: Any) -> list[Any]:
    """What a state keeps of tendons; one that a script has made itself begins to."""
    if state.tendon_segment_rest_length is None:
        for name, array in new_history(model).items():
            setattr(state, name, array)
    return [
        state._tendon_phase,
        state.tendon_segment_rest_length,
        state.tendon_segment_attachment_l_local,
        state.tendon_segment_attachment_r_local,
        state.tendon_guide_active,
    ]


_SHOWN = {
    "tendon_segment_rest_length": "rest",
    "tendon_segment_attachment_l": "left",
    "tendon_segment_attachment_r": "right",
    "tendon_segment_attachment_l_local": "left_local",
    "tendon_segment_attachment_r_local": "right_local",
    "tendon_segment_length": "length",
    "tendon_segment_stretch": "stretch",
    "tendon_segment_active": "active",
    "tendon_segment_active_guide_l": "guide_l",
    "tendon_segment_active_guide_r": "guide_r",
    "tendon_segment_active_compliance": "compliance",
    "tendon_segment_active_damping": "damping",
    "tendon_segment_material_tension": "material",
    "tendon_segment_damping_tension": "drag",
    "tendon_segment_lambda": "multiplier",
    "tendon_segment_rolling_delta_l": "rolled_l",
    "tendon_segment_rolling_delta_r": "rolled_r",
    "tendon_guide_active": "touched",
    "tendon_cone_sweep_count": "sweeps",
}
"""What scripts read of a solver -> the array of spans."""


class TendonAttributes:
    """What scripts read of the tendons of a solver, by its names of 1.x."""

    cables: Cables | None = None
    tendon_max_sweeps: int
    tendon_settle_tol: float
    tendon_activation_tol: float

    def _add_cables(
        self, model: Model, max_sweeps: int, settled: float, activation: float, least: float
    ) -> None:
        """Have the tendons of a model, where it has some, and show them."""
        self.tendon_max_sweeps = max_sweeps
        self.tendon_settle_tol = settled
        self.tendon_activation_tol = activation
        check_options(max_sweeps, settled, activation)
        if not model.tendon_count:
            return
        cables = self.cables = Cables(model, least, max_sweeps, settled, activation)
        for name, own in _SHOWN.items():
            setattr(self, name, getattr(cables.spans, own))
        self.tendon_total_cable: Any = cables.total
        self.tendon_segment_guide_l: Any = cables.guide_l

    def _update_tendon_guide_active(self, model: Model, body_q: Any) -> None:
        """Choose the rollers that cables touch where bodies are."""
        if self.cables is not None:
            self.cables.choose(body_q)
