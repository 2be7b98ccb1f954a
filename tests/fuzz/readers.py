"""Every reader of files, with what is handed to it and how its files are damaged."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from tests.fuzz import mutate_bytes as mutate_any
from tests.fuzz import (
    mutate_gltf,
    mutate_lines,
    mutate_png,
    mutate_records,
    mutate_tree,
    mutate_usd,
    mutate_xml,
    mutate_zip,
    seeds,
)

Mutator = Callable[[bytes, Random], bytes]
_MUTATORS: dict[str, Mutator] = {
    **dict.fromkeys((".urdf", ".sdf", ".xml", ".dae"), mutate_xml.mutate),
    **dict.fromkeys((".usda", ".usd"), mutate_usd.mutate),
    **dict.fromkeys((".obj", ".mtl", ".stl", ".ply", ".csv", ".txt"), mutate_lines.mutate),
    **dict.fromkeys((".gltf", ".glb"), mutate_gltf.mutate),
    **dict.fromkeys((".bullet", ".zip"), mutate_zip.mutate),
    ".png": mutate_png.mutate,
    ".yaml": mutate_tree.mutate_yaml,
    "states.log": mutate_lines.mutate,
    "calls.log": mutate_tree.mutate_json_lines,
    "events.log": mutate_records.mutate,
}


@dataclass(frozen=True)
class Reader:
    """A reader.

    Attributes:
        seeds: Files that it reads.
        load: Reads a file and uses what it says; what it raises is looked at by the caller.
        error: What it may raise.
        share: Of the cases, in relation to other readers.
    """

    seeds: Callable[[], list[seeds.Files]]
    load: Callable[[str], None]
    error: Callable[[], tuple[type[Exception], ...]]
    share: float = 1.0


def damaged(files: seeds.Files, random: Random) -> tuple[seeds.Files, str]:
    """The same files, one of them damaged, most often the first; and the name of that one."""
    names = list(files)
    name = names[0] if random.random() < 0.7 else random.choice(names)
    mutate = _MUTATORS.get(name) or _MUTATORS.get(Path(name).suffix, mutate_any.mutate)
    return {**files, name: mutate(files[name], random)}, name


class NotFiniteError(Exception):
    """A file was read, and the world made of it has no finite state."""


def _bullet_error() -> tuple[type[Exception], ...]:
    import unibody.bullet as p

    return (p.error,)


def _any_error() -> tuple[type[Exception], ...]:
    from unibody.errors import UnibodyError

    return (UnibodyError,)


def _fleet_error() -> tuple[type[Exception], ...]:
    return (*_any_error(), FileNotFoundError)  # which is part of the interface


def _into_world(load: Callable[[Any, str], object], file: str) -> None:
    """Load a file into a world with a ball, make two steps, and look at all bodies."""
    import unibody.bullet as p

    p.resetSimulation()
    p.setGravity(0, 0, -10)
    sphere = p.createCollisionShape(p.GEOM_SPHERE, radius=0.1)
    p.createMultiBody(1, sphere, basePosition=(50, 70, 100))
    try:
        load(p, file)
    finally:
        _step_twice(p, file)
        _check_world(p)


def _step_twice(p: Any, file: str) -> None:
    try:
        for _ in range(2):
            p.stepSimulation()
    except p.error as problem:
        if "more pairs of shapes touch at once" not in str(problem):
            raise
        raise p.error(f"{file}: {problem}") from problem  # a step knows of no file


def _check_world(p: Any) -> None:
    for number in range(p.getNumBodies()):
        body = p.getBodyUniqueId(number)
        values = [*p.getBasePositionAndOrientation(body), *p.getBaseVelocity(body)]
        joints = range(p.getNumJoints(body))
        values += [p.getJointState(body, joint)[:2] for joint in joints]
        values += [p.getLinkState(body, joint)[0] for joint in joints]
        if not all(math.isfinite(value) for row in values for value in row):
            raise NotFiniteError(f"body {body} is at {values[:4]}")


def _load_urdf(file: str) -> None:
    _into_world(lambda p, name: p.loadURDF(name), file)


def _load_sdf(file: str) -> None:
    _into_world(lambda p, name: p.loadSDF(name), file)


def _load_mjcf(file: str) -> None:
    _into_world(lambda p, name: p.loadMJCF(name), file)


def _load_mesh(file: str) -> None:
    def load(p: Any, name: str) -> None:
        shape = p.createCollisionShape(p.GEOM_MESH, fileName=name)
        drawn = p.createVisualShape(p.GEOM_MESH, fileName=name)
        body = p.createMultiBody(1, shape, drawn)
        p.getVisualShapeData(body)
        p.getCameraImage(4, 4)

    _into_world(load, file)


def _load_heights(file: str) -> None:
    def load(p: Any, name: str) -> None:
        shape = p.createCollisionShape(p.GEOM_HEIGHTFIELD, fileName=name)
        p.createMultiBody(0, shape)

    _into_world(load, file)


def _load_texture(file: str) -> None:
    def load(p: Any, name: str) -> None:
        p.changeVisualShape(0, -1, textureUniqueId=p.loadTexture(name))
        p.getCameraImage(4, 4)

    _into_world(load, file)


def _load_saved(file: str) -> None:
    _into_world(lambda p, name: p.loadBullet(name), file)


def _restore(file: str) -> None:
    def load(p: Any, name: str) -> None:
        p.resetSimulation()
        seeds.fill_world(0)
        p.restoreState(fileName=name)

    _into_world(load, file)


def _replay(file: str) -> None:
    def load(p: Any, name: str) -> None:
        p.resetSimulation()
        commands = Path(name).read_bytes()
        if commands.count(b'"load') > 100:
            # 301 robots in one place: PyBullet has not ended its first step after 90 s, and a log
            # of 196 steps is no fault of its reader.
            lines = commands.splitlines(keepends=True)
            Path(name).write_bytes(b"".join(x for x in lines if b'"stepSimulation"' not in x))
        p.startStateLogging(p.STATE_REPLAY_ALL_COMMANDS, name)

    _into_world(load, file)


def _load_archive(file: str) -> None:
    def load(p: Any, name: str) -> None:
        plugin = p.loadPlugin("fileIOPlugin")
        try:
            p.executePluginCommand(plugin, name, [p.AddFileIOAction, p.ZipFileIO])
        finally:
            p.unloadPlugin(plugin)

    _into_world(load, file)


def _read_states(file: str) -> None:
    from unibody.bullet.logs.records import read_records

    read_records(file)


def _into_gym(file: str) -> None:
    """Load an asset into a simulation of two environments, and make two steps."""
    from unibody.isaacgym import gymapi, gymtorch

    gym = gymapi.acquire_gym()
    params = gymapi.SimParams()
    params.use_gpu_pipeline = False
    sim = gym.create_sim(0, -1, gymapi.SIM_PHYSX, params)
    try:
        asset = gym.load_asset(sim, *map(str, (Path(file).parent, Path(file).name)))
        for _ in range(2):
            env = gym.create_env(sim, gymapi.Vec3(-1, -1, 0), gymapi.Vec3(1, 1, 1), 2)
            gym.create_actor(env, asset, gymapi.Transform(), "actor", 0, 0)
        gym.prepare_sim(sim)
        states = gymtorch.wrap_tensor(gym.acquire_rigid_body_state_tensor(sim))
        for _ in range(2):
            gym.simulate(sim)
            gym.fetch_results(sim, True)
        gym.refresh_rigid_body_state_tensor(sim)
        if not states.isfinite().all():
            raise NotFiniteError(f"bodies are at {states[:2].tolist()}")
    finally:
        gym.destroy_sim(sim)


def _into_newton(add: str) -> Callable[[str], None]:
    """What loads a file into a model by a method of the builder, and makes two steps."""

    def load(file: str) -> None:
        from unibody import newton
        from unibody.errors import AssetError, InvalidArgumentError, UnibodyError

        builder = newton.ModelBuilder()
        try:
            getattr(builder, add)(file)
        except InvalidArgumentError as problem:  # of a method of the builder, which knows no file
            raise AssetError(file, "", str(problem)) from problem
        try:
            model = builder.finalize(device="cpu")
            if not model.body_count:
                return
            solver = newton.solvers.SolverMuJoCo(model)
        except (UnibodyError, ValueError):  # both name what is wrong, and ValueError is Newton's
            return
        state, following, control = model.state(), model.state(), model.control()
        for _ in range(2):
            state.clear_forces()
            solver.step(state, following, control, None, 0.002)
            state, following = following, state
        if not all(map(math.isfinite, state.body_q.numpy().ravel().tolist())):
            raise NotFiniteError(f"bodies are at {state.body_q.numpy()[:2].tolist()}")

    return load


def _into_core(file: str) -> None:
    """Open a file as the stage of Isaac core, and make two steps."""
    from unibody.errors import AssetError, UnibodyError
    from unibody.isaac_core import physics
    from unibody.isaac_core.kit.context import get_context
    from unibody.isaac_core.physics import tensors

    physics.detach()
    if not get_context().open_stage(file):
        raise AssetError(file, "", "open_stage gave False")
    try:
        sim = tensors.create_simulation_view("numpy")
    except UnibodyError as problem:  # which names prims: the stage may be of several files
        raise AssetError(file, "", str(problem)) from problem
    view = sim.create_rigid_body_view("/*/*")
    for _ in range(2):
        sim.step(1.0 / 60.0)
    if not all(map(math.isfinite, view.get_transforms().ravel().tolist())):
        raise NotFiniteError(f"bodies are at {view.get_transforms()[:2].tolist()}")


def _run_fleet(file: str) -> None:
    from unibody import bullet, fleet

    with contextlib.chdir(Path(file).parent):  # where it looks for the world
        core = fleet.MultiRobotSimulationCore.from_yaml(file, headless=True)
    try:
        for _ in range(2):
            core.step_once()
        poses = [value for obj in core.sim_objects for value in obj.get_pose().position]
        if not all(map(math.isfinite, poses)):
            raise NotFiniteError(f"objects are at {poses[:6]}")
    finally:
        bullet.disconnect(core.client)


def _load_soft(file: str) -> None:
    def load(p: Any, name: str) -> None:
        p.resetSimulation(p.RESET_USE_DEFORMABLE_WORLD)
        p.loadSoftBody(name, useNeoHookean=1, useMassSpring=1)
        p.stepSimulation()

    _into_world(load, file)


def _read_events(file: str) -> None:
    from unibody.fleet.recording.event_reader import EventLog

    log = EventLog(file)
    try:
        for number, _ in enumerate(log.states()):
            log.events(number)
    finally:
        log.close()


READERS: dict[str, Reader] = {
    "urdf": Reader(seeds.urdf, _load_urdf, _bullet_error, 3.0),
    "sdf": Reader(seeds.sdf, _load_sdf, _bullet_error, 2.0),
    "mjcf": Reader(seeds.mjcf, _load_mjcf, _bullet_error, 2.0),
    "obj": Reader(seeds.obj, _load_mesh, _bullet_error),
    "stl": Reader(seeds.stl, _load_mesh, _bullet_error),
    "vtk": Reader(seeds.vtk, _load_soft, _bullet_error),
    "dae": Reader(seeds.dae, _load_mesh, _bullet_error),
    "scene": Reader(seeds.scene, _load_mesh, _bullet_error, 2.0),
    "png": Reader(seeds.png, _load_heights, _bullet_error),
    "heights": Reader(seeds.heights, _load_heights, _bullet_error),
    "texture": Reader(seeds.png, _load_texture, _bullet_error),
    "picture": Reader(seeds.picture, _load_texture, _bullet_error),
    "saved": Reader(seeds.saved, _load_saved, _bullet_error, 2.0),
    "state": Reader(seeds.saved, _restore, _bullet_error, 2.0),
    "commands": Reader(seeds.commands, _replay, _bullet_error, 2.0),
    "states": Reader(seeds.states, _read_states, _any_error),
    "archive": Reader(seeds.archive, _load_archive, _bullet_error),
    "gym-urdf": Reader(seeds.urdf, _into_gym, _any_error),
    "gym-mjcf": Reader(seeds.mjcf, _into_gym, _any_error),
    "gym-usd": Reader(seeds.usd, _into_gym, _any_error),
    "core-usd": Reader(seeds.usd_text, _into_core, _any_error),
    "newton-urdf": Reader(seeds.urdf, _into_newton("add_urdf"), _any_error),
    "newton-mjcf": Reader(seeds.mjcf, _into_newton("add_mjcf"), _any_error),
    "newton-usd": Reader(seeds.usd, _into_newton("add_usd"), _any_error),
    "fleet": Reader(seeds.scenario, _run_fleet, _fleet_error, 2.0),
    "events": Reader(seeds.events, _read_events, _any_error),
}
