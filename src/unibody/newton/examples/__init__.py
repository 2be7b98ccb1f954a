# pyright: basic, reportInvalidTypeForm=false
"""Conventions of example scripts: their arguments, their loop and their checks.

The original's example scripts and assets are where it is installed; none are here. Its scripts are
modules of this package: those of the folder that UNIBODY_NEWTON_EXAMPLES names, else of an
installed Newton's.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import warp as wp

from unibody.errors import NotSupportedError
from unibody.newton import assets
from unibody.newton.examples.checks import find_nan_members
from unibody.newton.examples.coupled_views import (
    add_coupled_view_args,
    apply_coupled_viewer_forces,
    configure_coupled_view,
    get_coupled_view_state,
    is_coupled_view_combined,
    log_coupled_view,
)
from unibody.newton.functions import download_git_folder

_CHECKED = ("state_0", "state_1", "model", "control", "contacts")

__all__ = [
    "add_coupled_view_args",
    "apply_coupled_viewer_forces",
    "configure_coupled_view",
    "create_collision_pipeline",
    "create_parser",
    "get_asset",
    "get_asset_directory",
    "get_coupled_view_state",
    "get_examples",
    "init",
    "is_coupled_view_combined",
    "log_coupled_view",
    "run",
    "test_body_state",
    "test_particle_state",
]


def _folders_of_scripts() -> list[str]:
    named = os.environ.get("UNIBODY_NEWTON_EXAMPLES")
    if named:
        return [named]
    installed = [os.path.join(place or os.curdir, "newton", "examples") for place in sys.path]
    return [folder for folder in installed if os.path.isdir(folder)]


__path__ += _folders_of_scripts()


def get_source_directory() -> str:
    """The folder of examples of an installed Newton.

    Raises:
        NotSupportedError: There is none.
    """
    script = Path(sys.argv[0]).resolve()
    installed = [Path(p) / "newton" / "examples" for p in sys.path if p]
    for folder in (*script.parents, *installed):
        if folder.name == "examples" and (folder / "assets").is_dir():
            return str(folder)
    raise NotSupportedError(
        "assets of Newton's examples",
        f"they are in an installed newton package; {assets.VARIABLE} names a folder of such files",
    )


def get_examples() -> dict[str, str]:
    """Names of the original's examples that are here -> their modules."""
    found: dict[str, str] = {}
    for folder in map(Path, __path__):
        for script in sorted(folder.glob("[!_]*/example_*.py")):
            name = script.stem.removeprefix("example_")
            found.setdefault(name, f"newton.examples.{script.parent.name}.{script.stem}")
    return found


def get_asset_directory() -> str:
    """The folder of assets: the first of UNIBODY_NEWTON_ASSETS, or an installed Newton's."""
    named = assets.named_folders()
    return str(named[0]) if named else os.path.join(get_source_directory(), "assets")


def get_asset(filename: str) -> str:
    """The path of an asset."""
    return os.path.join(get_asset_directory(), filename)


def download_external_git_folder(
    git_url: str, folder_path: str, force_refresh: bool = False, ref: str = "main"
) -> Any:
    """The place of a folder of a repository; see `newton.utils.download_asset`."""
    return download_git_folder(git_url, folder_path, None, ref, force_refresh)


def create_parser() -> argparse.ArgumentParser:
    """A parser of the arguments that all examples have."""
    switch = argparse.BooleanOptionalAction
    parser = argparse.ArgumentParser(formatter_class=argparse.ArgumentDefaultsHelpFormatter)
    parser.add_argument("--device", default=None, help="Warp device")
    parser.add_argument(
        "--viewer", default="gl", choices=["gl", "usd", "rerun", "null", "viser"], help="viewer"
    )
    parser.add_argument("--rerun-address", default=None, help="of a Rerun server")
    parser.add_argument("--output-path", default="output.usd", help="file of the usd viewer")
    parser.add_argument("--num-frames", type=int, default=100, help="frames of the null viewer")
    parser.add_argument("--headless", action=switch, default=False, help="without a window")
    parser.add_argument("--test", action=switch, default=False, help="check the results")
    parser.add_argument(
        "--broad-phase", default="explicit", choices=["nxn", "sap", "explicit"], help="of contacts"
    )
    parser.add_argument(
        "--use-mujoco-contacts", action=switch, default=False, help="contacts of MuJoCo's"
    )
    parser.add_argument("--max-worlds", type=int, default=None, help="most worlds shown")
    parser.add_argument("--quiet", action=switch, default=False, help="without Warp's messages")
    return parser


def add_world_count_arg(parser: argparse.ArgumentParser) -> argparse.ArgumentParser:
    """Add ``--world-count``, as examples of 1.x do."""
    return _added(parser, "--world-count", type=int, default=1, help="worlds")


def add_max_worlds_arg(parser: argparse.ArgumentParser) -> argparse.ArgumentParser:
    """Add ``--max-worlds``."""
    return _added(parser, "--max-worlds", type=int, default=None, help="most worlds shown")


def add_broad_phase_arg(parser: argparse.ArgumentParser) -> argparse.ArgumentParser:
    """Add ``--broad-phase``."""
    kinds = ["nxn", "sap", "explicit"]
    return _added(parser, "--broad-phase", default="explicit", choices=kinds, help="of contacts")


def add_mujoco_contacts_arg(parser: argparse.ArgumentParser) -> argparse.ArgumentParser:
    """Add ``--use-mujoco-contacts``."""
    switch = argparse.BooleanOptionalAction
    return _added(parser, "--use-mujoco-contacts", action=switch, default=False, help="MuJoCo's")


def _added(parser: argparse.ArgumentParser, name: str, **options: Any) -> argparse.ArgumentParser:
    """A parser with an argument, which it may have already."""
    if all(name not in action.option_strings for action in parser._actions):
        parser.add_argument(name, **options)
    return parser


def init(parser: argparse.ArgumentParser | None = None) -> tuple[Any, argparse.Namespace]:
    """Read the arguments of a script, and make its viewer.

    Args:
        parser: Of `create_parser`, with what the script added; None: that alone.

    Returns:
        The viewer, and the arguments.
    """
    args = parser.parse_args() if parser else create_parser().parse_known_args()[0]
    if args.quiet:
        wp.config.quiet = True
    if args.device:
        wp.set_device(args.device)
    return _viewer(args), args


def _viewer(args: argparse.Namespace) -> Any:
    from unibody.newton import viewer

    if args.viewer == "null" or (args.viewer == "gl" and args.headless):
        return viewer.ViewerNull(num_frames=args.num_frames)
    if args.viewer == "gl":
        return viewer.ViewerGL()
    if args.viewer == "viser":
        return viewer.ViewerViser()
    name = {"usd": "ViewerUSD", "rerun": "ViewerRerun"}[args.viewer]
    return getattr(viewer, name)


def create_collision_pipeline(
    model: Any, args: Any = None, broad_phase: str | None = None, **kwargs: Any
) -> Any:
    """A pipeline with the broad phase of the arguments."""
    from unibody import newton

    chosen = broad_phase or getattr(args, "broad_phase", None) or "explicit"
    return newton.CollisionPipeline(model, broad_phase=chosen, **kwargs)


def run(example: Any, args: Any) -> None:
    """Step and show an example until its viewer ends it, then check it if the arguments say so.

    Args:
        example: With ``viewer``, ``step`` and ``render``, and for ``--test`` ``test_final`` or
            ``test_post_step``.
        args: Of `init`.

    Raises:
        NotImplementedError: The example has no checks.
        ValueError: A number is not one.
    """
    checks = args is not None and args.test
    each, last = getattr(example, "test_post_step", None), getattr(example, "test_final", None)
    while example.viewer.is_running():
        if not example.viewer.is_paused():
            example.step()
        if checks and each is not None:
            each()
        example.render()
    if checks:
        if last is not None:
            last()
        elif each is None:
            raise NotImplementedError("Example does not have a test_final or test_post_step method")
    example.viewer.close()
    if checks:
        _check_finite(example)


def _check_finite(example: Any) -> None:
    for name in _CHECKED:
        holder = getattr(example, name, None)
        wrong = find_nan_members(holder) if hasattr(holder, "__dict__") else []
        if wrong:
            raise ValueError(f"NaN members found in {name}: {wrong}")


def test_body_state(
    model: Any,
    state: Any,
    test_name: str,
    test_fn: Callable[[Any, Any], bool],
    indices: Any = None,
    show_body_q: bool = False,
    show_body_qd: bool = False,
) -> None:
    """Check bodies of a state.

    Args:
        model: The model.
        state: The state.
        test_name: Of the check, for the error.
        test_fn: Pose and velocity -> whether they are right; a Warp function, or one like it.
        indices: Bodies; None: all.
        show_body_q: Whether the error says poses.
        show_body_qd: Whether the error says velocities.

    Raises:
        ValueError: Some are not right.
    """
    numbers = list(range(model.body_count)) if indices is None else [int(i) for i in indices]
    if state.body_q is None or state.body_qd is None:
        raise ValueError("Body state is not available")
    wrong = _failing(test_fn, state.body_q, state.body_qd, numbers)
    if not wrong:
        return
    poses, velocities = state.body_q.numpy(), state.body_qd.numpy()
    told = []
    for number in wrong:
        more = [f"q={poses[number]}"] * show_body_q + [f"qd={velocities[number]}"] * show_body_qd
        told.append(model.body_key[number] + (f" ({', '.join(more)})" if more else ""))
    raise ValueError(f'Test "{test_name}" failed for the following bodies: [{", ".join(told)}]')


def test_particle_state(
    state: Any, test_name: str, test_fn: Callable[[Any, Any], bool], indices: Any = None
) -> None:
    """Check particles of a state.

    Args:
        state: The state.
        test_name: Of the check, for the error.
        test_fn: Position and velocity -> whether they are right.
        indices: Particles; None: all.

    Raises:
        ValueError: Some are not right.
    """
    if state.particle_q is None or state.particle_qd is None:
        raise ValueError("Particle state is not available")
    numbers = list(range(state.particle_count)) if indices is None else [int(i) for i in indices]
    wrong = _failing(test_fn, state.particle_q, state.particle_qd, numbers)
    if wrong:
        raise ValueError(
            f'Test "{test_name}" failed for {len(wrong)} out of {len(numbers)} particles'
        )


def _failing(test_fn: Any, places: Any, rates: Any, numbers: list[int]) -> list[int]:
    """Those of some numbers that a function is not content with; it runs in a kernel."""
    function = test_fn
    if not isinstance(test_fn, wp.Function):
        function, _ = wp.utils.create_warp_function(test_fn)
    place_type, rate_type = places.dtype, rates.dtype

    def check(
        q: wp.array(dtype=place_type),
        qd: wp.array(dtype=rate_type),
        chosen: wp.array(dtype=wp.int32),
        wrong: wp.array(dtype=wp.bool),
    ):
        i = wp.tid()
        wrong[i] = not wp.bool(function(q[chosen[i]], qd[chosen[i]]))

    # annotations are values here, not text
    check.__annotations__ = {
        "q": wp.array(dtype=place_type),
        "qd": wp.array(dtype=rate_type),
        "chosen": wp.array(dtype=wp.int32),
        "wrong": wp.array(dtype=wp.bool),
    }
    # A unique module is named after what it computes: the same check is compiled once.
    kernel = wp.kernel(check, module="unique", enable_backward=False)
    with wp.ScopedDevice(places.device):
        wrong = wp.zeros(len(numbers), dtype=wp.bool)
        chosen = wp.array(np.array(numbers, np.int32), dtype=wp.int32)
        wp.launch(kernel, dim=len(numbers), inputs=[places, rates, chosen], outputs=[wrong])
    return [numbers[i] for i in np.flatnonzero(wrong.numpy())]
