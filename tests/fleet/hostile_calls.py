"""Hostile calls on every public function and constructor of the fleet, in a process of its own.

``python hostile_calls.py SEED COUNT`` prints one line a call that did not end as it should: with a
result, or with an error that some line of the library raises on purpose.
"""

from __future__ import annotations

import contextlib
import enum
import importlib
import inspect
import linecache
import logging
import math
import random
import sys
import traceback
import warnings

import numpy as np

from unibody import bullet, fleet
from unibody.errors import UnibodyError

MODULES = ("actions.action", "controllers.batch_omni", "controllers.batch_differential")
# Runs without an end, windows and servers, and what writes to the checkout or to the disk at large.
LEFT_OUT = {
    "run_simulation", "view", "start_recording", "setup_monitor", "shutdown", "start_event_log",
    "record", "save", "load_usd_world", "get_search_paths",
}  # fmt: skip
CALLED = {
    "callback",
    "handler",
    "func",
    "pose_factory",
    "goal_factory",
    "targets_factory",
    "action_factory",
    "predicate",
}
CALLS_A_WORLD = 40
DELIBERATE = (ValueError, TypeError, KeyError, LookupError, RuntimeError, OSError, UnibodyError)
STEPS = 2


class Strange:
    """An object that is none of the fleet's."""


def values(chance):
    """A value nobody should pass, or one that is nearly right."""
    return chance.choice(
        [
            lambda: None, lambda: "", lambda: "abc", lambda: "\0", lambda: "a.b.c", lambda: b"x",
            lambda: math.nan, lambda: math.inf, lambda: -math.inf, lambda: 1e308, lambda: -1e308,
            lambda: 10**12, lambda: 10**30, lambda: -1, lambda: 0, lambda: 1, lambda: 2,
            lambda: 0.5, lambda: True, lambda: [], dict, tuple, set, object, Strange,
            lambda: Strange, lambda: len, lambda: [math.nan] * 3, lambda: [1e308] * 3,
            lambda: [1, 2], lambda: [1.0, 2.0, 3.0], lambda: ["a", None], lambda: [[1]],
            lambda: "x" * 5000, lambda: {"type": "abc"}, lambda: {"class": 3}, lambda: {1: 2},
            lambda: [{"a": 1}], lambda: np.zeros(3), lambda: np.full(3, math.nan),
            lambda: np.zeros((2, 3)), lambda: np.float64(2.0), lambda: 1j, lambda: int,
            lambda: fleet.Pose([math.nan] * 3), lambda: fleet.Pose.from_xyz(1.0, 1.0, 0.1),
            lambda: fleet.Pose("abc", None), lambda: [fleet.Pose.from_xyz(1.0, 0.0, 0.1)],
        ]
    )()  # fmt: skip


class World:
    """A small fleet, and everything of it that has public functions."""

    def __init__(self):
        self.core = fleet.MultiRobotSimulationCore(
            fleet.SimulationParams(gui=False, monitor=False, physics=False, log_level="CRITICAL")
        )
        manager = fleet.AgentManager(sim_core=self.core)
        robot = fleet.Agent.from_urdf(
            "mobile_robot", pose=fleet.Pose.from_xyz(0, 0, 0.1), sim_core=self.core,
            controller={"type": "differential"},
        )  # fmt: skip
        omni = fleet.Agent.from_urdf(
            "simple_cube", pose=fleet.Pose.from_xyz(3, 0, 0.1), sim_core=self.core,
            controller=[{"type": "omni"}, {"type": "patrol", "waypoints": [[4, 0, 0.1]]}],
        )  # fmt: skip
        arm = fleet.Agent.from_urdf(
            "arm_robot", pose=fleet.Pose.from_xyz(-3, 0, 0), sim_core=self.core,
            use_fixed_base=True,
        )  # fmt: skip
        box = fleet.SimObject.from_mesh(
            collision_shape=fleet.ShapeParams(shape_type="box", half_extents=[0.1, 0.1, 0.1]),
            pose=fleet.Pose.from_xyz(0, 4, 0.1), sim_core=self.core,
        )  # fmt: skip
        for agent in (robot, omni, arm):
            manager.add_object(agent)
        self.objects = [
            self.core, manager, robot, omni, arm, box, robot._controllers[0],
            *omni._controllers, self.core.events, robot.events, robot.controller_params,
            fleet.FleetStateProvider(self.core), fleet.FleetCommandDispatcher(self.core),
        ]  # fmt: skip

    def close(self):
        """Give the world back."""
        with contextlib.suppress(bullet.error):  # a call closed it
            bullet.disconnect(self.core.client)


def public_functions(world):
    """Functions, constructors and bound methods with their names."""
    found = [(name, getattr(fleet, name)) for name in fleet.__all__ if name not in LEFT_OUT]
    for name in MODULES:
        module = importlib.import_module(f"unibody.fleet.{name}")
        found += [
            (f"{name}.{key}", value)
            for key, value in vars(module).items()
            if getattr(value, "__module__", "") == module.__name__ and not key.startswith("_")
        ]
    calls = [
        (name, value)
        for name, value in found
        if callable(value) and not (isinstance(value, type) and issubclass(value, enum.Enum))
    ]
    for name, value in list(calls):
        if isinstance(value, type):
            calls += [
                (f"{name}.{key}", getattr(value, key))
                for key, member in inspect.getmembers_static(value)
                if isinstance(member, (classmethod, staticmethod)) and not key.startswith("_")
            ]
    for thing in world.objects:
        kind = type(thing)
        calls += [
            (f"{kind.__name__}().{key}", getattr(thing, key))
            for key, member in inspect.getmembers_static(kind)
            if inspect.isfunction(member) and not key.startswith("_") and key not in LEFT_OUT
        ]
    return [(name, call) for name, call in calls if name.rpartition(".")[2] not in LEFT_OUT]


def arguments(chance, call):
    """Hostile arguments for a function: by place, some left out."""
    try:
        parameters = list(inspect.signature(call).parameters.values())
    except (TypeError, ValueError):
        parameters = []
    named = {}
    for parameter in parameters:
        if parameter.kind in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL):
            continue
        if parameter.default is not parameter.empty and chance.random() < 0.6:
            continue
        value = values(chance)
        if callable(value) and parameter.name in CALLED:
            value = None  # what it raises when it is called is its own
        named[parameter.name] = value
    return named


def is_deliberate(problem):
    """Whether a line that raises an error on purpose raised this one."""
    if not isinstance(problem, DELIBERATE) or isinstance(problem, RecursionError):
        return False
    frames = traceback.extract_tb(problem.__traceback__)
    last = [frame for frame in frames if "unibody" in frame.filename]
    if len(frames) <= 1 or not last:
        return isinstance(problem, TypeError)  # Python's own: the signature does not fit
    inner = frames[-1]
    if inner is not last[-1] and "unibody" not in inner.filename:
        return isinstance(problem, OSError)
    text = "".join(
        linecache.getline(inner.filename, number)
        for number in range(inner.lineno, (inner.end_lineno or inner.lineno) + 1)
    )
    if "instantiate abstract class" in str(problem):
        return True
    return "raise" in text or ("required" in str(problem) and "argument" in str(problem))


def main(seed, count):
    """Make the calls; print those that ended as they should not."""
    chance = random.Random(seed)
    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore")
    world, bad = None, 0
    for number in range(count):
        if number % CALLS_A_WORLD == 0:
            if world is not None:
                world.close()
            world = World()
            calls = public_functions(world)
        name, call = chance.choice(calls)
        named = arguments(chance, call)
        print("CALL", number, name, file=sys.stderr, flush=True)
        try:
            call(**named)
        except Exception as problem:
            if not is_deliberate(problem):
                bad += 1
                _report(name, named, problem)
        try:
            world.core.resume()
            for _ in range(STEPS):
                world.core.step_once()
        except Exception as problem:
            bad += 1
            _report(f"{name} and then step_once", named, problem)
            world.close()
            world = World()
            calls = public_functions(world)
    print("DONE", count, bad)


def _report(name, named, problem):
    frame = traceback.extract_tb(problem.__traceback__)[-1]
    where = f"{frame.filename.rpartition('/')[2]}:{frame.lineno}"
    print("BAD", name, repr(named)[:300], type(problem).__name__, str(problem)[:150], where)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
