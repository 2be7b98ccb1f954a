"""Repeat what parts of IsaacGymEnvs do here: gears, pegs and a humanoid under random actions.

Parts have the options, frictions and time steps of the tasks that use them. A gear that was let
go on its shaft has to be there at the end, a peg that was let go 1 mm above its socket, on the
axis, has to be at the bottom of it (the origin of both), and a humanoid's contact forces may be
absurd no more often than plain MuJoCo's on the same file, but for half a per cent. The exit status
is 1 if a line fails.

    python -m scripts.isaacgym_clients                    # clones IsaacGymEnvs
    python -m scripts.isaacgym_clients --source FOLDER    # takes it from there
"""

from __future__ import annotations

import argparse
import math
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from benchmarks.isaacgym import contact_forces
from unibody.isaacgym import gymapi

REPOSITORY = "https://github.com/isaac-sim/IsaacGymEnvs"
DT, SUBSTEPS = 0.016667, 2  # s
FRAMES = 120
GAP = 1e-3  # m, from the socket's upper side to a peg that is let go
BELOW = {"factory": 0.0, "industreal": 3e-3}  # m, from a peg's origin up to its lower end
NEAR = 1e-3  # m, from where a part has to be in the end
UPRIGHT = math.cos(math.radians(5.0))
ENVIRONMENTS = 8
GEARS = ("small", "medium", "large")
WORLDS = 256
MORE = 0.005  # share of env-steps with an absurd force that may be added to MuJoCo's


@dataclass(frozen=True)
class Line:
    """A line of the table.

    Attributes:
        name: What was done.
        result: What came of it.
        wanted: What should.
        passes: Whether it did.
        note: Which parts did not.
    """

    name: str
    result: str
    wanted: str
    passes: bool
    note: str = ""

    def text(self) -> str:
        """As a row."""
        verdict = "pass" if self.passes else "FAIL"
        return f"| {self.name} | {self.result} | {self.wanted} | {verdict} | {self.note} |"


class Stage:
    """A simulation with a ground, set up as Factory's and IndustReal's tasks do."""

    def __init__(self, assets: Path, contact_offset: float) -> None:
        self.gym, self._assets = gymapi.acquire_gym(), assets
        params = gymapi.SimParams()
        params.up_axis, params.dt, params.substeps = gymapi.UP_AXIS_Z, DT, SUBSTEPS
        params.gravity = gymapi.Vec3(0.0, 0.0, -9.81)
        params.physx.num_position_iterations, params.physx.num_velocity_iterations = 16, 0
        params.physx.contact_offset, params.physx.rest_offset = contact_offset, 0.0
        params.physx.bounce_threshold_velocity = 0.2
        params.physx.max_depenetration_velocity = 5.0
        params.physx.friction_offset_threshold = 0.01
        params.physx.friction_correlation_distance = 0.00625
        self.sim = self.gym.create_sim(0, -1, gymapi.SIM_PHYSX, params)
        ground = gymapi.PlaneParams()
        ground.normal = gymapi.Vec3(0.0, 0.0, 1.0)
        self.gym.add_ground(self.sim, ground)

    def asset(self, file: str, *, density: float, fixed: bool, damping: float) -> Any:
        """Load a part."""
        options = gymapi.AssetOptions()
        options.fix_base_link, options.density, options.thickness = fixed, density, 0.0
        options.linear_damping = options.angular_damping = 0.0 if fixed else damping
        options.max_linear_velocity, options.max_angular_velocity = 1000.0, 64.0
        return self.gym.load_asset(self.sim, str(self._assets), file, options)

    def environment(self) -> Any:
        """Add an environment."""
        lower, upper = gymapi.Vec3(-1.0, -1.0, 0.0), gymapi.Vec3(1.0, 1.0, 1.0)
        return self.gym.create_env(self.sim, lower, upper, ENVIRONMENTS)

    def actor(self, env: Any, asset: Any, height: float, friction: float) -> Any:
        """Put a part on the axis of an environment."""
        pose = gymapi.Transform(p=gymapi.Vec3(0.0, 0.0, height))
        actor = self.gym.create_actor(env, asset, pose, "part", 0, 0)
        shapes = self.gym.get_actor_rigid_shape_properties(env, actor)
        shapes[0].friction = friction  # the tasks know of one shape only
        self.gym.set_actor_rigid_shape_properties(env, actor, shapes)
        return actor

    def run(self) -> None:
        """Let go."""
        self.gym.prepare_sim(self.sim)
        for _ in range(FRAMES):
            self.gym.simulate(self.sim)

    def is_at(self, env: Any, actor: Any, height: float) -> bool:
        """Whether a part is upright on the axis of its environment, at a height [m]."""
        pose = self.gym.get_actor_rigid_body_states(env, actor, gymapi.STATE_POS)["pose"][0]
        place, turn = pose["p"], pose["r"]
        upright = 1.0 - 2.0 * (float(turn["x"]) ** 2 + float(turn["y"]) ** 2)
        off = math.hypot(float(place["x"]), float(place["y"]))
        return upright > UPRIGHT and off < NEAR and abs(float(place["z"]) - height) < NEAR


def pegs(assets: Path, family: str) -> Line:
    """Drop eight pegs on the axes of their sockets."""
    loose, offset, damping = ("_loose", 0.005, 0.0) if family == "factory" else ("", 0.01, 0.5)
    about = "insertion" if family == "factory" else "pegs"
    table = yaml.safe_load(
        (assets / family / "yaml" / f"{family}_asset_info_{about}.yaml").read_text("utf-8")
    )
    stage = Stage(assets / family / "urdf", offset)
    found: list[tuple[str, Any, Any]] = []
    for shape in ("round", "rectangular"):
        for size in (4, 8, 12, 16):
            name = f"{shape}_peg_hole_{size}mm{loose}"
            peg, socket = table[name].values()
            env = stage.environment()
            for part, fixed in ((socket, True), (peg, False)):
                asset = stage.asset(
                    f"{part['urdf_path']}.urdf",
                    density=part["density"], fixed=fixed, damping=damping,
                )  # fmt: skip
                height = 0.0 if fixed else socket["height"] - BELOW[family] + GAP
                actor = stage.actor(env, asset, height, part["friction"])
            found.append((f"{shape} {size} mm", env, actor))
    stage.run()
    out = [name for name, env, actor in found if not stage.is_at(env, actor, 0.0)]
    told = f"{len(found) - len(out)} of {len(found)} in"
    note = f"not in: {', '.join(out)}" if out else ""
    return Line(f"{family}, pegs dropped on their sockets", told, "8 of 8 in", not out, note)


def gears(assets: Path) -> Line:
    """Let go three gears over their shafts, in each environment a millimetre higher."""
    stage = Stage(assets / "industreal" / "urdf", 0.01)
    base = stage.asset("industreal_gear_base.urdf", density=2700.0, fixed=True, damping=0.0)
    kinds = [
        stage.asset(f"industreal_gear_{kind}.urdf", density=1000.0, fixed=False, damping=0.5)
        for kind in GEARS
    ]
    placed: list[tuple[Any, list[Any]]] = []
    for number in range(ENVIRONMENTS):
        env = stage.environment()
        stage.actor(env, base, 0.0, 0.5)
        placed.append((env, [stage.actor(env, kind, number * 1e-3, 0.5) for kind in kinds]))
    stage.run()
    off = [
        f"{kind} in {number}"
        for number, (env, actors) in enumerate(placed)
        for kind, actor in zip(GEARS, actors, strict=True)
        if not stage.is_at(env, actor, 0.0)
    ]
    good = sum(all(stage.is_at(env, actor, 0.0) for actor in actors) for env, actors in placed)
    note = f"not there: {', '.join(off)}" if off else ""
    told, wanted = f"{good} of {ENVIRONMENTS} on", f"{ENVIRONMENTS} of {ENVIRONMENTS} on"
    return Line("industreal, gears on their shafts", told, wanted, not off, note)


def humanoid(assets: Path) -> Line:
    """Compare how often contact forces of a humanoid are absurd."""
    chosen = argparse.Namespace(
        file=assets / "mjcf" / "nv_humanoid.xml",
        worlds=WORLDS, frames=FRAMES, gravity=9.81, passive=False,
    )  # fmt: skip
    ours, plain = (
        float(np.mean(np.array(list(run(chosen))) > contact_forces.ABSURD))
        for run in (contact_forces.unibody_forces, contact_forces.mujoco_forces)
    )
    return Line(
        f"Humanoid, random actions: env-steps of {WORLDS * FRAMES} above 10 kN",
        f"{100.0 * ours:.3f} %", f"{100.0 * (plain + MORE):.3f} % at most", ours <= plain + MORE,
        f"MuJoCo {100.0 * plain:.3f} %",
    )  # fmt: skip


CHECKS: dict[str, Callable[[Path], Line]] = {
    "gears": gears,
    "industreal": lambda assets: pegs(assets, "industreal"),
    "factory": lambda assets: pegs(assets, "factory"),
    "humanoid": humanoid,
}


def main(argv: list[str] | None = None) -> int:
    """Print the table; return the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--source", type=Path, help="a checkout of IsaacGymEnvs")
    parser.add_argument("--only", choices=CHECKS, action="append", help="one of the lines")
    options = parser.parse_args(argv)
    with tempfile.TemporaryDirectory() as folder:
        source: Path | None = options.source
        if source is None:
            source = Path(folder) / "IsaacGymEnvs"
            clone = ["git", "clone", "--quiet", "--depth", "1", REPOSITORY, str(source)]
            if subprocess.run(clone, check=False).returncode:
                print(f"{REPOSITORY} could not be cloned; --source takes a checkout")
                return 1
        assets = source.resolve() / "assets"
        if not assets.is_dir():
            print(f"--source {source} is no checkout of IsaacGymEnvs: it has no folder 'assets'")
            return 1
        print("| what was done | result | wanted | | note |\n|---|---|---|---|---|", flush=True)
        failed = 0
        for name in options.only or CHECKS:
            line = CHECKS[name](assets)
            print(line.text(), flush=True)
            failed += not line.passes
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
