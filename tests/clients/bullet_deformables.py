# ruff: noqa: N802 - names of PyBullet
"""Runs bullet3's scripts with deformable bodies on PyBullet and on unibody, and compares them.

    python tests/clients/bullet_deformables.py SOURCE [--pictures FOLDER] [--jobs 2] [SCRIPT ...]

SOURCE is a checkout of bullet3. Scripts are run as they are, with a limit of steps, without a
window; those that step in real time take a step of theirs whenever they sleep. PyBullet has to be
installed. It runs each script a second time with two steps of half the length for each: where its
own answer then is another one, there is none to compare with.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import json
import subprocess
import sys
import tempfile
import time
import types
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np

FINE = "PyBullet, half steps"
ENGINES = {"PyBullet": "pybullet", FINE: "pybullet", "unibody": "unibody.bullet"}
EXAMPLES = Path("examples/pybullet/examples")
STEPS = {
    "deformable_add_remove_objects": 1000,
    "deformable_anchor": 1000,
    "deformable_ball": 2000,
    "deformable_torus": 800,
    "load_soft_body": 400,
    "reduced_deformable_cube": 500,
    "reduced_deformable_torus": 500,
    "test_inertia": 2400,
}
"""Scripts -> steps after which they are as good as at rest."""

EVERY = 10
"""Steps from one look at the bodies to the next."""

UNTIMED = 20
"""Steps at the beginning whose time is not taken: code is loaded."""


class LimitError(BaseException):
    """The script has made its steps; no handler of a script catches it."""


@dataclass
class Seen:
    """What is seen of a body: each time mean, lowest and highest corner of its particles [m].

    Attributes:
        name: Of its file.
        tetrahedra: Of the file that is simulated, if it has some.
        rows: What was seen.
        volumes: What its tetrahedra enclosed each time [m^3].
    """

    name: str
    tetrahedra: Any = None
    rows: list[list[list[float]]] = field(default_factory=list)
    volumes: list[float] = field(default_factory=list)


class Recorder(types.ModuleType):
    """PyBullet, as a script sees it: it counts steps and looks at deformable bodies."""

    def __init__(self, engine: Any, data: Path, limit: int, parts: int) -> None:
        super().__init__("pybullet")
        self.engine, self.data, self.limit, self.parts = engine, data, limit, parts
        self.steps, self.seconds, self.length = 0, 0.0, 1.0 / 240.0
        self.real_time = False
        self.seen: list[Seen] = []
        self.bodies: dict[int, Seen] = {}

    def __getattr__(self, name: str) -> Any:
        return getattr(self.engine, name)

    def connect(self, *_: Any, **__: Any) -> int:
        return self.engine.connect(self.engine.DIRECT)

    def setTimeStep(self, length: float, *_: Any) -> None:
        self.length = length

    def setRealTimeSimulation(self, enabled: int, *_: Any) -> None:
        self.real_time = bool(enabled)

    def sleep(self, _: float) -> None:
        if self.real_time:
            self.stepSimulation()

    def resetSimulation(self, *args: Any, **named: Any) -> None:
        self.bodies.clear()
        self.engine.resetSimulation(*args, **named)

    def removeBody(self, body: int, *args: Any) -> None:
        self.bodies.pop(body, None)
        self.engine.removeBody(body, *args)

    def loadSoftBody(self, file: str, *args: Any, **named: Any) -> int:
        body = self.engine.loadSoftBody(file, *args, **named)
        return self._watch(body, file, named.get("simFileName", file))

    def loadURDF(self, file: str, *args: Any, **named: Any) -> int:
        body = self.engine.loadURDF(file, *args, **named)
        root = ElementTree.parse(self.data / file).getroot()
        for tag in ("deformable", "reduced_deformable"):
            for found in root.findall(tag):
                meshes = [*found.findall("collision"), *found.findall("visual")]
                inside = meshes[0].attrib["filename"]
                self._watch(body, file, str((self.data / file).parent / inside))
        return body

    def stepSimulation(self, *args: Any) -> None:
        self.engine.setTimeStep(self.length / self.parts)
        begin = time.process_time()
        for _ in range(self.parts):
            self.engine.stepSimulation(*args)
        self.steps += 1
        if self.steps > UNTIMED:
            self.seconds += time.process_time() - begin
        if self.steps % EVERY == 0:
            self._look()
        if self.steps >= self.limit:
            raise LimitError

    def _watch(self, body: int, name: str, simulated: str) -> int:
        seen = Seen(Path(name).stem)
        if simulated.endswith(".vtk"):
            from unibody.core.assets.mesh.vtk import load_vtk

            seen.tetrahedra = load_vtk(str(self.data / simulated)).corners
        self.seen.append(seen)
        self.bodies[body] = seen
        return body

    def _look(self) -> None:
        for body, seen in self.bodies.items():
            flags = self.engine.MESH_DATA_SIMULATION_MESH
            points = np.array(self.engine.getMeshData(body, -1, flags=flags)[1])
            parts = (points.mean(axis=0), points.min(axis=0), points.max(axis=0))
            seen.rows.append([part.tolist() for part in parts])
            if seen.tetrahedra is not None:
                a, b, c, d = np.moveaxis(points[seen.tetrahedra], 1, 0)
                parts = np.einsum("ni,ni->n", np.cross(b - a, c - a), d - a)
                seen.volumes.append(float(abs(parts.sum()) / 6.0))


def run_one(engine: str, script: Path, data: Path, limit: int, picture: str) -> dict[str, Any]:
    """Run a script on an engine in this process; what was seen."""
    module = importlib.import_module(ENGINES[engine])
    recorder = Recorder(module, data, limit, 2 if engine == FINE else 1)
    folder = types.ModuleType("pybullet_data")
    folder.getDataPath = lambda: str(data)  # type: ignore[attr-defined]
    sys.modules.update({"pybullet": recorder, "pybullet_data": folder})
    time.sleep = recorder.sleep
    code = compile(script.read_text(encoding="utf-8"), str(script), "exec")
    with contextlib.suppress(LimitError), contextlib.redirect_stdout(sys.stderr):
        exec(code, {"__name__": "__main__"})
    if picture:
        _draw(recorder, picture)
    return {
        "milliseconds": 1e3 * recorder.seconds / max(recorder.steps - UNTIMED, 1),
        "bodies": [[one.name, one.rows, one.volumes] for one in recorder.seen],
    }


def _draw(recorder: Recorder, file: str) -> None:
    from PIL import Image

    p = recorder.engine
    rows = np.array([seen.rows[-1] for seen in recorder.bodies.values()])
    centre, size = rows[:, 0].mean(axis=0), np.ptp(rows[:, 1:].reshape(-1, 3), axis=0).max()
    size = min(size, 6.0)
    view = p.computeViewMatrixFromYawPitchRoll(centre.tolist(), 1.6 * size + 0.5, 40, -25, 0, 2)
    lens = p.computeProjectionMatrixFOV(60, 4 / 3, 0.05, 100)
    pixels = p.getCameraImage(640, 480, view, lens, renderer=p.ER_TINY_RENDERER)[2]
    Image.fromarray(np.reshape(pixels, (480, 640, 4)).astype(np.uint8)[:, :, :3]).save(file)


def compare(theirs: dict[str, Any], others: dict[str, Any]) -> list[dict[str, float]]:
    """How far another run is from PyBullet's, for each body, as shares.

    Places are compared with how far the body moves from where it begins, but no less than its size
    there: the path of the mean of its particles where it differs most, and its height at the end.
    The diagonal of its box and its volume are compared with themselves.
    """
    found: list[dict[str, float]] = []
    for their, other in zip(theirs["bodies"], others["bodies"], strict=True):
        a, b = np.array(their[1]), np.array(other[1])
        sizes = [np.linalg.norm(rows[:, 2] - rows[:, 1], axis=1) for rows in (a, b)]
        way = max(np.linalg.norm(a[:, 0] - a[0, 0], axis=1).max(), sizes[0][0])
        one = {
            "path": np.linalg.norm(a[:, 0] - b[:, 0], axis=1).max() / way,
            "height": abs(a[-1, 0, 2] - b[-1, 0, 2]) / way,
            "diagonal": abs(sizes[1][-1] / sizes[0][-1] - 1.0),
        }
        if their[2]:
            one["volume"] = abs(other[2][-1] / their[2][-1] - 1.0)
        found.append({name: float(value) for name, value in one.items()})
    return found


def main() -> int:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("source", type=Path)
    parser.add_argument("scripts", nargs="*", default=list(STEPS))
    parser.add_argument("--pictures", type=Path)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--engine", help=argparse.SUPPRESS)
    parser.add_argument("--into", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    source = options.source.resolve()
    if options.engine:
        (name,) = options.scripts
        script = source / EXAMPLES / f"{name}.py"
        picture = f"{options.pictures}/{name}_{options.engine}.png" if options.pictures else ""
        told = run_one(options.engine, script, source / "data", STEPS[name], picture)
        options.into.write_text(json.dumps(told))
        return 0
    if options.pictures:
        options.pictures.mkdir(parents=True, exist_ok=True)
    return _table(source, options)


def _table(source: Path, options: argparse.Namespace) -> int:
    jobs = [(script, engine) for script in options.scripts for engine in ENGINES]
    with tempfile.TemporaryDirectory() as place, ThreadPoolExecutor(options.jobs) as pool:

        def told(job: tuple[str, str]) -> dict[str, Any] | str:
            script, engine = job
            into = Path(place) / f"{script}-{engine}.json"
            command = [sys.executable, str(Path(__file__).resolve()), str(source), script]
            command += ["--engine", engine, "--into", str(into)]
            if options.pictures:
                command += ["--pictures", str(options.pictures.resolve())]
            done = subprocess.run(command, check=False, capture_output=True, text=True, cwd=place)
            if done.returncode:
                return (done.stderr.strip().splitlines() or [f"exit {done.returncode}"])[-1]
            return json.loads(into.read_text())

        results = dict(zip(jobs, pool.map(told, jobs), strict=True))
    print_table(results, options.scripts)
    return int(any(isinstance(results[script, "unibody"], str) for script in options.scripts))


def print_table(results: dict[tuple[str, str], dict[str, Any] | str], scripts: list[str]) -> None:
    """Print a row for each body."""
    print("| script | body | path | height | diagonal | volume | half steps: path | ms a step |")
    print("|---|---|---:|---:|---:|---:|---:|---:|")
    for script in scripts:
        told = [results[script, engine] for engine in ENGINES]
        problems = [f"{e}: {one[:120]}" for e, one in zip(ENGINES, told, strict=True)
                    if isinstance(one, str)]  # fmt: skip
        theirs, fine, ours = told
        if isinstance(theirs, str) or isinstance(fine, str) or isinstance(ours, str):
            print(f"| {script} | fails, {'; '.join(problems)} | | | | | | |")
            continue
        times = f"{theirs['milliseconds']:.2f}, {ours['milliseconds']:.2f}"
        rows = zip(theirs["bodies"], compare(theirs, ours), compare(theirs, fine), strict=True)
        for number, (body, one, own) in enumerate(rows):
            shares = [one.get(name) for name in ("path", "height", "diagonal", "volume")]
            words = ["" if x is None else f"{100.0 * x:.1f} %" for x in (*shares, own["path"])]
            print(f"| {script} | {body[0]} | {' | '.join(words)} | {'' if number else times} |")


if __name__ == "__main__":
    sys.exit(main())
