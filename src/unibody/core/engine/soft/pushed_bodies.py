"""Rigid bodies that get impulses between two steps: how they move, and what impulses change."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from unibody.core.deform.pbd.contacts import Rigid

if TYPE_CHECKING:
    from unibody.core.engine.world.world import World

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.integer[Any]]

_FREE = int(mujoco.mjtJoint.mjJNT_FREE)


class PushedBodies:
    """Rigid bodies of a world that particles push in a step.

    A body of an articulated one answers alone: what an impulse on one of its links does to the
    others counts from the next step on.

    Args:
        world: Whose poses are up to date.
        bodies: Their numbers in the compiled model, (n,).
        whole: Of all bodies of the model, whether impulses act where they are, in all directions;
            see `pbd.contacts.Rigid`, (nbody,).

    Attributes:
        rigid: Their velocities and answers.
        centres: Their mass centres, (n, 3) [m].
    """

    def __init__(self, world: World, bodies: IntArray, whole: Any) -> None:
        self._world, self._bodies = world, bodies
        model, data = world.model, world.data
        self.rigid = Rigid.room(len(bodies))
        self.rigid.whole[:] = whole[bodies]
        self.centres: FloatArray = np.array(data.xipos[bodies])
        self._free = [_free_address(model, int(body)) for body in bodies]
        self._ways: dict[int, tuple[FloatArray, FloatArray]] = {}
        if any(address < 0 for address in self._free):
            mujoco.mj_makeM(model, data)
            mujoco.mj_factorM(model, data)
        for n, address in enumerate(self._free):
            answer = self.rigid.answers[n]
            if address >= 0:
                turn = data.ximat[bodies[n]].reshape(3, 3)
                answer[:3, :3] = np.eye(3) / model.body_mass[bodies[n]]
                answer[3:, 3:] = (turn / model.body_inertia[bodies[n]]) @ turn.T
            else:
                rows = self._rows(int(bodies[n]))
                changes = np.zeros_like(rows)
                mujoco.mj_solveM(model, data, changes, rows)
                self._ways[n] = rows, changes
                answer[:] = rows @ changes.T
        self.look()

    def _rows(self, body: int) -> FloatArray:
        """Velocity of a body's mass centre, and its turning, by joint velocity, (6, nv)."""
        model, data = self._world.model, self._world.data
        rows = np.zeros((6, model.nv))
        mujoco.mj_jacBodyCom(model, data, rows[:3], rows[3:], body)
        return rows

    def look(self) -> None:
        """Take the present velocities."""
        data = self._world.data
        for n, (body, address) in enumerate(zip(self._bodies, self._free, strict=True)):
            twist = self.rigid.twists[n]
            if address < 0:
                twist[:] = self._ways[n][0] @ data.qvel
                continue
            twist[3:] = data.xmat[body].reshape(3, 3) @ data.qvel[address + 3 : address + 6]
            arm = data.xipos[body] - data.xpos[body]
            twist[:3] = data.qvel[address : address + 3] + np.cross(twist[3:], arm)

    def push(self) -> None:
        """Give the bodies their impulses."""
        data = self._world.data
        for n, (body, address) in enumerate(zip(self._bodies, self._free, strict=True)):
            impulse = self.rigid.impulses[n]
            if not impulse.any():
                continue
            if address < 0:
                data.qvel += self._ways[n][1].T @ impulse
                continue
            change = self.rigid.answers[n] @ impulse
            arm = data.xipos[body] - data.xpos[body]
            data.qvel[address : address + 3] += change[:3] - np.cross(change[3:], arm)
            data.qvel[address + 3 : address + 6] += data.xmat[body].reshape(3, 3).T @ change[3:]
        self._world.changed()


def _free_address(model: Any, body: int) -> int:
    """The first velocity of a body that moves freely and carries no others; -1 for others."""
    joint = int(model.body_jntadr[body])
    if joint < 0 or int(model.jnt_type[joint]) != _FREE:
        return -1
    carries = model.body_subtreemass[body] > model.body_mass[body]
    return -1 if carries else int(model.jnt_dofadr[joint])
