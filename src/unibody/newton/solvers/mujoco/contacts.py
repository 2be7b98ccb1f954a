"""Contacts that a script found, in the place of MuJoCo's."""

from __future__ import annotations

from typing import Any

import numpy as np
import warp as wp

from unibody.core.engine.plain import spec as plain
from unibody.errors import InvalidArgumentError
from unibody.newton.dialect import is_after_first_of_1, normal_sign
from unibody.newton.solvers.mujoco import contacts_kernels as kernels
from unibody.newton.solvers.mujoco.maps import Maps


class InjectedContacts:
    """Writes a `Contacts` into mujoco-warp's data before each step.

    Args:
        model: The model.
        worlds: Its worlds on a Warp device.
        maps: Where all is.
    """

    def __init__(self, model: Any, worlds: Any, maps: Maps) -> None:
        self._model = model
        self._m, self._d = worlds.mjw_model, worlds.mjw_data
        self._m.opt.run_collision_detection = False
        elliptic = int(self._m.opt.cone) == int(plain.OPTIONS["cone"]["elliptic"])
        self._viscous = elliptic and is_after_first_of_1()  # until then kf was not heeded
        geoms = np.full(max(model.shape_count, 1), -1, np.int32)
        places = np.zeros(max(model.body_count, 1), np.int32)
        for world in range(len(maps.geom)):
            for numbers, found in ((maps.geom[world], geoms), (maps.body[world], places)):
                used = numbers >= 0
                is_geom = found is geoms
                found[numbers[used]] = np.flatnonzero(used) if is_geom else world
        held = np.zeros(max(model.body_count, 1), np.int32)
        root = worlds.model.body_weldid
        welded = (root == 0) | (worlds.model.body_mocapid[root] >= 0)  # to the world, or held
        for world in range(len(maps.body)):
            numbers = maps.body[world]
            held[numbers[(numbers >= 0) & welded]] = 1
        with wp.ScopedDevice(model.device):
            self._held = wp.array(held, dtype=wp.int32)
            self._geoms = wp.array(geoms, dtype=wp.int32)
            self._places = wp.array(places, dtype=wp.int32)

    def put(self, state: Any, contacts: Any) -> None:
        """Write the contacts of a step.

        Raises:
            InvalidArgumentError: There are none.
        """
        if contacts is None:
            raise InvalidArgumentError("contacts", None, "those of Model.collide")
        model, m, d = self._model, self._m, self._d
        d.nacon.zero_()
        d.ncollision.zero_()
        c = d.contact
        wp.launch(
            kernels.put_contacts,
            dim=contacts.rigid_contact_max,
            inputs=[
                contacts.rigid_contact_count,
                contacts.rigid_contact_shape0,
                contacts.rigid_contact_shape1,
                contacts.rigid_contact_point0,
                contacts.rigid_contact_point1,
                contacts.rigid_contact_normal,
                contacts.rigid_contact_margin0,
                contacts.rigid_contact_margin1,
                normal_sign(),
                model.shape_body,
                model.body_flags,
                self._held,
                model.shape_thickness,
                state.body_q,
                self._geoms,
                self._places,
                m.geom_condim,
                m.geom_priority,
                m.geom_solmix,
                m.geom_friction,
                m.geom_solref,
                m.geom_solimp,
                m.geom_margin,
                model.shape_material_kf if self._viscous else None,
                m.geom_bodyid,
                m.body_invweight0,
                m.opt.impratio_invsqrt,
                d.naconmax,
            ],
            outputs=[
                d.nacon,
                c.dist,
                c.pos,
                c.frame,
                c.includemargin,
                c.friction,
                c.solref,
                c.solreffriction,
                c.solimp,
                c.dim,
                c.geom,
                c.efc_address,
                c.worldid,
            ],
            device=model.device,
        )
