"""Methods of ``Gym``: soft bodies and their particles.

Positions of particles are in the frame of the simulation, not of their environments.
"""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import numpy as np

from unibody.isaacgym import handles
from unibody.isaacgym.batch.simulation import Simulation
from unibody.isaacgym.batch.soft import WIDTH, SoftPart
from unibody.isaacgym.gym.asset_loading import asset_of
from unibody.isaacgym.gym.asset_queries import copies_of
from unibody.isaacgym.gym.checks import actor_of, env_of, index_of, sim_of, vector_of
from unibody.isaacgym.gym.tensors import actors_of, values_of
from unibody.isaacgym.gym.viewers import viewer_of
from unibody.isaacgym.models.soft import checked_material
from unibody.isaacgym.types.fields import to_flag, to_float
from unibody.isaacgym.types.poses import IndexRange
from unibody.isaacgym.types.properties import SoftMaterial
from unibody.isaacgym.types.tensors import Tensor
from unibody.isaacgym.types.vectors import Mat33, Vec3


class SoftCalls:
    """Soft bodies and particles."""

    # --- assets and actors ---------------------------------------------------------------------

    def get_asset_soft_body_count(self, arg0: handles.Asset) -> int:
        """Return the number of soft bodies of an asset."""
        return len(asset_of(arg0).soft)

    def get_asset_soft_materials(self, arg0: handles.Asset) -> list[SoftMaterial]:
        """Return the materials of an asset's soft bodies."""
        return [deepcopy(body.material) for body in asset_of(arg0).soft]

    def get_actor_soft_body_count(self, arg0: handles.Env, arg1: int) -> int:
        """Return the number of soft bodies of an actor."""
        return len(actor_of(arg0, arg1).soft)

    def get_actor_soft_materials(self, arg0: handles.Env, arg1: int) -> list[SoftMaterial]:
        """Return the materials of an actor's soft bodies."""
        return [deepcopy(part.material) for part in actor_of(arg0, arg1).soft]

    def set_actor_soft_materials(
        self, arg0: handles.Env, arg1: int, arg2: list[SoftMaterial]
    ) -> bool:
        """Set the materials of an actor's soft bodies, one for each.

        Raises:
            ArgumentTypeError: They are no ``SoftMaterial``.
            InvalidArgumentError: There are more or fewer, or a number is not allowed.
            NotSupportedError: One is a muscle: its ``activation`` is not zero.
        """
        actor = actor_of(arg0, arg1)
        found = copies_of("materials", arg2, SoftMaterial, len(actor.soft))
        for number, material in enumerate(found):
            checked_material(f"materials[{number}]", material)
        for part, material in zip(actor.soft, found, strict=True):
            part.material = material
            part.follow_material()
        return True

    def get_actor_tetrahedra_range(self, arg0: handles.Env, arg1: int, arg2: int) -> IndexRange:
        """Return which tetrahedra of the simulation a soft body of an actor has."""
        part = _part(arg0, arg1, arg2)
        return _range(part.first_tetrahedron, len(part.info.tetrahedra))

    def get_actor_triangle_range(self, arg0: handles.Env, arg1: int, arg2: int) -> IndexRange:
        """Return which triangles of the simulation a soft body of an actor has."""
        part = _part(arg0, arg1, arg2)
        return _range(part.first_triangle, len(part.info.faces))

    def reset_actor_particles_to_rest(self, arg0: handles.Env, arg1: int) -> bool:
        """Put an actor's particles where they were when it was made, at rest."""
        actor = actor_of(arg0, arg1)
        actor.env.sim.build()
        for part in actor.soft:
            part.reset()
        actor.env.sim.particles.moved()
        return True

    # --- the simulation ------------------------------------------------------------------------

    def get_sim_tetrahedra_count(self, arg0: handles.Sim) -> int:
        """Return the number of tetrahedra of all soft bodies."""
        return _numbered(arg0).particles.tetrahedra

    def get_sim_triangle_count(self, arg0: handles.Sim) -> int:
        """Return the number of triangles of the surfaces of all soft bodies."""
        return _numbered(arg0).particles.triangles

    def get_sim_tetrahedra(self, arg0: handles.Sim) -> tuple[list[int], list[Mat33]]:
        """Return the tetrahedra of all soft bodies.

        Returns:
            Four particles for each, one after the other, and the true stress in each [Pa].
        """
        corners: list[int] = []
        stresses: list[Mat33] = []
        for part in _numbered(arg0).particles.parts:
            corners += (part.start + part.info.tetrahedra).reshape(-1).tolist()
            stresses += [_matrix(rows) for rows in part.stresses().tolist()]
        return corners, stresses

    def get_sim_triangles(self, arg0: handles.Sim) -> tuple[list[int], list[int], list[Vec3]]:
        """Return the triangles of the surfaces of all soft bodies.

        Returns:
            Three particles for each, one after the other; the tetrahedron that each belongs to;
            unit normals, outwards.
        """
        corners: list[int] = []
        parents: list[int] = []
        outward: list[Vec3] = []
        for part in _numbered(arg0).particles.parts:
            corners += (part.start + part.info.faces).reshape(-1).tolist()
            parents += (part.first_tetrahedron + part.info.parents).tolist()
            sides = part.soft.state.positions[part.info.faces]
            areas = np.cross(sides[:, 1] - sides[:, 0], sides[:, 2] - sides[:, 0])
            sizes = np.linalg.norm(areas, axis=1, keepdims=True)
            outward += [Vec3(*row) for row in (areas / np.maximum(sizes, 1e-30)).tolist()]
        return corners, parents, outward

    def get_soft_contacts(self, arg0: handles.Sim) -> Any:
        """Return what particles touched in the last step, records ``SoftContact``.

        Each is of one particle, the first corner of a triangle, whose other corners have no share.
        """
        return _numbered(arg0).particles.contacts()

    def draw_env_soft_contacts(
        self,
        arg0: handles.Viewer,
        arg1: handles.Env,
        arg2: Vec3,
        arg3: float,
        arg4: bool,
        arg5: bool,
    ) -> None:
        """Add a line for the force of each soft contact of an environment.

        Args:
            arg0: The viewer.
            arg1: The environment.
            arg2: Colour.
            arg3: Metres for a newton.
            arg4: Take the square root of the force before.
            arg5: Lines go along the normals; else against them.
        """
        viewer, env = viewer_of(arg0), env_of(arg1)
        color = vector_of("color", arg2)
        scale, root = to_float("scale", arg3), to_flag("sqrt", arg4)
        sign = 1.0 if to_flag("normals", arg5) else -1.0
        sim = _numbered(env.sim)
        found = sim.particles.contacts()
        found = found[found["env0"] == env.index]
        if not len(found):
            return
        places = np.concatenate([part.rows()[:, :3] for part in sim.particles.parts])
        start = places[found["particleIndices"]["x"]].astype(np.float64)
        size = np.asarray(found["lambda"], np.float64)[:, None]
        size = np.sqrt(size) if root else size
        way = np.stack([found["normal"][axis] for axis in "xyz"], axis=1)
        ends = np.stack([start, start + sign * scale * size * way], axis=1)
        viewer.lines.append((ends, np.tile([color.x, color.y, color.z], (len(ends), 1))))

    # --- particles -----------------------------------------------------------------------------

    def acquire_particle_state_tensor(self, arg0: handles.Sim) -> Tensor:
        """Return the states of all particles, (particles, 11).

        Position [m], inverse mass [1/kg], velocity [m/s], outward normal of the surface (zeros
        inside), and a zero.
        """
        found = _numbered(arg0).particles.acquire()
        return Tensor() if found is None else Tensor.of(found)

    def refresh_particle_state_tensor(self, arg0: handles.Sim) -> bool:
        """Bring the tensor of particles up to the state."""
        _numbered(arg0).particles.refresh()
        return True

    def set_particle_state_tensor(self, arg0: handles.Sim, arg1: Tensor) -> bool:
        """Set the states of all particles, (particles, 11).

        An inverse mass of zero holds a particle where it is; normals are not read.
        """
        sim = _numbered(arg0)
        values = values_of(sim, "states", arg1, sim.particles.count, WIDTH)
        sim.particles.put(values, sim.particles.parts)
        return True

    def set_particle_state_tensor_indexed(
        self, arg0: handles.Sim, arg1: Tensor, arg2: Tensor, arg3: int
    ) -> bool:
        """Set the states of the particles of some actors.

        Args:
            arg0: The simulation.
            arg1: States of all, (particles, 11).
            arg2: Numbers of actors in the simulation, int32.
            arg3: How many of these are meant.
        """
        sim = _numbered(arg0)
        values = values_of(sim, "states", arg1, sim.particles.count, WIDTH)
        chosen = {int(number) for number in actors_of(sim, arg2, arg3)}
        parts = [part for part in sim.particles.parts if part.actor.index in chosen]
        sim.particles.put(values, parts)
        return True


def _numbered(value: Any) -> Simulation:
    """A simulation whose soft bodies have their numbers."""
    sim = sim_of(value)
    sim.build()
    return sim


def _part(env: Any, actor: Any, number: Any) -> SoftPart:
    """A soft body of an actor, with its numbers."""
    found = actor_of(env, actor)
    _numbered(found.env.sim)
    return found.soft[index_of("soft body index", number, len(found.soft))]


def _matrix(rows: list[list[float]]) -> Mat33:
    found = Mat33()
    found.x, found.y, found.z = (Vec3(*row) for row in rows)
    return found


def _range(start: int, count: int) -> IndexRange:
    found = IndexRange()
    found.start, found.count = start, count
    return found
