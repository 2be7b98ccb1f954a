"""Run the programs that come with PyBullet through `unibody run` and write docs/clients.md.

Every program of the installed packages `pybullet_examples`, `pybullet_robots`, `pybullet_envs` and
`pybullet_utils` that imports nothing that is not installed is run, unchanged, in an empty working
directory, with `--fast --max-steps 1000 --max-time 600` (60 for one that never steps). With
`--check` nothing is written; the exit status is 1 if a program that passes in docs/clients.md
fails now.
"""

from __future__ import annotations

import argparse
import ast
import concurrent.futures
import datetime
import importlib.util
import os
import re
import subprocess
import sys
import sysconfig
import tempfile
import tomllib
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "clients.md"
SUITES = ROOT / "scripts" / "client_suites.toml"
PACKAGES = ("pybullet_examples", "pybullet_robots", "pybullet_envs", "pybullet_utils")
BY_NAME = ("pybullet_robots", "pybullet_utils")  # their programs are run as modules
# What programs of pybullet_envs are written for besides PyBullet.
OPTIONAL = ("absl", "gin", "gym", "ray", "tensorflow", "tf_agents", "torch")
STEPS = 1000
SECONDS, WITHOUT_STEPS = 600, 60  # s; the first is for machines with other work
GRACE = 60  # s that a run may need to start and to end beyond its limit
PASSED, FAILED, LATER = "passed", "failed", "later"
# What a program needs that is not there yet, by what its error names.
NEEDS = {
    "getCameraImage": "needs camera images",
    "loadSoftBody": "needs soft bodies",
    "for soft bodies": "needs soft bodies",
    "VIDEO_MP4": "needs video recording",
    "loadPlugin": "needs plugins",
    "setVRCameraState": "needs virtual reality",
    "to a physics server": "needs a physics server",
}
# What is known about a failure beyond its last line.
NOTES = {
    "satCollision": "fails on PyBullet too: cube_concave.urdf is not part of pybullet_data",
    "combined": "fails on PyBullet too: combined.urdf is what another program writes",
    "fileIOPlugin": "fails on PyBullet too: pickup2.zip is not part of pybullet_data",
    "signedDistanceField": "fails on PyBullet too: concave_box.cdf is not part of pybullet_data",
    "graphicsClient": "needs a graphics server on port 6667, which it does not start",
    "loadxarm": "fails on PyBullet too: xarm_sim is not beside it",
    "readwriteurdf": "fails on PyBullet too: test.urdf is not part of pybullet_data",
    "inverse_kinematics_pole": "fails on PyBullet too: pole.urdf is not part of pybullet_data",
}
PASSED_NOTES = {
    "testrender_egl": "nine tenths of the time is spent in matplotlib",
    "testrender_np": "nine tenths of the time is spent in matplotlib",
    "video_sync_mp4": "ran to its own end; records no video and says so",
}
IN_WORKERS = ("batchsim3", "batchsim3_grasp")  # their steps are those of other processes
_CONNECTS = re.compile(r"\.(connect|BulletClient)\(")
_DEFINITIONS = (ast.FunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom)
_STEPS = re.compile(r"^[^#\n]*(stepSimulation|setRealTimeSimulation)\(", re.MULTILINE)
_SUMMARY = re.compile(r"^unibody run: (.+?): (\d+) steps", re.MULTILINE)
_ROW = re.compile(r"^\| (\S+) \| \S+ \| `[^`]*` \| (\w+) \|")
_SUITES_HEAD = "| client | version | from |"
_PROGRAMS_HEAD = "| client | version | command |"
_COUNTS = re.compile(r"^\*\*\d+ of \d+ passed\*\*.*$", re.MULTILINE)


@dataclass(frozen=True)
class Client:
    """A program of one of the packages.

    Attributes:
        name: Its module's name.
        version: Of the distribution it comes with.
        path: Its file.
        module: Run as `-m name` and not by its path.
    """

    name: str
    version: str
    path: Path
    module: bool

    @property
    def program(self) -> list[str]:
        """What stands behind the options of `unibody run`."""
        return ["-m", self.name] if self.module else [str(self.path)]

    @property
    def command(self) -> str:
        """The command as a reader would type it."""
        program = f"-m {self.name}" if self.module else self.path.name
        return f"unibody run --fast --max-steps {STEPS} --max-time {self.seconds} {program}"

    @property
    def last(self) -> str:
        """The last part of its name."""
        return self.name.rpartition(".")[2]

    @property
    def seconds(self) -> int:
        """How long it may run."""
        steps = _STEPS.search(self.path.read_text(encoding="utf-8"))
        return SECONDS if steps and self.last not in IN_WORKERS else WITHOUT_STEPS


@dataclass(frozen=True)
class Outcome:
    """What became of one run."""

    client: Client
    result: str
    steps: int
    note: str

    @property
    def row(self) -> str:
        """Its line in the table."""
        client = self.client
        note = self.note.replace("|", "\\|")
        return (
            f"| {client.name} | {client.version} | `{client.command}` | {self.result} "
            f"| {self.steps} | {note} |"
        )


def clients() -> list[Client]:
    """All programs of the packages."""
    owners = metadata.packages_distributions()
    found: list[Client] = []
    for package in PACKAGES:
        spec = importlib.util.find_spec(package)
        if spec is None or not spec.submodule_search_locations:
            continue
        version = metadata.version(owners[package][0])
        root = Path(next(iter(spec.submodule_search_locations)))
        for path in sorted(root.rglob("*.py")):
            text = path.read_text(encoding="utf-8")
            if not _is_program(text):
                continue
            name = ".".join((package, *path.relative_to(root).with_suffix("").parts))
            # programs that import a file beside them by its bare name only work by path
            siblings = [p.stem for p in path.parent.glob("*.py") if p != path]
            bare = any(re.search(rf"^\s*(import|from) {s}\b", text, re.MULTILINE) for s in siblings)
            as_module = package in BY_NAME and not bare
            found.append(Client(name, version, path, as_module))
    return found


def _is_program(text: str) -> bool:
    """Whether a file connects when it is run, and imports nothing that is not installed."""
    if not _CONNECTS.search(text):
        return False
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return False
    names = {alias.name for n in ast.walk(tree) if isinstance(n, ast.Import) for alias in n.names}
    names |= {n.module or "" for n in ast.walk(tree) if isinstance(n, ast.ImportFrom)}
    roots = {name.partition(".")[0] for name in names}
    missing = set(OPTIONAL) & (roots | ({"gym"} if "pybullet_envs" in roots else set()))
    if any(importlib.util.find_spec(name) is None for name in missing):
        return False
    body = [ast.unparse(node) for node in tree.body if not isinstance(node, _DEFINITIONS)]
    return any(_CONNECTS.search(part) or "__name__" in part for part in body)


def run(client: Client) -> Outcome:
    """Run one program."""
    env = {**os.environ, "MPLBACKEND": "Agg", "PYTHONUNBUFFERED": "1"}
    env["PYTHONPATH"] = os.pathsep.join(filter(None, (str(ROOT / "src"), env.get("PYTHONPATH"))))
    limits = ["--fast", "--max-steps", str(STEPS), "--max-time", str(client.seconds)]
    command = [sys.executable, "-m", "unibody", "run", *limits, *client.program]
    with tempfile.TemporaryDirectory() as folder:
        env["XDG_RUNTIME_DIR"] = folder  # or a server of another program would be joined
        try:
            done = subprocess.run(
                command, cwd=folder, env=env, stdin=subprocess.DEVNULL, capture_output=True,
                text=True, errors="replace", timeout=client.seconds + GRACE, check=False,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return Outcome(client, FAILED, 0, f"did not end within {client.seconds + GRACE} s")
    return _outcome(client, done)


def _outcome(client: Client, done: subprocess.CompletedProcess[str]) -> Outcome:
    summary = _SUMMARY.search(done.stderr)
    steps = int(summary[2]) if summary else 0
    ended = summary[1] if summary else ""
    last = _last_error(done.stderr)
    if "NotSupportedError" in last:
        for sign, need in NEEDS.items():
            if sign in last:
                return Outcome(client, LATER, steps, need)
    if done.returncode == 0 and "--max-time" not in ended:
        note = "" if "--max-steps" in ended else "ran to its own end"
        note = PASSED_NOTES.get(client.last, note)
        return Outcome(client, PASSED, steps, note)
    if done.returncode == 0 and not _STEPS.search(client.path.read_text(encoding="utf-8")):
        return Outcome(client, PASSED, steps, f"never steps: ran for {client.seconds} s")
    if done.returncode == 0 and client.last in IN_WORKERS and "Traceback" not in done.stderr:
        return Outcome(client, PASSED, steps, f"steps in its workers: ran for {client.seconds} s")
    if done.returncode == 0:
        last = f"only {steps} steps in {client.seconds} s"
    last = last.replace(f"{sysconfig.get_path('purelib')}/", "")  # wherever that is
    note = NOTES.get(client.last, last)
    return Outcome(client, FAILED, steps, note)


def _last_error(text: str) -> str:
    lines = [line for line in text.splitlines() if line and not line.startswith("unibody run:")]
    named = [line for line in lines if re.match(r"[\w.]*(Error|error|Exception)\b", line)]
    return (named or lines or ["no message"])[-1]


def page(text: str, outcomes: list[Outcome]) -> str:
    """The text of docs/clients.md with other rows of programs and of suites."""
    count = {kind: sum(o.result == kind for o in outcomes) for kind in (PASSED, FAILED, LATER)}
    counts = (
        f"**{count[PASSED]} of {len(outcomes)} passed**, {count[LATER]} later, "
        f"{count[FAILED]} failed. Date of the run: {datetime.date.today().isoformat()}."
    )
    lines = [
        "| client | version | command | result | steps | note |",
        "|---|---|---|---|---:|---|",
        *(outcome.row for outcome in outcomes),
    ]
    text = with_table(text, _PROGRAMS_HEAD, "\n".join(lines) + "\n")
    return with_table(_COUNTS.sub(counts, text), _SUITES_HEAD, suites_table())


def with_table(text: str, head: str, table: str) -> str:
    """A text in which the table that begins with ``head`` is another one."""
    start = text.index(f"\n{head}") + 1
    end = text.find("\n\n", start)
    return text[:start] + table + ("" if end < 0 else text[end + 1 :])


def suites_table() -> str:
    """The table of the test suites."""
    lines = [
        "| client | version | from | on PyBullet | on unibody | date | note |",
        "|---|---|---|---:|---:|---|---|",
    ]
    for suite in tomllib.loads(SUITES.read_text(encoding="utf-8"))["suite"]:
        theirs, ours = ("{} / {}".format(*suite[side]) for side in ("pybullet", "unibody"))
        lines.append(
            f"| {suite['name']} | {suite['version']} | {suite['source']} | {theirs} | {ours} "
            f"| {suite['date'].isoformat()} | {suite['note']} |"
        )
    return "\n".join(lines) + "\n"


def passed_before() -> set[str]:
    """Programs that pass in docs/clients.md."""
    rows = [_ROW.match(line) for line in PAGE.read_text(encoding="utf-8").splitlines()]
    return {row[1] for row in rows if row and row[2] == PASSED}


def main(argv: list[str] | None = None) -> int:
    """Run the programs; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="compare instead of writing")
    parser.add_argument("--jobs", type=int, default=2, help="programs run at the same time")
    parser.add_argument("names", nargs="*", help="only programs with one of these in their name")
    parser.add_argument("--suites", action="store_true", help="only renew the suites' table")
    options = parser.parse_args(argv)
    if options.suites:
        text = PAGE.read_text(encoding="utf-8")
        PAGE.write_text(with_table(text, _SUITES_HEAD, suites_table()), encoding="utf-8")
        return 0
    chosen = [
        client
        for client in clients()
        if not options.names or any(name in client.name for name in options.names)
    ]
    before = passed_before() if options.check else set[str]()
    if options.check:
        chosen = [client for client in chosen if client.name in before]
    outcomes: list[Outcome] = []
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for outcome in pool.map(run, chosen):
            print(f"{outcome.result:7}{outcome.steps:6}  {outcome.client.name}  {outcome.note}")
            sys.stdout.flush()
            outcomes.append(outcome)
    if options.check:
        worse = [o.client.name for o in outcomes if o.result != PASSED]
        print(f"{len(outcomes) - len(worse)} of {len(outcomes)} still pass")
        return 1 if worse else 0
    if not options.names:
        text = PAGE.read_text(encoding="utf-8")
        PAGE.write_text(page(text, outcomes), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
