"""What stays in memory of things that are made and dropped, cycle by cycle.

Each kind runs in a process of its own. After a warm-up of half as many cycles, in which caches with
bounds and tables of the interpreter fill, the resident memory is read before and after the cycles.
Every 500 of them, Python's collector runs and the C library gives back what is free
(`malloc_trim`), so that what is left is what somebody holds. The growth is given by cycle, and for
all cycles as a share of the process. The exit status is 1 if a share is above 1 %.

    python -m benchmarks.memory                        # all kinds, 10 000 cycles each
    python -m benchmarks.memory gym --cycles 2000
"""

from __future__ import annotations

import argparse
import ctypes
import gc
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

MOST = 0.01  # share of the process
PAGE = 4096  # bytes
EVERY = 500  # cycles: so often what is free is given back
HEIGHTS = 128  # along each side of a height field
HEAD = f"{'kind':>12} {'cycles':>7} {'before':>11} {'after':>11} {'a cycle':>9} {'share':>7}"
ROBOT = """<robot name="robot"><link name="base"><inertial><mass value="1"/>
<inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial>
<collision><geometry><box size="0.2 0.2 0.1"/></geometry></collision></link>
<link name="arm"><inertial><mass value="0.5"/>
<inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial>
<collision><geometry><sphere radius="0.1"/></geometry></collision></link>
<joint name="hinge" type="revolute"><parent link="base"/><child link="arm"/><axis xyz="0 1 0"/>
<origin xyz="0 0 0.3"/><limit lower="-1" upper="1" effort="10" velocity="5"/></joint></robot>"""
CUBE = "\n".join(
    [f"v {x} {y} {z}" for x in (0, 1) for y in (0, 1) for z in (0, 1)]
    + [f"f {f}" for f in ("1 2 4", "1 4 3", "5 7 8", "5 8 6", "1 5 6", "1 6 2")]
    + [f"f {f}" for f in ("3 4 8", "3 8 7", "1 3 7", "1 7 5", "2 6 8", "2 8 4")]
)
Cycle = Callable[[int], None]


def fleet_cycle(_folder: Path) -> Cycle:
    """A simulation of three robots that takes two steps."""
    from unibody import fleet

    box = fleet.ShapeParams(shape_type="box", half_extents=[0.2, 0.2, 0.2])

    def cycle(_number: int) -> None:
        core = fleet.MultiRobotSimulationCore(
            fleet.SimulationParams(gui=False, monitor=False, timestep=0.1, physics=False)
        )
        for place in range(3):
            start = fleet.Pose.from_xyz(float(place), 0.0, 0.0)
            params = fleet.AgentSpawnParams(
                visual_shape=box, collision_shape=box, initial_pose=start, mass=0.0
            )
            agent = fleet.Agent.from_params(params, sim_core=core)
            agent.set_path([fleet.Pose.from_xyz(float(place), y, 0.0) for y in (1.0, 2.0)])
        for _ in range(2):
            core.step_once()

    return cycle


def gym_cycle(folder: Path) -> Cycle:
    """An Isaac Gym simulation of two robots that takes two steps and is destroyed."""
    from unibody.isaacgym import gymapi

    gym = gymapi.acquire_gym()
    (folder / "robot.urdf").write_text(ROBOT)

    def cycle(_number: int) -> None:
        params = gymapi.SimParams()
        params.up_axis, params.gravity = gymapi.UP_AXIS_Z, gymapi.Vec3(0.0, 0.0, -9.81)
        sim = gym.create_sim(0, -1, gymapi.SIM_PHYSX, params)
        plane = gymapi.PlaneParams()
        plane.normal = gymapi.Vec3(0.0, 0.0, 1.0)
        gym.add_ground(sim, plane)
        asset = gym.load_asset(sim, str(folder), "robot.urdf", gymapi.AssetOptions())
        for place in range(2):
            env = gym.create_env(sim, gymapi.Vec3(), gymapi.Vec3(2.0, 2.0, 2.0), 2)
            pose = gymapi.Transform(p=gymapi.Vec3(0.0, 0.0, 1.0))
            gym.create_actor(env, asset, pose, "robot", place, 0)
        gym.prepare_sim(sim)
        for _ in range(2):
            gym.simulate(sim)
        gym.destroy_sim(sim)

    return cycle


def _episode(p: Any, shape: int) -> None:
    """A body of a shape, for two steps."""
    body = p.createMultiBody(1.0, shape, basePosition=[0.0, 0.0, 3.0])
    for _ in range(2):
        p.stepSimulation()
    p.removeBody(body)


def mesh_cycle(folder: Path) -> Cycle:
    """PyBullet: a mesh of a new scale."""
    from unibody import bullet as p

    p.connect(p.DIRECT)
    file = folder / "cube.obj"
    file.write_text(CUBE)

    def cycle(number: int) -> None:
        scale = [1.0 + 1e-5 * number] * 3
        shape = p.createCollisionShape(p.GEOM_MESH, fileName=str(file), meshScale=scale)
        _episode(p, shape)
        p.removeCollisionShape(shape)

    return cycle


def field_cycle(_folder: Path) -> Cycle:
    """PyBullet: a new height field."""
    from unibody import bullet as p

    p.connect(p.DIRECT)
    rng = np.random.default_rng(0)

    def cycle(_number: int) -> None:
        heights = rng.uniform(0.0, 0.1, HEIGHTS * HEIGHTS).tolist()
        shape = p.createCollisionShape(
            p.GEOM_HEIGHTFIELD, meshScale=[0.1, 0.1, 1.0], heightfieldData=heights,
            numHeightfieldRows=HEIGHTS, numHeightfieldColumns=HEIGHTS,
        )  # fmt: skip
        body = p.createMultiBody(0.0, shape)
        p.stepSimulation()
        p.removeBody(body)
        p.removeCollisionShape(shape)

    return cycle


def shape_cycle(_folder: Path) -> Cycle:
    """PyBullet: a body of a new shape, both removed."""
    from unibody import bullet as p

    p.connect(p.DIRECT)

    def cycle(number: int) -> None:
        size = 0.1 + 1e-5 * number
        shape = p.createCollisionShape(p.GEOM_BOX, halfExtents=[size, 0.1, 0.1])
        _episode(p, shape)
        p.removeCollisionShape(shape)

    return cycle


KINDS: dict[str, Callable[[Path], Cycle]] = {
    "fleet": fleet_cycle,
    "gym": gym_cycle,
    "mesh": mesh_cycle,
    "field": field_cycle,
    "shape": shape_cycle,
}


def resident() -> int:
    """Resident memory of the process once all that is free was given back [bytes]."""
    for _ in range(2):  # what nobody holds, then what its end held
        gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * PAGE


def measure(kind: str, cycles: int) -> bool:
    """Print the row of a kind; return whether its growth is small enough."""
    with tempfile.TemporaryDirectory() as folder:
        cycle = KINDS[kind](Path(folder))
        before, warm = 0, cycles // 2
        for number in range(warm + cycles):
            if number == warm:
                before = resident()
            elif number % EVERY == 0:
                resident()
            cycle(number)
        after = resident()
    each = (after - before) / cycles
    share = (after - before) / before
    print(
        f"{kind:>12} {cycles:7} {before / 1e6:8.1f} MB {after / 1e6:8.1f} MB {each:7.0f} B "
        f"{100.0 * share:5.2f} %",
        flush=True,
    )
    return share <= MOST


def main(argv: list[str] | None = None) -> int:
    """Measure kinds, each in a new process; return the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("kinds", nargs="*", help=f"of {', '.join(KINDS)}; all if none is named")
    parser.add_argument("--cycles", type=int, default=10_000)
    parser.add_argument("--here", action="store_true", help="one kind, in this process")
    options = parser.parse_args(argv)
    if unknown := set(options.kinds) - set(KINDS):
        parser.error(f"no such kind: {', '.join(unknown)}; there are {', '.join(KINDS)}")
    if options.here:
        return 0 if all([measure(kind, options.cycles) for kind in options.kinds]) else 1
    print(HEAD, flush=True)
    again = [sys.executable, "-m", "benchmarks.memory", "--here", "--cycles", str(options.cycles)]
    runs = [subprocess.run([*again, kind], check=False) for kind in options.kinds or KINDS]
    return 1 if any(run.returncode for run in runs) else 0


if __name__ == "__main__":
    sys.exit(main())
