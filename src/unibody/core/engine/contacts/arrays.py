"""The contacts of a world as arrays, with the forces of the last step."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any
from weakref import WeakKeyDictionary

import mujoco
import numpy as np
from numpy.typing import NDArray

from unibody.core.assets.description import ShapeKind
from unibody.core.engine.contacts.inherited_forces_kernel import inherit_forces
from unibody.core.engine.contacts.read_kernel import IDS, NUMBERS, Slot, reader
from unibody.core.engine.library.layout import layout
from unibody.core.engine.records.body import BodyRecord, LinkRecord
from unibody.core.engine.records.rule_table import TOUCH
from unibody.core.engine.rules.pair_filter import MESH_MARGIN
from unibody.core.engine.world import contact_memory
from unibody.core.engine.world.world import World
from unibody.machine_code.calls.copying import address_of

_GEOM = mujoco.mjtGeom
_SURFACES = (int(_GEOM.mjGEOM_PLANE), int(_GEOM.mjGEOM_HFIELD))
COMPOUND, CONVEX, SURFACE = 0, 1, 2
_NUMBER = 8  # bytes
_POSES = ("qpos", "mocap_pos", "mocap_quat")  # arrays that say where everything is
_DISTANCE, _FORCE = 9, 10  # rows of ``Contacts.numbers``


class Contacts:
    """N contact points between a link A and a link B, world frame.

    A is, as in Bullet, the link of several shapes against one of a single shape, and never a
    plane, height field or concave mesh against a convex shape. Otherwise it is the one with the
    smaller (body id, link index).

    Attributes:
        count: N.
        addresses: Of ``ids`` and ``numbers``.
    """

    __slots__ = ("_memory", "addresses", "count")

    def __init__(self, count: int) -> None:
        memory = self._memory = np.empty((IDS + NUMBERS, count))
        at = address_of(memory)
        self.count: int = count
        self.addresses: tuple[int, int] = (at, at + _NUMBER * IDS * count)

    @classmethod
    def of(cls, ids: NDArray[np.int64], numbers: NDArray[np.float64]) -> Contacts:
        """Contacts of arrays that need not lie in memory row by row."""
        made = cls(ids.shape[1])
        made.ids[:], made.numbers[:] = ids, numbers
        return made

    @property
    def ids(self) -> NDArray[np.int64]:
        """Body A, body B, link A, link B (-1 for a base), (4, N)."""
        return self._memory[:IDS].view(np.int64)

    @property
    def numbers(self) -> NDArray[np.float64]:
        """What is known of each, (19, N).

        Position on A (3) and on B (3) [m], unit normal from B to A (3), distance [m] (negative
        where the shapes overlap), force on A along the normal and along two directions (3) [N],
        those directions (3 and 3), unit and at right angles to the normal.
        """
        return self._memory[IDS:]


class _View:
    """What is known of the contacts of one world."""

    def __init__(self) -> None:
        self.version = -1
        self.contacts: Contacts | None = None
        # Contacts that are not those of the MjData; they hold until time moves on.
        self.kept: Contacts | None = None
        self.kept_time = 0.0
        self.detected = -1  # the version of the world that they were found in by a search
        self.revision = 0
        self.generation = -1
        self.table = np.zeros(Slot.SIZE_OF_TABLE, dtype=np.int64)
        self.table_at = int(self.table.ctypes.data)
        self.arrays: Any = None  # the table has their addresses
        self.scratch: Any = None
        self.margins: NDArray[np.float64] | None = None  # of all geoms, if there are meshes


_views: WeakKeyDictionary[World, _View] = WeakKeyDictionary()


def _view(world: World) -> _View:
    view = _views.get(world)
    if view is None:
        view = _views[world] = _View()
    if view.generation != world.generation:
        _fill_table(view, world)
        view.generation = world.generation
        view.scratch = None
    return view


def _fill_table(view: _View, world: World) -> None:
    lay = layout()
    view.arrays = (
        world.model.geom_bodyid, world.geom_rank, world.owner_body, world.owner_link
    )  # fmt: skip
    view.table[:] = (
        lay.d_ncon, lay.d_contact, lay.d_efc_force, lay.c_size, lay.c_dist, lay.c_pos,
        lay.c_frame, lay.c_dim, lay.c_geom, lay.c_efc_address,
        *map(address_of, view.arrays),
    )  # fmt: skip
    margins = world.model.geom_margin
    view.margins = margins if (margins == MESH_MARGIN).any() else None


def contact_ranks(
    model: Any, bodies: Iterable[BodyRecord], before: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Rank of each geom in a contact, (ngeom,): the geom of the lower rank is on A.

    Args:
        model: The compiled model.
        bodies: The bodies whose geoms ``before`` does not hold yet.
        before: Ranks of the geoms that come first in the model.
    """
    ranks = np.full(model.ngeom, CONVEX, dtype=np.int64)
    ranks[: len(before)] = before
    for record in bodies:
        for state in record.links:
            if state.ngeom and _is_wrapped(state):
                ranks[state.geom : state.geom + state.ngeom] = COMPOUND
            for geom, number in enumerate(state.shape_of_geom, start=max(state.geom, 0)):
                if state.link.collisions[number].concave:
                    ranks[geom] = SURFACE
    for kind in _SURFACES:
        ranks[model.geom_type == kind] = SURFACE
    return ranks


def _is_wrapped(state: LinkRecord) -> bool:
    """Whether Bullet takes a link for several shapes; one mesh can be several hulls."""
    if state.compound:
        return True
    return any(
        shape.wrapped or (state.ngeom > 1 and not shape.concave) for shape in state.link.collisions
    )


def rank_of(state: LinkRecord) -> int:
    """Rank of the geoms of a link that has no concave shape."""
    if _is_wrapped(state):
        return COMPOUND
    kinds = (shape.kind for shape in state.link.collisions)
    return SURFACE if any(kind is ShapeKind.PLANE for kind in kinds) else CONVEX


def read_contacts(world: World) -> Contacts:
    """The contacts of the last step or of the last `detect_contacts`, whichever was later.

    Poses that were set since do not change them. The arrays are made once a state and shared by
    all calls.
    """
    return _read(_view(world), world)


def _read(view: _View, world: World) -> Contacts:
    if view.kept is not None:
        if world.data.time == view.kept_time:
            return view.kept
        view.kept = None
        view.version = -1
    if view.version != world.version or view.contacts is None:
        view.contacts = _convert(view, world.data)
        view.version = world.version
        view.revision += 1
    return view.contacts


def contacts_revision(world: World) -> int:
    """A number that changes whenever `read_contacts` would give other arrays."""
    view = _view(world)
    _read(view, world)
    return view.revision


def detect_contacts(world: World) -> Contacts:
    """Find the contacts of the present poses, without a step.

    A contact that was there before, within 0.02 m, keeps the force it had; a new one has none.
    The forces of joints and motors stay readable: the search has an MjData of its own.
    """
    view = _view(world)
    if view.kept is not None and view.detected == world.version:
        return view.kept
    before = _read(view, world)
    found = _convert(view, _collided(view, world))
    if before.count and found.count:
        inherit_forces(before.addresses, before.count, found.addresses, found.count)
    _keep(view, world, found)
    view.detected = world.version
    return found


def _collided(view: _View, world: World) -> Any:
    """An MjData with the contacts of the present poses."""
    model = world.model
    world.ready_to_collide()
    while True:
        if view.scratch is None:
            view.scratch = _scratch(world)
        data, copies = view.scratch
        for to, origin in copies:
            to[:] = origin
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        try:
            mujoco.mj_collision(model, data)
            return data
        except mujoco.FatalError as problem:
            if not contact_memory.is_full(problem):
                raise
            view.scratch = None
            contact_memory.enlarge(model)


def _scratch(world: World) -> tuple[Any, list[tuple[memoryview, memoryview]]]:
    """Another MjData of the model of a world, and what is copied to where before it is used."""
    data = mujoco.MjData(world.model)
    pairs = ((getattr(data, name), getattr(world.data, name)) for name in _POSES)
    return data, [(to.reshape(-1).data, at.reshape(-1).data) for to, at in pairs if to.size]


def keep_contacts(world: World, bodies: Collection[int]) -> None:
    """Make the present contacts among ``bodies`` outlive a recompile.

    To be called before the world gets another MjData.
    """
    contacts = read_contacts(world)
    if contacts.count == 0:
        return
    stay = np.isin(contacts.ids[:2], np.fromiter(bodies, dtype=np.int64)).all(axis=0)
    _keep(_view(world), world, Contacts.of(contacts.ids[:, stay], contacts.numbers[:, stay]))


def lose_contacts(world: World, bodies: Iterable[int]) -> None:
    """Make the present contacts, but for those with ``bodies``, outlive their removal."""
    contacts = read_contacts(world)
    if contacts.count == 0:
        return
    first, second = contacts.ids[0], contacts.ids[1]
    lost = np.zeros(contacts.count, dtype=np.bool_)
    for body in bodies:
        lost |= (first == body) | (second == body)
    if lost.any():
        ids, numbers = contacts.ids, contacts.numbers
        contacts = Contacts.of(ids[:, ~lost], numbers[:, ~lost])
    _keep(_view(world), world, contacts)


def _keep(view: _View, world: World, contacts: Contacts) -> None:
    view.kept, view.detected = contacts, -1
    view.kept_time = float(world.data.time)
    view.revision += 1


def _convert(view: _View, data: Any) -> Contacts:
    found = Contacts(data.ncon)
    if found.count:
        reader()(view.table_at, data._address, found.count, *found.addresses)
        if view.margins is not None:
            ids, numbers = found.ids, found.numbers
            near = _near(view.margins, data, numbers)
            return Contacts.of(ids[:, near], numbers[:, near])
    return found


def _near(
    margins: NDArray[np.float64], data: Any, numbers: NDArray[np.float64]
) -> NDArray[np.bool_]:
    """Which contacts are told of: those with a mesh of triangles only as far ahead as others.

    What could be crossed in the next step is a contact too, but touches nothing unless it has a
    force.
    """
    pairs = margins[data.contact.geom]
    ahead = np.where(pairs == MESH_MARGIN, 0.0, pairs).sum(axis=1) + 2.0 * TOUCH
    far = (numbers[_DISTANCE] > ahead) & (numbers[_FORCE] == 0.0)
    return ~(far & (pairs == MESH_MARGIN).any(axis=1))
