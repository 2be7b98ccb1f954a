"""`unibody fleet`: run scenarios from files, and look at recorded runs."""

from __future__ import annotations

import argparse
import contextlib
import csv
import io
import json
import os
import random
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unibody.command_parser import Parser, meant
from unibody.core.assets.whole_file import whole_file
from unibody.errors import InvalidArgumentError, UnibodyError

if TYPE_CHECKING:
    from unibody.fleet.recording.event_reader import EventLog
    from unibody.fleet.window.film import FleetFilm

_PAGE_POLL = 0.05  # s
_INTERRUPTED = 130  # as shells report it
_BAR = 24  # characters
_LONGEST = 60.0  # s of simulation, where neither the file nor the command says
_PICTURE = (640, 480)  # pixels
_PICTURES = (".png", ".webp", ".jpg")
_RECORDINGS = (".mp4", ".html")
_TURN = 0.78  # rad: where the camera of a film stands


def main(argv: Sequence[str]) -> int:
    """Run the command.

    Args:
        argv: The arguments behind `fleet`.

    Returns:
        The exit status of the process.
    """
    if list(argv[:1]) in (["examples"], ["config"]):
        from unibody.fleet.command_line.original_command import main as bundled

        return bundled(argv)
    options = _parser().parse_args(argv)
    work: Callable[[argparse.Namespace], int] = options.work
    try:
        return work(options)
    except (UnibodyError, OSError, ValueError, KeyError) as problem:
        text = problem.args[0] if isinstance(problem, KeyError) and problem.args else problem
        print(f"unibody fleet: {text}", file=sys.stderr)  # noqa: T201 - a command
        return 1
    except KeyboardInterrupt:
        return _INTERRUPTED


def _parser() -> argparse.ArgumentParser:
    parser = Parser(
        prog="unibody fleet",
        description=__doc__,
        epilog="unibody fleet examples | config: the bundled programs and files",
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    run = commands.add_parser("run", help="run a scenario file")
    run.set_defaults(work=_run)
    _scenario_options(run)
    run.add_argument("--seed", type=int, default=0, help="of everything that is random (0)")
    run.add_argument("--log", metavar="FILE", help="write an event log")
    run.add_argument("--report", metavar="FILE.html", help="write a page with figures and plots")
    _page_options(run)
    run.add_argument("--picture", metavar="FILE", help="write a picture of the end (.png, .webp)")
    run.add_argument(
        "--look", type=float, nargs=6, metavar="M",
        help="x y z of the picture's camera, x y z of what it looks at (all is seen)",
    )  # fmt: skip
    run.add_argument(
        "--record", metavar="FILE", help="write a film, or a page that plays (.mp4, .html)"
    )
    run.add_argument("--quiet", action="store_true", help="no progress bar")
    batch = commands.add_parser("batch", help="run a scenario file with many seeds")
    batch.set_defaults(work=_batch)
    _scenario_options(batch)
    batch.add_argument("--seeds", type=int, default=10, help="how many, from 0 on (10)")
    replay = commands.add_parser("replay", help="look at an event log")
    replay.set_defaults(work=_replay)
    replay.add_argument("log", metavar="LOG")
    replay.add_argument("--step", type=int, default=-1, help="a step, from 0 on (-1: the last)")
    replay.add_argument("--csv", metavar="FILE", help="write all poses of all steps")
    replay.add_argument("--film", metavar="FILE.gif", help="draw it")
    replay.add_argument("--fps", type=int, default=10, help="pictures of a film a second (10)")
    _page_options(replay)
    schema = commands.add_parser("schema", help="what a scenario file may say, for editors")
    schema.set_defaults(work=_schema)
    schema.add_argument("--out", metavar="FILE.json", help="write it there instead of showing it")
    return parser


def _schema(options: argparse.Namespace) -> int:
    from unibody.fleet.command_line.file_schema import file_schema

    text = json.dumps(file_schema(), indent=2) + "\n"
    if options.out:
        with whole_file(options.out) as stream:
            stream.write(text.encode())
    else:
        sys.stdout.write(text)
    return 0


def _page_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--view", action="store_true", help="show it on a page in the browser")
    parser.add_argument("--port", type=int, default=8080, help="first to try for the page (8080)")
    if parser.prog.endswith("run"):
        parser.add_argument(
            "--speed", type=float, default=1.0, help="of a run with a page, x real time (1; 0: all)"
        )


def _scenario_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "config", metavar="CONFIG.yaml", help="a file, or the name of a bundled one, as warehouse"
    )
    parser.add_argument(
        "--duration", type=float, help=f"s of simulation (that of the file, or {_LONGEST:.0f})"
    )
    parser.add_argument("--near", type=float, default=0.3, help="m that are a near miss (0.3)")
    parser.add_argument(
        "--stuck-after", type=float, default=10.0, help="s of waiting that are a deadlock (10)"
    )


def _say(text: str, end: str = "\n") -> None:
    print(text, end=end, flush=True)  # noqa: T201 - a command


def _scenario(name: str) -> str:
    """A file, or the one that is bundled under a name."""
    if os.path.exists(name):
        return name
    folder = Path(__file__).parents[1] / "config"
    bundled = {path.stem: str(path) for path in sorted(folder.glob("*.yaml"))}
    if name not in bundled:
        names = ", ".join(bundled)
        hint = meant(name, bundled)
        raise InvalidArgumentError("CONFIG.yaml", name, f"a file, or one of {names}{hint}")
    return bundled[name]


# --- run -----------------------------------------------------------------------------------------


def _simulate(
    options: argparse.Namespace, seed: int, log: str | None, bar: bool, view: bool = False
) -> Any:
    """Run the scenario, without a page as fast as it goes; its metrics."""
    import numpy as np

    from unibody.fleet.bodies.physics_world import close_physics_world
    from unibody.fleet.recording.traffic_metrics import TrafficMetrics
    from unibody.fleet.simulation.core import MultiRobotSimulationCore

    random.seed(seed)
    np.random.seed(seed)  # noqa: NPY002 - what scripts and controllers draw from
    core = MultiRobotSimulationCore.from_yaml(_scenario(options.config), headless=True)
    length = options.duration if options.duration is not None else core.params.duration
    steps = round((length or _LONGEST) / core.params.timestep)
    try:
        if log:
            core.start_event_log(log)
        metrics = TrafficMetrics(core, options.near, options.stuck_after)
        core.initialize_simulation()
        page = core.view(port=options.port) if view else None
        film = _film_of(core, getattr(options, "record", None))
        if page is not None:
            _open_page(page)
        begin = due = time.monotonic()
        live, shown = sys.stdout.isatty(), 0.0  # a file has the last line alone
        for done in range(1, steps + 1):
            core.step_once()
            metrics.step()
            if page is not None and options.speed > 0.0 and not page.closed:
                due = max(due + core.params.timestep / options.speed, time.monotonic())
                time.sleep(max(0.0, due - time.monotonic()))
            now = time.monotonic()
            if bar and ((live and now - shown > 0.2) or done == steps):
                shown = now
                factor = core.params.timestep * done / max(now - begin, 1e-9)
                full = "#" * (_BAR * done // steps)
                _say(f"\r[{full:<{_BAR}}] {done}/{steps} steps, {factor:.1f} x real time", end="")
        if bar:
            _say("")
        if getattr(options, "picture", None):
            _write_picture(core, options.picture, options.look)
        if film is not None:
            film.close()
        if page is not None:
            _leave_page(page)
    finally:
        core.stop_view()
        core.stop_event_log()
        core._shutdown_plugins()
        close_physics_world(core._physics_world)
    return metrics


def _film_of(core: Any, file: str | None) -> FleetFilm | None:
    """A recording that has begun; None without a file."""
    if file is None:
        return None
    from unibody.fleet.window.film import FleetFilm

    return FleetFilm(core, file)


def _write_picture(core: Any, path: str, look: list[float] | None) -> None:
    """Write what there is to see now."""
    from PIL import Image

    from unibody.fleet.window.picture import picture_of

    kind = Image.registered_extensions()[Path(path).suffix.lower()]
    where = None if look is None else ((look[0], look[1], look[2]), (look[3], look[4], look[5]))
    picture = picture_of(core, look=where)
    with whole_file(path) as stream:
        Image.fromarray(picture[..., :3]).save(stream, kind)


def _open_page(page: Any) -> None:
    """Say where a page is, and wait until somebody is there."""
    _say(f"open {page.url} - the run begins then; Ctrl-C ends it")
    page.wait_until_open()


def _leave_page(page: Any) -> None:
    """Keep a page until it is closed."""
    page.draw()
    _say("the run is over; close the page, or press Ctrl-C")
    with contextlib.suppress(KeyboardInterrupt):
        while not page.closed:
            page.follow()
            time.sleep(_PAGE_POLL)


def _check(options: argparse.Namespace) -> None:
    if options.duration is not None and not options.duration > 0.0:
        raise ValueError(f"--duration {options.duration} is not allowed: expected seconds > 0")
    for name in ("near", "stuck_after"):
        if not getattr(options, name) >= 0.0:
            flag = name.replace("_", "-")
            raise ValueError(f"--{flag} {getattr(options, name)} is not allowed: expected >= 0")
    if not getattr(options, "speed", 1.0) >= 0.0:
        raise ValueError(f"--speed {options.speed} is not allowed: expected >= 0")
    picture = getattr(options, "picture", None)
    if picture and Path(picture).suffix.lower() not in _PICTURES:
        expected = f"a name that ends in {', '.join(_PICTURES)}"
        raise ValueError(f"--picture {picture} is not allowed: expected {expected}")
    record = getattr(options, "record", None)
    if record and Path(record).suffix.lower() not in _RECORDINGS:
        expected = f"a name that ends in {' or '.join(_RECORDINGS)}"
        raise ValueError(f"--record {record} is not allowed: expected {expected}")
    _check_port(options)


def _check_port(options: argparse.Namespace) -> None:
    if not 0 <= getattr(options, "port", 0) <= 65535:
        raise ValueError(f"--port {options.port} is not allowed: expected 0 to 65535")


def _run(options: argparse.Namespace) -> int:
    _check(options)
    metrics = _simulate(options, options.seed, options.log, not options.quiet, options.view)
    summary = metrics.summary()
    for name, value in summary.items():
        _say(f"{name:20} {value:.6g}")
    if options.log:
        _say(f"{'event log':20} {options.log}")
    if options.picture:
        _say(f"{'picture':20} {options.picture}")
    if options.record:
        _say(f"{'recording':20} {options.record}")
    if options.report:
        from unibody.fleet.recording.report import write_report

        for file in write_report(
            options.report, options.config, summary, metrics.columns, metrics.series,
            metrics.map.heat(),
        ):  # fmt: skip
            _say(f"{'report':20} {file}")
    return 0


def _batch(options: argparse.Namespace) -> int:
    _check(options)
    if options.seeds < 1:
        raise ValueError(f"--seeds {options.seeds} is not allowed: expected 1 or more")
    found = [_simulate(options, seed, None, bar=False).summary() for seed in range(options.seeds)]
    _say(f"{'':20} {'mean':>12} {'deviation':>12} {'least':>12} {'most':>12}")
    for name in found[0]:
        values = [one[name] for one in found]
        figures = (
            statistics.fmean(values), statistics.pstdev(values), min(values), max(values),
        )  # fmt: skip
        _say(f"{name:20} " + " ".join(f"{value:12.6g}" for value in figures))
    return 0


# --- replay --------------------------------------------------------------------------------------


def _replay(options: argparse.Namespace) -> int:
    from unibody.fleet.recording.event_reader import EventLog

    _check_port(options)
    log = EventLog(options.log)
    if not len(log):
        _say(f"{options.log}: no complete step")
        return 1
    _say(f"{len(log)} steps, {log.times[-1]:.6g} s, {len(log.objects)} objects")
    if log.lost_bytes:
        _say(f"{log.lost_bytes} bytes at the end belong to no complete step")
    state = log.state(options.step)
    _say(f"step {state.step}, {state.time:.6g} s:")
    for number, (x, y, z) in zip(state.ids.tolist(), state.positions.tolist(), strict=True):
        what = log.objects[number]
        _say(f"  {number:6} {what.name or what.kind:24} ({x:.4f}, {y:.4f}, {z:.4f}) m")
    if options.csv:
        _write_csv(log, options.csv)
    if options.film:
        _film(log, options.film, options.fps)
    if options.view:
        _play(log, options.port)
    return 0


def _play(log: EventLog, port: int) -> None:
    from unibody.fleet.window.replay import ReplayView

    page = ReplayView(log, port=port)
    try:
        _say(f"open {page.url} - it ends when the page is closed, or with Ctrl-C")
        with contextlib.suppress(KeyboardInterrupt):
            page.wait_until_open()
            page.run()
    finally:
        page.close()


def _write_csv(log: EventLog, path: str) -> None:
    with whole_file(path) as stream:
        file = io.TextIOWrapper(stream, encoding="utf-8", newline="")
        writer = csv.writer(file)
        writer.writerow(["step", "time", "id", "x", "y", "z", "qx", "qy", "qz", "qw"])
        for state in log.states():
            both = zip(
                state.ids.tolist(),
                state.positions.tolist(),
                state.orientations.tolist(),
                strict=True,
            )
            writer.writerows([state.step, state.time, n, *p, *q] for n, p, q in both)
        file.detach()


def _film(log: EventLog, path: str, fps: int) -> None:
    import numpy as np
    from PIL import Image

    from unibody.fleet.recording.picture import FilmCamera, logged_frames, logged_visuals

    if fps < 1:
        raise ValueError(f"--fps {fps} is not allowed: expected 1 or more")
    first, last = log.state(0), log.state(-1)
    places = np.concatenate([first.positions, last.positions])
    middle = 0.5 * (places.min(axis=0) + places.max(axis=0))
    reach = max(float(np.ptp(places, axis=0).max()), 2.0)
    eye = middle + reach * np.array([0.7 * np.cos(_TURN), 0.7 * np.sin(_TURN), 0.7])
    camera, frames = FilmCamera(), []
    shown: list[int] | None = None
    due = 0.0
    for state in log.states():
        if state.time < due:
            continue
        due += 1.0 / fps
        ids = state.ids.tolist()
        if ids != shown:
            shown = ids
            camera.show(logged_visuals(ids, [log.objects[number] for number in ids]), floor=True)
        picture = camera.picture(logged_frames(state), eye.tolist(), middle.tolist(), _PICTURE)
        frames.append(Image.fromarray(picture))
    kind = Image.registered_extensions().get(os.path.splitext(path)[1].lower())
    if kind is None:
        raise ValueError(f"--film {path!r} is not allowed: expected a name that ends in .gif")
    with whole_file(path) as stream:
        frames[0].save(
            stream, kind, save_all=True, append_images=frames[1:], duration=int(1000 / fps), loop=0
        )
    _say(f"{len(frames)} pictures: {path}")
