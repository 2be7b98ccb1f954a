"""Rigid bodies that get impulses between two steps: how they move, and what impulses change."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Self

import mujoco
import numpy as np
from numpy.typing import NDArray

from unibody.core.deform.pbd.contacts import Rigid
from unibody.machine_code.jit import kernel

if TYPE_CHECKING:
    from unibody.core.engine.world.world import World

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.integer[Any]]

_FREE = int(mujoco.mjtJoint.mjJNT_FREE)


class Arrays(NamedTuple):
    """Of a model and its data; see MuJoCo."""

    body_mass: Any
    body_inertia: Any
    xpos: Any
    xmat: Any
    xipos: Any
    ximat: Any
    qvel: Any

    @classmethod
    def of(cls, model: Any, data: Any) -> Self:
        """Those of a compiled model."""
        return cls(*(
            getattr(model if name.startswith("body_") else data, name) for name in cls._fields
        ))  # fmt: skip


@kernel
def _arm(arrays: Arrays, body: int) -> Any:
    """From where a body's velocities are stated to its mass centre [m]."""
    centre, place = arrays.xipos[body], arrays.xpos[body]
    return centre[0] - place[0], centre[1] - place[1], centre[2] - place[2]


@kernel
def write_twists(bodies: Any, free: Any, arrays: Arrays, twists: Any) -> None:
    """Write the velocities of bodies that move freely, (n, 6); see `write_answers`."""
    for n in range(len(bodies)):
        at = free[n]
        if at < 0:
            continue
        turn, v, twist = arrays.xmat[bodies[n]], arrays.qvel, twists[n]
        x, y, z = _arm(arrays, bodies[n])
        for k in range(3):
            row = 3 * k
            twist[3 + k] = (
                turn[row] * v[at + 3] + turn[row + 1] * v[at + 4] + turn[row + 2] * v[at + 5]
            )
        twist[0] = v[at] + twist[4] * z - twist[5] * y
        twist[1] = v[at + 1] + twist[5] * x - twist[3] * z
        twist[2] = v[at + 2] + twist[3] * y - twist[4] * x


@kernel
def write_answers(bodies: Any, free: Any, arrays: Arrays, rigid: Rigid, centres: Any) -> None:
    """Write mass centres, and of bodies that move freely what impulses change, and velocities.

    Args:
        bodies: Numbers in the compiled model, (n,).
        free: The first velocity of each, -1 of those that do not move freely, (n,).
        arrays: See `Arrays`.
        rigid: Gets answers and twists.
        centres: (n, 3) [m].
    """
    rigid.impulses[:] = 0.0
    for n in range(len(bodies)):
        body, answer = bodies[n], rigid.answers[n]
        for k in range(3):
            centres[n, k] = arrays.xipos[body, k]
        if free[n] < 0:
            continue
        turn, inertia = arrays.ximat[body], arrays.body_inertia[body]
        answer[:] = 0.0
        for i in range(3):
            answer[i, i] = 1.0 / arrays.body_mass[body]
            for j in range(3):
                for k in range(3):
                    answer[3 + i, 3 + j] += turn[3 * i + k] * turn[3 * j + k] / inertia[k]
    write_twists(bodies, free, arrays, rigid.twists)


@kernel
def push_free(bodies: Any, free: Any, arrays: Arrays, rigid: Rigid) -> None:
    """Give impulses to bodies that move freely; see `write_answers`."""
    change = np.zeros(6)
    for n in range(len(bodies)):
        at = free[n]
        if at < 0:
            continue
        for i in range(6):
            change[i] = 0.0
            for j in range(6):
                change[i] += rigid.answers[n, i, j] * rigid.impulses[n, j]
        turn, v = arrays.xmat[bodies[n]], arrays.qvel
        x, y, z = _arm(arrays, bodies[n])
        v[at] += change[0] - (change[4] * z - change[5] * y)
        v[at + 1] += change[1] - (change[5] * x - change[3] * z)
        v[at + 2] += change[2] - (change[3] * y - change[4] * x)
        for k in range(3):
            v[at + 3 + k] += turn[k] * change[3] + turn[3 + k] * change[4] + turn[6 + k] * change[5]


class PushedBodies:
    """Rigid bodies of a world that particles push.

    A body of an articulated one answers alone: what an impulse on one of its links does to the
    others counts from the next step on.

    Args:
        world: Which is not compiled anew while this is used.
        bodies: Their numbers in the compiled model, (n,).
        whole: Of all bodies of the model, whether impulses act where they are, in all directions;
            see `pbd.contacts.Rigid`, (nbody,); None: of all they do.

    Attributes:
        bodies: Their numbers.
        rigid: Their velocities and answers.
        centres: Their mass centres, (n, 3) [m].
        free: The first velocity of each, -1 of those that do not move freely, (n,).
    """

    def __init__(self, world: World, bodies: IntArray, whole: Any) -> None:
        self._world, self._whole = world, whole
        self.bodies: IntArray = bodies
        self.rigid: Rigid = Rigid.room(len(bodies))
        if whole is not None:
            self.rigid.whole[:] = whole[bodies]
        self.centres: FloatArray = np.zeros((len(bodies), 3))
        free = [_free_address(world.model, int(body)) for body in bodies]
        self.free: NDArray[np.int64] = np.array(free, dtype=np.int64)
        self._jointed = [(n, int(bodies[n])) for n, address in enumerate(free) if address < 0]
        self._ways: dict[int, tuple[FloatArray, FloatArray]] = {}

    def are(self, bodies: IntArray, whole: Any) -> bool:
        """Whether these are the bodies, and `whole` is the same array."""
        return whole is self._whole and bytes(bodies) == bytes(self.bodies)

    def begin(self) -> None:
        """Take answers and velocities of bodies with joints; poses of the world are up to date.

        Those of bodies that move freely are taken by compiled code; see `write_answers`.
        """
        if self._jointed:
            model, data = self._world.model, self._world.data
            mujoco.mj_makeM(model, data)
            mujoco.mj_factorM(model, data)
            for n, body in self._jointed:
                rows = self._rows(body)
                changes = np.zeros_like(rows)
                mujoco.mj_solveM(model, data, changes, rows)
                self._ways[n] = rows, changes
                self.rigid.answers[n] = rows @ changes.T
            self.look()

    def _rows(self, body: int) -> FloatArray:
        """Velocity of a body's mass centre, and its turning, by joint velocity, (6, nv)."""
        model, data = self._world.model, self._world.data
        rows = np.zeros((6, model.nv))
        mujoco.mj_jacBodyCom(model, data, rows[:3], rows[3:], body)
        return rows

    def look(self) -> None:
        """Take the present velocities of bodies with joints; see `begin`."""
        for n, _ in self._jointed:
            self.rigid.twists[n] = self._ways[n][0] @ self._world.data.qvel

    def push(self) -> None:
        """Give bodies with joints their impulses, and say that velocities are others."""
        for n, _ in self._jointed:
            self._world.data.qvel += self._ways[n][1].T @ self.rigid.impulses[n]
        self._world.changed()


def _free_address(model: Any, body: int) -> int:
    """The first velocity of a body that moves freely and carries no others; -1 for others."""
    joint = int(model.body_jntadr[body])
    if joint < 0 or int(model.jnt_type[joint]) != _FREE:
        return -1
    carries = model.body_subtreemass[body] > model.body_mass[body]
    return -1 if carries else int(model.jnt_dofadr[joint])
