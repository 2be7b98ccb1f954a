# pyright: basic
"""The constraint callback of mujoco-warp: launches the kernels that rewrite the rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import warp as wp

from unibody.core.engine.records import rule_table as t
from unibody.core.engine.rules import warp_contacts as c
from unibody.core.engine.rules import warp_kernels as k
from unibody.core.engine.rules.contacts import FREE_DOFS
from unibody.core.engine.rules.registry import has_acceleration_drives
from unibody.core.engine.rules.warp_drive_inertias import DriveInertias
from unibody.core.engine.rules.warp_joint_creep import Creeping
from unibody.core.engine.rules.warp_joint_load_friction import apply_loads
from unibody.core.engine.rules.warp_rotation_vectors import apply_vectors

if TYPE_CHECKING:
    from numpy.typing import NDArray


class WarpRules:
    """The rules of one model on a Warp device; call it as ``m.callback.control``.

    Attributes:
        geom_user, joint_user, body_user: Numbers of ``rule_table``, (1 or N, n, size). Assigning an
            array with one row a world makes them differ between worlds.
        creeps: Whether joints with friction call for ``after_solve``.
        jacobian: Of the rows of all worlds.
        params: Numbers of ``rule_table`` of the world.
    """

    def __init__(self, model: Any, m: Any, d: Any) -> None:
        self.geom_user: Any = _numbers(model.geom_user, model.ngeom, t.GEOM_USER_SIZE)
        self.joint_user: Any = _numbers(model.jnt_user, model.njnt, t.JOINT_USER_SIZE)
        self.body_user: Any = _numbers(model.body_user, model.nbody, t.BODY_USER_SIZE)
        self._model = model
        self.params: NDArray[Any] = np.array(model.numeric_data)
        self.joints: Any = joints_of(model)
        self._tree = _ints(model.body_treeid[model.geom_bodyid])
        self._tree_dofs = _ints(model.tree_dofnum)
        self._last = wp.array(_subtree_ends(model), dtype=int)
        self._drags = bool(model.body_user[:, : t.B_QUADRATIC_DAMPING].any())
        self._wrench = None
        self._accelerates = has_acceleration_drives(model, d.userdata.numpy())
        balls = model.jnt_user[:, t.J_BALL] != 0.0
        self._has_vectors = bool(balls.any())
        self._carries = bool(model.dof_frictionloss[~balls[model.dof_jntid]].any())
        self.use(m, d)
        loads = bool(model.numeric_data[t.N_JOINT_LOADS])
        self.creeps: bool = loads and self._creeping.moves > 1

    def use(self, m: Any, d: Any) -> None:
        """Take the memory that depends on how many contacts and rows there is room for."""
        self.jacobian: Any = _jacobian_of(self._model, m, d)
        self.stretch = wp.zeros(d.naconmax, dtype=float)
        self._creeping = Creeping(self._model, d)
        self._inertias = DriveInertias(d)

    def use_damping(self) -> None:
        """Say that some body has damping now."""
        self._drags = True

    def use_joint_friction(self) -> None:
        """Say that some joint has friction now."""
        self._carries = True

    def use_acceleration_drives(self) -> bool:
        """Say that some drive gives accelerations now; True: that is new."""
        new, self._accelerates = not self._accelerates, True
        return new

    def after_solve(self, m: Any, d: Any) -> None:
        """Move joints that friction holds; between the solver and the integration."""
        if self.creeps and self._carries:
            self._creeping(m, d, self.joints, rows_of(d), self.body_user)

    def __call__(self, m: Any, d: Any) -> None:
        """Rewrite the rows of all worlds."""
        if self._drags:
            self._apply_drag(m, d)
        rows = rows_of(d)
        p = self.params
        if self._accelerates:
            self._inertias(m, d, self.joints)
        wp.launch(k.forget_lost_solution, dim=d.qvel.shape, inputs=[d.qacc_warmstart])
        wp.launch(
            k.joint_rows,
            dim=(d.nworld, d.njmax),
            inputs=[
                m.opt.timestep,
                k.limit_erp(p),
                float(p[t.N_LIMIT_DEPTH]),
                self.joints,
                self.joint_user,
                m.dof_invweight0,
                m.tendon_invweight0,
                d.qpos,
                d.userdata,
                rows,
                d.qacc_warmstart,
            ],
        )
        if self._has_vectors:
            apply_vectors(m, d, self, rows)
        if self._carries and p[t.N_JOINT_LOADS]:
            held = self._creeping.held(m, self.body_user)
            apply_loads(m, d, self.joints, self.joint_user, held, rows)
        self._apply_contacts(m, d, rows)

    def _apply_contacts(self, m: Any, d: Any, rows: Any) -> None:
        surfaces, contacts, jacobian = self._surfaces(m), self.contacts(d), self.jacobian
        jacobian.rows.zero_()
        wp.launch(c.count_rows, dim=(d.nworld, d.njmax), inputs=[self.joints, jacobian, rows])
        wp.launch(c.count_contacts, dim=d.naconmax, inputs=[surfaces, contacts, jacobian])
        wp.launch(
            c.contact_rows,
            dim=d.naconmax,
            inputs=[surfaces, contacts, jacobian, rows, d.qacc_warmstart],
        )

    def contacts(self, d: Any) -> Any:
        """The contacts of an mjw Data as the kernels take them."""
        found = c.Contacts()
        found.count = d.nacon
        found.world = d.contact.worldid
        found.dist = d.contact.dist
        found.pos = d.contact.pos
        found.frame = d.contact.frame
        found.friction = d.contact.friction
        found.dim = d.contact.dim
        found.geom = d.contact.geom
        found.row = d.contact.efc_address
        found.stretch = self.stretch
        return found

    def _surfaces(self, m: Any) -> Any:
        p = self.params
        s = c.Surfaces()
        s.friction = m.geom_friction
        s.user = self.geom_user
        s.inverse_inertia = m.dof_invweight0
        s.tree, s.dofs = self._tree, self._tree_dofs
        s.gravity = m.opt.gravity
        s.timestep = m.opt.timestep
        s.friction_rule = int(p[t.N_FRICTION_RULE])
        s.restitution_rule = int(p[t.N_RESTITUTION_RULE])
        s.restitution_speed = float(p[t.N_RESTITUTION_SPEED])
        s.erp = float(p[t.N_CONTACT_ERP])
        s.parting_speed = float(p[t.N_PARTING_SPEED])
        s.friction_cfm = float(p[t.N_FRICTION_CFM])
        s.free_cfm = float(p[t.N_FREE_FRICTION_CFM])
        s.world_cfm = friction_softness(self._model)
        return s

    def _apply_drag(self, m: Any, d: Any) -> None:
        if self._wrench is None:
            self._wrench = wp.zeros((d.nworld, m.nbody), dtype=wp.spatial_vector)
        b = k.Bodies()
        b.user = self.body_user
        b.mass = m.body_mass
        b.inertia = m.body_inertia
        b.root = m.body_rootid
        b.last = self._last
        b.of_dof = m.dof_bodyid
        wp.launch(
            k.drag_wrenches,
            dim=(d.nworld, m.nbody),
            inputs=[m.opt.timestep, b, d.cvel, d.xipos, d.ximat, d.subtree_com, self._wrench],
        )
        wp.launch(
            k.drag_forces,
            dim=(d.nworld, m.nv),
            inputs=[b, d.cdof, self._wrench, d.qfrc_passive],
        )


def friction_softness(model: Any) -> float:
    """``R`` of friction rows relative to normal rows, as mujoco-warp has it for all of a model."""
    articulated = bool((model.tree_dofnum > FREE_DOFS).any())
    column = t.N_FRICTION_CFM if articulated else t.N_FREE_FRICTION_CFM
    return float(model.numeric_data[column])


def rows_of(d: Any) -> Any:
    """The constraint rows of an mjw Data as the kernels take them."""
    r = k.Rows()
    r.nefc = d.nefc
    r.type = d.efc.type
    r.id = d.efc.id
    r.pos = d.efc.pos
    r.vel = d.efc.vel
    r.aref = d.efc.aref
    r.D = d.efc.D
    r.frictionloss = d.efc.frictionloss
    return r


def _numbers(values: Any, count: int, size: int) -> Any:
    return wp.array(np.reshape(values, (1, count, size)), dtype=float)


def _ints(values: Any) -> Any:
    return wp.array(np.asarray(values, np.int32), dtype=int)


def _jacobian_of(model: Any, m: Any, d: Any) -> Any:
    """The Jacobians of an mjw Data as the kernels take them."""
    j = c.Jacobian()
    j.sparse, j.nv = int(m.is_sparse), model.nv
    j.values, j.column = d.efc.J, d.efc.J_colind
    j.start, j.length = d.efc.J_rowadr, d.efc.J_rownnz
    j.tree = _ints(model.dof_treeid)
    j.rows = wp.zeros((d.nworld, max(1, model.ntree)), dtype=int)
    return j


def joints_of(model: Any) -> Any:
    """The joints and drives of a model as the kernels take them."""
    j = k.Joints()
    j.drives = int(model.numeric_data[t.N_DRIVES])
    j.equalities = int(model.numeric_data[t.N_EQUALITIES])
    first = model.tendon_adr[: j.drives]
    balls = np.flatnonzero(model.jnt_user[:, t.J_BALL] < 0.0)
    numbers = (-1.0 - model.jnt_user[balls, t.J_BALL]).astype(int)
    joint_of = np.array(model.wrap_objid[first])
    for axis in range(3):
        joint_of[numbers + axis] = balls
    j.tendon_joint = _ints(joint_of)
    j.qpos = _ints(model.jnt_qposadr)
    j.dof = _ints(model.jnt_dofadr)
    j.joint_of_dof = _ints(model.dof_jntid)
    j.vector_drive = _ints(np.maximum(-1.0 - model.jnt_user[:, t.J_BALL], -1.0))
    return j


def _subtree_ends(model: Any) -> Any:
    """One past the last body of each subtree: bodies are numbered depth first."""
    ends = np.arange(1, model.nbody + 1, dtype=np.int32)
    for body in range(model.nbody - 1, 0, -1):
        parent = model.body_parentid[body]
        ends[parent] = max(ends[parent], ends[body])
    return ends
