"""ArticulationView: the articulations of a pattern, in all worlds."""

from __future__ import annotations

from typing import Any

import numpy as np
import warp as wp

from unibody.errors import InvalidArgumentError
from unibody.newton.enums import AttributeFrequency as Frequency
from unibody.newton.enums import JointType
from unibody.newton.inverse_dynamics import (
    eval_inverse_dynamics_force,
    eval_inverse_dynamics_passive,
)
from unibody.newton.jacobians import eval_jacobian, eval_mass_matrix
from unibody.newton.kinematics import eval_fk
from unibody.newton.selection.labels import chosen, leaf
from unibody.newton.state import MaybeArray

_FLOATING = (JointType.FREE, JointType.DISTANCE)
_WIDTH_OF_ROOT = {"joint_q": (7, wp.transform), "joint_qd": (6, wp.spatial_vector)}


class ArticulationView:
    """Articulations that are alike, as arrays (worlds, articulations of a world, ...).

    What is got is a view of the array where places are evenly spaced, else a copy.

    Args:
        model: The model.
        pattern: Of names of articulations; ``*`` stands for anything.
        include_joints: Names, patterns or numbers of joints; None: all.
        exclude_joints: Those that are left out.
        include_links: Names, patterns or numbers of links; None: all.
        exclude_links: Those that are left out.
        include_joint_types: Kinds of joints; None: all.
        exclude_joint_types: Those that are left out.
        verbose: Whether a line says what was found.

    Attributes:
        world_count: Number of worlds, W.
        count_per_world: Articulations of each, C.
        count: Of all.
        is_fixed_base: Whether roots are fixed.
        is_floating_base: Whether roots are free.
        joint_names, joint_dof_names, joint_coord_names: Of the first articulation.
        link_names, shape_names: Of the first articulation.
        custom_frequency_counts: Frequency of the script's own that says which articulations its
            rows belong to -> rows of each; None: they differ.
        articulation_ids: (W, C).

    Raises:
        KeyError: No articulation has such a name.
        InvalidArgumentError: The articulations are not alike.
    """

    def __init__(
        self,
        model: Any,
        pattern: str,
        include_joints: Any = None,
        exclude_joints: Any = None,
        include_links: Any = None,
        exclude_links: Any = None,
        include_joint_types: Any = None,
        exclude_joint_types: Any = None,
        verbose: bool | None = None,
    ) -> None:
        self.model = model
        self.device: Any = model.device
        ids = sorted(chosen("pattern", pattern, model.articulation_key))
        if not ids:
            raise KeyError(f"No articulations matching pattern {pattern!r}")
        self._ids = self._by_world(np.array(ids))
        self.world_count: Any
        self.count_per_world: Any
        self.world_count, self.count_per_world = self._ids.shape
        self.count: int = self._ids.size
        self.articulation_ids: wp.array[Any] = wp.array(
            self._ids, dtype=wp.int32, device=self.device
        )
        self._read_model()
        joints = self._pick_joints(
            include_joints, exclude_joints, include_joint_types, exclude_joint_types
        )
        links = _picked("links", self._link_labels, include_links, exclude_links)
        self._places = self._find_places(joints, links)
        self.custom_frequency_counts: dict[str, int | None] = self._find_rows()
        self._name(joints, links)
        if verbose:
            from unibody import notices

            notices.tell(
                f"{pattern}: {self.count_per_world} articulations in {self.world_count} worlds, "
                f"{self.joint_count} joints, {self.link_count} links"
            )

    def _by_world(self, ids: Any) -> Any:
        worlds = self.model.articulation_world.numpy()[ids]
        names, counts = np.unique(worlds, return_counts=True)
        if (counts != counts[0]).any():
            raise InvalidArgumentError(
                "pattern", dict(zip(names.tolist(), counts.tolist(), strict=True)),
                "as many articulations in each world: Varying articulation counts per world",
            )  # fmt: skip
        return ids.reshape(len(names), counts[0])

    def _read_model(self) -> None:
        model = self.model
        starts = model.articulation_start.numpy()
        owner, types = model.joint_articulation.numpy(), model.joint_type.numpy()
        child = model.joint_child.numpy()
        shapes = model.body_shapes
        rows: list[tuple[list[int], list[int], list[int]]] = []
        for number in self._ids.ravel():
            joints = [j for j in range(starts[number], starts[number + 1]) if owner[j] == number]
            links = [int(child[j]) for j in joints]
            rows.append((joints, links, [s for b in links for s in shapes.get(b, ())]))
        kinds = {tuple(types[joints].tolist()) for joints, _, _ in rows}
        sizes = {tuple(map(len, row)) for row in rows}
        if len(kinds) > 1 or len(sizes) > 1:
            raise InvalidArgumentError("pattern", sizes, "Articulations that are not identical")
        self._joints, self._links, self._shapes = (
            np.array([row[i] for row in rows], np.int64).reshape(*self._ids.shape, -1)
            for i in range(3)
        )
        self._types = types[self._joints[0, 0]]
        self._joint_labels = [model.joint_key[j] for j in self._joints[0, 0]]
        self._link_labels = [model.body_key[b] for b in self._links[0, 0]]
        self.is_floating_base: bool = int(self._types[0]) in _FLOATING
        self.is_fixed_base: bool = int(self._types[0]) == JointType.FIXED

    def _pick_joints(self, include: Any, exclude: Any, kinds: Any, no_kinds: Any) -> list[int]:
        picked = _picked("joints", self._joint_labels, include, exclude)
        wanted = None if kinds is None else {int(k) for k in kinds}
        unwanted = {int(k) for k in (() if no_kinds is None else no_kinds)}
        return [
            i
            for i in picked
            if (wanted is None or int(self._types[i]) in wanted)
            and int(self._types[i]) not in unwanted
        ]

    def _find_places(self, joints: list[int], links: list[int]) -> dict[Any, Any]:
        """Rows of arrays by what they have one row for, (W, C, n) each."""
        q, qd = self.model.joint_q_start.numpy(), self.model.joint_qd_start.numpy()
        chosen_joints = self._joints[..., joints]
        chosen_links = self._links[..., links]
        bodies = set(chosen_links[0, 0].tolist())
        owner = self.model.shape_body.numpy()
        mine = [i for i, s in enumerate(self._shapes[0, 0]) if int(owner[s]) in bodies]
        return {
            Frequency.JOINT: chosen_joints,
            Frequency.JOINT_COORD: _spans(chosen_joints, q),
            Frequency.JOINT_DOF: _spans(chosen_joints, qd),
            Frequency.BODY: chosen_links,
            Frequency.SHAPE: self._shapes[..., mine],
            Frequency.ARTICULATION: self._ids[..., None],
        }

    def _find_rows(self) -> dict[str, int | None]:
        """Find rows of the script's own frequencies by the articulations they belong to."""
        counts: dict[str, int | None] = {}
        for key, spec in self.model.attribute_specs.items():
            frequency = spec.frequency
            if not isinstance(frequency, str) or key != f"{frequency}_articulation":
                continue
            holder: Any = self.model
            for part in key.split(":"):
                holder = getattr(holder, part)
            owners = holder.numpy()
            rows = [np.flatnonzero(owners == number) for number in self._ids.ravel()]
            sizes = {len(row) for row in rows}
            counts[frequency] = sizes.pop() if len(sizes) == 1 else None
            if counts[frequency] is not None:
                self._places[frequency] = np.array(rows, np.int64).reshape(*self._ids.shape, -1)
        return counts

    def _name(self, joints: list[int], links: list[int]) -> None:
        model = self.model
        self.joint_names: list[str] = [leaf(self._joint_labels[i]) for i in joints]
        self.link_names: list[str] = [leaf(self._link_labels[i]) for i in links]
        shapes = self._places[Frequency.SHAPE][0, 0]
        self.shape_names: list[str] = [leaf(model.shape_key[s]) for s in shapes]
        first = self._places[Frequency.JOINT][0, 0]
        for space, start in (("dof", model.joint_qd_start), ("coord", model.joint_q_start)):
            sizes = np.diff(start.numpy())[first]
            names = [
                name if size == 1 else f"{name}:{k}"
                for name, size in zip(self.joint_names, sizes, strict=True)
                for k in range(size)
            ]
            setattr(self, f"joint_{space}_names", names)
            setattr(self, f"joint_{space}_count", len(names))
        self.joint_count: int = len(joints)
        self.link_count: int = len(links)
        self.shape_count: int = len(self.shape_names)
        body_of = self.model.shape_body.numpy()
        order = {int(b): i for i, b in enumerate(self._places[Frequency.BODY][0, 0])}
        self.link_shapes: list[list[int]] = [[] for _ in links]
        for i, shape in enumerate(shapes):
            self.link_shapes[order[int(body_of[shape])]].append(i)

    @property
    def body_names(self) -> list[str]:
        """The names of links."""
        return self.link_names

    @property
    def body_shapes(self) -> list[list[int]]:
        """The shapes of each link."""
        return self.link_shapes

    def _array(self, name: str, source: Any) -> tuple[Any, Any]:
        holder: Any = source
        for part in name.replace(":", ".").split("."):
            if not hasattr(holder, part):
                raise AttributeError(f"{type(source).__name__} has no attribute {name!r}")
            holder = getattr(holder, part)
        key = name.replace(".", ":")
        aliases = {"body_f": "body_qd", "joint_f": "joint_qd", "body_qdd": "body_qd"}
        frequency = self.model.get_attribute_frequency(aliases.get(key, key))
        if frequency not in self._places:
            raise AttributeError(
                f"Attribute {name!r} has frequency {frequency}; a view has joints, links, shapes"
            )
        return holder, self._places[frequency]

    def get_attribute(self, name: str, source: Any) -> wp.array[Any]:
        """Values of an attribute of the model, a state or a control, (W, C, n, ...)."""
        array, places = self._array(name, source)
        return _taken(array, places)

    def set_attribute(self, name: str, target: Any, values: Any, mask: Any = None) -> None:
        """Write values of an attribute.

        Args:
            name: Of the attribute.
            target: The model, a state or a control.
            values: (W, C, n, ...), or what NumPy makes that of.
            mask: Worlds (W,), or articulations (W, C); None: all.
        """
        array, places = self._array(name, target)
        self._put(array, places, values, mask)

    def _put(self, array: Any, places: Any, values: Any, mask: Any) -> None:
        given = values.numpy() if isinstance(values, wp.array) else values
        if hasattr(given, "detach"):
            given = given.detach().cpu().numpy()
        rows = array.numpy()
        shape = (*places.shape, *rows.shape[1:])
        given = np.asarray(given, dtype=rows.dtype)
        wanted = np.broadcast_to(
            given.reshape(shape) if given.size == np.prod(shape) else given, shape
        )
        where = self._mask(mask)
        rows[places[where]] = wanted[where]
        array.assign(rows)

    def _mask(self, mask: Any) -> Any:
        shape = (self.world_count, self.count_per_world)
        if mask is None:
            return np.ones(shape, dtype=bool)
        if isinstance(mask, wp.array):
            mask = mask.numpy()
        elif hasattr(mask, "detach"):
            mask = mask.detach().cpu().numpy()
        found = np.asarray(mask, dtype=bool)
        if found.shape == shape[:1]:
            return np.repeat(found[:, None], shape[1], axis=1)
        if found.shape != shape:
            raise InvalidArgumentError("mask", f"shape {found.shape}", f"({shape[0]},) or {shape}")
        return found

    def _root(self, name: str, source: Any) -> tuple[Any, Any]:
        """The array of roots, and the places of their first numbers."""
        width, dtype = _WIDTH_OF_ROOT[name]
        array = getattr(source, name)
        starts = getattr(self.model, f"{name}_start").numpy()[self._joints[..., 0]]
        places = starts[..., None] + np.arange(width)
        return _taken(array, places, dtype), places

    def get_root_transforms(self, source: Any) -> wp.array[Any]:
        """Poses of roots, (W, C)."""
        if self.is_floating_base:
            return self._root("joint_q", source)[0]
        return _taken(self.model.joint_X_p, self._joints[..., 0])

    def set_root_transforms(self, target: Any, values: Any, mask: Any = None) -> None:
        """Write poses of roots: joints of free ones, else where their joints are fixed."""
        if self.is_floating_base:
            self._put(target.joint_q, self._root("joint_q", target)[1], values, mask)
        else:
            self._put(self.model.joint_X_p, self._joints[..., 0], values, mask)

    def get_root_velocities(self, source: Any) -> MaybeArray:
        """Velocities of free roots, (W, C); None: they are fixed."""
        return self._root("joint_qd", source)[0] if self.is_floating_base else None

    def set_root_velocities(self, target: Any, values: Any, mask: Any = None) -> None:
        """Write velocities of free roots; fixed ones have none."""
        if self.is_floating_base:
            self._put(target.joint_qd, self._root("joint_qd", target)[1], values, mask)

    def get_link_transforms(self, source: Any) -> wp.array[Any]:
        """Poses of links, (W, C, links)."""
        return self.get_attribute("body_q", source)

    def get_link_velocities(self, source: Any) -> wp.array[Any]:
        """Velocities of links, (W, C, links)."""
        return self.get_attribute("body_qd", source)

    def get_dof_positions(self, source: Any) -> wp.array[Any]:
        """Positions of joints, (W, C, coordinates)."""
        return self.get_attribute("joint_q", source)

    def set_dof_positions(self, target: Any, values: Any, mask: Any = None) -> None:
        """Write positions of joints."""
        self.set_attribute("joint_q", target, values, mask)

    def get_dof_velocities(self, source: Any) -> wp.array[Any]:
        """Velocities of joints, (W, C, degrees of freedom)."""
        return self.get_attribute("joint_qd", source)

    def set_dof_velocities(self, target: Any, values: Any, mask: Any = None) -> None:
        """Write velocities of joints."""
        self.set_attribute("joint_qd", target, values, mask)

    def get_dof_forces(self, source: Any) -> wp.array[Any]:
        """Forces on joints, (W, C, degrees of freedom)."""
        return self.get_attribute("joint_f", source)

    def set_dof_forces(self, target: Any, values: Any, mask: Any = None) -> None:
        """Write forces on joints."""
        self.set_attribute("joint_f", target, values, mask)

    def get_model_articulation_mask(self, mask: Any = None) -> wp.array[Any]:
        """Which articulations of the model a mask of this view means."""
        rows = np.zeros(self.model.articulation_count, dtype=bool)
        rows[self._ids[self._mask(mask)]] = True
        return wp.array(rows, dtype=wp.bool, device=self.device)

    def eval_fk(self, target: Any, mask: Any = None) -> None:
        """Work out poses of bodies of these articulations."""
        chosen_ones = self.get_model_articulation_mask(mask)
        eval_fk(self.model, target.joint_q, target.joint_qd, target, mask=chosen_ones)

    def eval_jacobian(
        self, state: Any, J: Any = None, joint_S_s: Any = None, mask: Any = None
    ) -> Any:
        """Work out Jacobians of these articulations. See `newton.eval_jacobian`."""
        chosen_ones = self.get_model_articulation_mask(mask)
        return eval_jacobian(self.model, state, J, joint_S_s=joint_S_s, mask=chosen_ones)

    def eval_mass_matrix(
        self,
        state: Any,
        H: Any = None,
        J: Any = None,
        body_I_s: Any = None,
        joint_S_s: Any = None,
        mask: Any = None,
        *,
        include_armature: bool | None = None,
    ) -> Any:
        """Work out mass matrices of these articulations. See `newton.eval_mass_matrix`."""
        return eval_mass_matrix(
            self.model,
            state,
            H,
            J,
            body_I_s,
            joint_S_s,
            mask=self.get_model_articulation_mask(mask),
            include_armature=include_armature,
        )

    def eval_inverse_dynamics_passive(
        self,
        state: Any,
        *,
        mass_matrix: Any = None,
        gravity_force: Any = None,
        coriolis_force: Any = None,
        mask: Any = None,
    ) -> None:
        """Work out terms of the dynamics. See `newton.eval_inverse_dynamics_passive`."""
        eval_inverse_dynamics_passive(
            self.model,
            state,
            mass_matrix=mass_matrix,
            gravity_force=gravity_force,
            coriolis_force=coriolis_force,
            mask=self.get_model_articulation_mask(mask),
        )

    def eval_inverse_dynamics_force(
        self,
        state: Any,
        *,
        mass_matrix: Any,
        joint_qdd: Any,
        coriolis_force: Any,
        gravity_force: Any,
        joint_f: Any,
        mask: Any = None,
    ) -> None:
        """Work out forces for accelerations. See `newton.eval_inverse_dynamics_force`."""
        eval_inverse_dynamics_force(
            self.model,
            state,
            mass_matrix=mass_matrix,
            joint_qdd=joint_qdd,
            coriolis_force=coriolis_force,
            gravity_force=gravity_force,
            joint_f=joint_f,
            mask=self.get_model_articulation_mask(mask),
        )


def _picked(what: str, labels: list[str], include: Any, exclude: Any) -> list[int]:
    kept = set(range(len(labels)))
    if include is not None:
        kept = chosen(f"include_{what}", include, labels)
    if exclude is not None:
        kept -= chosen(f"exclude_{what}", exclude, labels)
    return sorted(kept)


def _spans(joints: Any, starts: Any) -> Any:
    """Places of the numbers of joints, (W, C, n)."""
    parts = [
        starts[joints[..., i]][..., None] + np.arange(np.diff(starts)[joints[0, 0, i]])
        for i in range(joints.shape[-1])
    ]
    return np.concatenate(parts, axis=-1) if parts else np.zeros((*joints.shape[:2], 0), int)


def _taken(array: Any, places: Any, dtype: Any = None) -> wp.array[Any]:
    """Rows of an array: a view where the places are evenly spaced, else a copy."""
    wanted = array.dtype if dtype is None else dtype
    shape = places.shape if dtype is None else places.shape[:-1]
    if places.size and _is_even(places):
        step = array.strides[0]
        first = int(places.flat[0])
        strides = [_gap(places, axis) * step for axis in range(len(shape))]
        return wp.array(
            ptr=array.ptr + first * step,
            dtype=wanted,
            shape=(*shape, *array.shape[1:]),
            strides=(*strides, *array.strides[1:]),
            device=array.device,
            copy=False,
        )
    rows = array.numpy()[places]
    return wp.array(rows, dtype=wanted, device=array.device)


def _gap(places: Any, axis: int) -> int:
    if places.shape[axis] < 2:
        return 1
    return int(np.take(places, 1, axis).flat[0] - places.flat[0])


def _is_even(places: Any) -> bool:
    """Whether the places are evenly spaced along each axis."""
    grid = np.full(places.shape, int(places.flat[0]))
    for axis in range(places.ndim):
        shape = [1] * places.ndim
        shape[axis] = places.shape[axis]
        grid = grid + _gap(places, axis) * np.arange(places.shape[axis]).reshape(shape)
    return bool(np.array_equal(grid, places))
