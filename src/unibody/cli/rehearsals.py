"""Short runs that compile what scripts of some surface are going to need.

Which types a compiled function is for shows only when it is called, so `unibody compile` has these
call them, each in a process of its own.
"""

from __future__ import annotations

import contextlib
import io
from pathlib import Path
from typing import Any

from unibody import sample_assets

_STEPS = 3
_CLOTH = """\
v 0 0 0
v 0.2 0 0
v 0 0.2 0
v 0.2 0.2 0
v 0.1 0.1 0
f 1 2 5
f 2 4 5
f 4 3 5
f 3 1 5
"""


def many_worlds() -> None:
    """Isaac Gym's worlds, on the CPU."""
    from unibody.isaacgym import gymapi

    gym = gymapi.acquire_gym()
    params = gymapi.SimParams()
    params.up_axis = gymapi.UP_AXIS_Z
    params.gravity = gymapi.Vec3(0.0, 0.0, -9.81)
    params.use_gpu_pipeline = params.physx.use_gpu = False
    sim = gym.create_sim(0, -1, gymapi.SIM_PHYSX, params)
    ground = gymapi.PlaneParams()
    ground.normal = gymapi.Vec3(0.0, 0.0, 1.0)
    gym.add_ground(sim, ground)
    folder = sample_assets.getDataPath()
    robots = [gym.load_asset(sim, folder, name) for name in ("r2d2.urdf", "kuka_iiwa/model.urdf")]
    corner = gymapi.Vec3(1.0, 1.0, 1.0)
    envs = [gym.create_env(sim, gymapi.Vec3(-1.0, -1.0, 0.0), corner, 2) for _ in range(2)]
    for number, env in enumerate(envs):
        for robot in robots:
            pose = gymapi.Transform(p=gymapi.Vec3(0.0, 0.0, 0.4))
            gym.create_actor(env, robot, pose, "robot", number, 0)
    gym.prepare_sim(sim)
    for _ in range(_STEPS):
        gym.simulate(sim)
        gym.fetch_results(sim, True)
        gym.get_actor_rigid_body_states(envs[0], 0, gymapi.STATE_ALL)
        gym.get_actor_dof_states(envs[0], 0, gymapi.STATE_ALL)
    gym.destroy_sim(sim)


def fleets() -> None:
    """Robots of a warehouse and of a hospital."""
    from unibody.cli import fleet

    for scenario in ("warehouse", "hospital"):
        with contextlib.redirect_stdout(io.StringIO()):
            fleet.main(["run", scenario, "--duration", "1", "--quiet"])


def soft_bodies(folder: Path) -> None:
    """Cloths fall on a box, and a ball on them, in both of PyBullet's worlds.

    A cloth alone is too stiff for explicit steps.

    Args:
        folder: Their mesh is written there.
    """
    from unibody import bullet as p

    mesh = folder / "cloth.obj"
    mesh.write_text(_CLOTH, encoding="utf-8")
    deformable = p.RESET_USE_DEFORMABLE_WORLD
    for world, cloths, stiffness in ((0, 2, 40), (deformable, 2, 40), (deformable, 1, 1e5)):
        p.connect(p.DIRECT)
        p.resetSimulation(world)
        p.setGravity(0, 0, -10)
        p.loadURDF(str(Path(sample_assets.getDataPath()) / "cube.urdf"), [0.1, 0.1, 0.5])
        for bending in range(cloths):
            p.loadSoftBody(
                str(mesh), basePosition=[0, 0, 1.02 + 0.1 * bending], mass=0.1, useMassSpring=1,
                useBendingSprings=bending, springElasticStiffness=stiffness,
                useSelfCollision=int(cloths > 1), frictionCoeff=0.5, useFaceContact=0,
            )  # fmt: skip
        ball = p.createCollisionShape(p.GEOM_SPHERE, radius=0.02)
        p.createMultiBody(0.01, ball, -1, [0.1, 0.035, 1.15])  # above the inside of a face
        for _ in range(_STEPS * 10):
            p.stepSimulation()
        p.disconnect()


def newton_solvers() -> None:
    """Newton's cables, and cloth, soft bodies and particles in both solvers that move them."""
    import warp as wp

    from unibody import newton

    builder = newton.ModelBuilder()
    builder.add_rod([wp.vec3(0.1 * place, 0.0, 2.0) for place in range(5)], radius=0.01)
    _step_newton(builder, newton.solvers.SolverVBD, touch=False)  # contacts are Warp's work
    builder = newton.ModelBuilder()
    turn, rest = wp.quat_identity(), wp.vec3()
    builder.add_cloth_grid(
        pos=wp.vec3(0.0, 0.0, 0.1), rot=turn, vel=rest, dim_x=3, dim_y=3, cell_x=0.1, cell_y=0.1,
        mass=0.01, edge_ke=1e-3, add_springs=True, spring_ke=1e2, particle_radius=0.02,
    )  # fmt: skip
    builder.add_soft_grid(
        pos=wp.vec3(0.0, 0.0, 0.2), rot=turn, vel=rest, dim_x=1, dim_y=1, dim_z=1, cell_x=0.1,
        cell_y=0.1, cell_z=0.1, density=100.0, k_mu=1e3, k_lambda=1e3, k_damp=1.0,
    )  # fmt: skip
    builder.add_ground_plane()
    _step_newton(builder, newton.solvers.SolverXPBD)
    for touching in (False, True):
        _step_newton(builder, newton.solvers.SolverVBD, particle_enable_self_contact=touching)


def _step_newton(builder: Any, kind: Any, *, touch: bool = True, **options: Any) -> None:
    """Make a few steps of a scene.

    Args:
        builder: The scene.
        kind: Class of the solver.
        touch: Whether shapes touch.
        options: Of the solver.
    """
    builder.color()
    model = builder.finalize(device="cpu")
    solver, now, after = kind(model, **options), model.state(), model.state()
    for _ in range(_STEPS):
        contacts = model.collide(now) if touch else None
        solver.step(now, after, model.control(), contacts, 1.0 / 300.0)
        now, after = after, now
