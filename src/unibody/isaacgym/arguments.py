"""Command lines of Isaac Gym scripts."""

from __future__ import annotations

import argparse
import re
from collections.abc import Mapping, Sequence
from typing import Any

from unibody.core.engine.library.devices import use_gpu
from unibody.errors import InvalidArgumentError
from unibody.isaacgym.argument_kinds import checked
from unibody.isaacgym.types.enums import SimType
from unibody.notices import tell

_TRUE = frozenset({"true", "t", "yes", "y", "on", "1"})
_FALSE = frozenset({"false", "f", "no", "n", "off", "0"})


@checked
def parse_bool(value: Any) -> bool:
    """Read a flag that is written as a word.

    Raises:
        InvalidArgumentError: It is no word for true or false.
    """
    word = str(value).strip().lower()
    if word in _TRUE:
        return True
    if word in _FALSE:
        return False
    raise InvalidArgumentError("value", value, "True or False")


@checked
def parse_device_str(device_str: str) -> tuple[str, int]:
    """Read a device in torch's notation.

    Args:
        device_str: "cpu", "cuda", "cuda:1"; "gpu" is another word for "cuda".

    Returns:
        "cpu" or "cuda", and the ordinal, which is 0 where there is none.

    Raises:
        InvalidArgumentError: It is neither.
    """
    allowed = "'cpu', 'cuda' or 'cuda:<number>'"
    if not isinstance(device_str, str):
        raise InvalidArgumentError("device_str", device_str, allowed)
    match = re.fullmatch(r"(cpu|cuda|gpu)(?::(\d{1,4}))?", device_str.strip().lower())
    if match is None or (match[1] == "cpu" and match[2] not in (None, "0")):
        raise InvalidArgumentError("device_str", device_str, allowed)
    return ("cpu" if match[1] == "cpu" else "cuda"), int(match[2] or 0)


@checked
def parse_arguments(
    description: str = "Isaac Gym Example",
    headless: bool = False,
    no_graphics: bool = False,
    custom_parameters: Sequence[Mapping[str, Any]] = (),
) -> argparse.Namespace:
    """Read the command line.

    Args:
        description: What ``--help`` says first.
        headless: Whether there is an option ``--headless``.
        no_graphics: Whether there is an option ``--nographics``.
        custom_parameters: Options of the script's own. Each has a "name" and what
            ``argparse.ArgumentParser.add_argument`` takes beside it; one with the name of an
            option below takes its place.

    Returns:
        The options, and what follows from them: ``sim_device_type``, ``compute_device_id``,
        ``use_gpu``, ``use_gpu_pipeline``, ``physics_engine``. A GPU that is not there has become
        the CPU.

    Raises:
        InvalidArgumentError: A custom parameter has no name.
        EngineError: ``--require-gpu`` was given, and there is no GPU.
    """
    # An option of the script's own takes the place of one of the same name.
    parser = argparse.ArgumentParser(description=description, conflict_handler="resolve")
    if headless:
        parser.add_argument("--headless", action="store_true", help="run without a viewer")
    if no_graphics:
        text = "run without a graphics context: no viewer, no camera sensors"
        parser.add_argument("--nographics", action="store_true", help=text)
    _add_own(parser)
    for parameter in custom_parameters:
        options = dict(parameter) if isinstance(parameter, Mapping) else {}
        name = options.pop("name", None)
        if not isinstance(name, str):
            raise InvalidArgumentError("custom_parameters", parameter, "a dict with a 'name'")
        if "const" in options:
            # An option with a constant may stand without a value, as in ``--verbose``.
            options.setdefault("nargs", "?")
        parser.add_argument(name, **options)
    args = parser.parse_args()
    if no_graphics and args.nographics:
        args.headless = True
    if args.slices is None:
        args.slices = args.subscenes
    _choose_devices(parser, args)
    return args


def _add_own(parser: argparse.ArgumentParser) -> None:
    def add(name: str, kind: type, default: Any, text: str) -> None:
        parser.add_argument(name, type=kind, default=default, help=text)

    add("--sim_device", str, "cuda:0", "device of the simulation: cpu, cuda:0, ...")
    add("--pipeline", str, "gpu", "where tensors are: cpu or gpu")
    add("--graphics_device_id", int, 0, "device that draws; -1 for none")
    engines = parser.add_mutually_exclusive_group()
    engines.add_argument("--flex", action="store_true", help="ask for FleX")
    engines.add_argument("--physx", action="store_true", help="ask for PhysX")
    add("--num_threads", int, 0, "CPU threads of the simulation; 0 for all")
    add("--subscenes", int, 0, "PhysX subscenes; kept without effect")
    add("--slices", int, None, "threads that handle environments; as many as subscenes")
    parser.add_argument(
        "--require-gpu",
        "--require_gpu",
        action="store_true",
        help="fail where there is no GPU, rather than run on the CPU",
    )


def _choose_devices(parser: argparse.ArgumentParser, args: argparse.Namespace) -> None:
    try:
        args.sim_device_type, args.compute_device_id = parse_device_str(args.sim_device)
    except InvalidArgumentError as problem:
        parser.error(f"argument --sim_device: {problem}")
    pipeline = args.pipeline.lower()
    if pipeline not in ("cpu", "gpu", "cuda"):
        parser.error(f"argument --pipeline: {args.pipeline!r} is neither cpu nor gpu")
    request = f"sim_device={args.sim_device!r}"
    if args.require_gpu or args.sim_device_type == "cuda":
        found = use_gpu(request, required=args.require_gpu)
        if not found:
            args.sim_device, args.sim_device_type, args.compute_device_id = "cpu", "cpu", 0
            args.pipeline = pipeline = "cpu"
    if args.sim_device_type == "cpu" and pipeline != "cpu":
        tell(f"{request}: tensors of a simulation on the CPU are there too, so --pipeline is cpu")
        args.pipeline = pipeline = "cpu"
    args.use_gpu = args.sim_device_type == "cuda"
    args.use_gpu_pipeline = pipeline != "cpu"
    args.physics_engine = SimType.SIM_FLEX if args.flex else SimType.SIM_PHYSX
