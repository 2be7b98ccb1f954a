"""The ant of Gymnasium as a task on the tensor API, beside AsyncVectorEnv and envpool.

All sides use time steps of 0.01 s, five of them a frame, torques of 150 Nm times random actions,
and start an ant anew that fell or is 1000 frames old. Ant-v5 asks for the integrator RK4, which
evaluates the dynamics four times a step where ours does so once; Gymnasium is therefore measured
with the integrator Euler too.

The others want packages that need not be there. UNIBODY_ANT_REFERENCE is the interpreter of an
environment that has them.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.isaacgym.ant_worker import PREFIX
from benchmarks.isaacgym.scenes import acquire, assets, make_asset, make_simulation

VARIABLE = "UNIBODY_ANT_REFERENCE"
OTHERS = ("gymnasium", "gymnasium-euler", "envpool")
_TIME_LIMIT = 120.0  # for one process [s]
_DT, _SUBSTEPS = 0.05, 5
_GEAR = 150.0  # Nm for an action of one
_HEALTHY = (0.2, 1.0)  # m: height of the torso
_FRAMES = 1000  # of an episode
_START = 0.75  # m


class AntTask:
    """What Ant-v5 does in a frame, for many ants at once."""

    def __init__(self, count: int) -> None:
        import torch

        from unibody.isaacgym import gymapi, gymtorch

        self._torch, self._unwrap = torch, gymtorch.unwrap_tensor
        self.count = count
        self.gym: Any = gymapi.acquire_gym()
        self.sim: Any = make_simulation(self.gym, _DT, _SUBSTEPS, "cpu")
        asset = make_asset(self.gym, self.sim, assets(), "mjcf/ant.xml", fixed=False)
        pose = gymapi.Transform()
        pose.p.z = _START
        corner = gymapi.Vec3(1.0, 1.0, 1.0)
        for number in range(count):
            env = self.gym.create_env(self.sim, gymapi.Vec3(-1.0, -1.0, 0.0), corner, 8)
            actor = self.gym.create_actor(env, asset, pose, "ant", number, 1)
            drives = self.gym.get_actor_dof_properties(env, actor)
            drives["driveMode"][:] = int(gymapi.DOF_MODE_EFFORT)
            drives["stiffness"][:] = drives["damping"][:] = 0.0
            self.gym.set_actor_dof_properties(env, actor, drives)
        self.gym.prepare_sim(self.sim)
        self.roots, dofs, _, contacts = acquire(self.gym, self.sim)
        self.dofs, self.contacts = dofs.view(count, -1, 2), contacts.view(count, -1, 3)
        self._starts = self.roots.clone(), dofs.clone()
        self.ages = torch.zeros(count, dtype=torch.int32)
        self.actions = torch.rand((16, *self.dofs.shape[:2])) * 2.0 - 1.0

    def step(self, actions: Any) -> tuple[Any, Any, Any]:
        """Advance by a frame; return observations, rewards, and who starts anew."""
        torch = self._torch
        before = self.roots[:, 0].clone()
        self.move((actions * _GEAR).contiguous())
        healthy = (self.roots[:, 2] >= _HEALTHY[0]) & (self.roots[:, 2] <= _HEALTHY[1])
        touch = self.contacts.clamp(-1.0, 1.0)
        rewards = (self.roots[:, 0] - before) / _DT + healthy
        rewards -= 0.5 * actions.square().sum(1) + 5e-4 * touch.square().sum((1, 2))
        self.ages += 1
        done = ~healthy | (self.ages >= _FRAMES)
        if done.any():
            self._start(done.nonzero().ravel().to(torch.int32))
        seen = (self.roots[:, 2:], self.dofs.flatten(1), touch.flatten(1))
        return torch.cat(seen, dim=1), rewards, done

    def move(self, efforts: Any) -> None:
        """Advance by a frame with these efforts [Nm], and refresh all tensors."""
        self.gym.set_dof_actuation_force_tensor(self.sim, self._unwrap(efforts))
        self.gym.simulate(self.sim)
        self._refresh()

    def _refresh(self) -> None:
        gym, sim = self.gym, self.sim
        gym.refresh_actor_root_state_tensor(sim)
        gym.refresh_dof_state_tensor(sim)
        gym.refresh_rigid_body_state_tensor(sim)
        gym.refresh_net_contact_force_tensor(sim)

    def _start(self, ants: Any) -> None:
        roots, dofs = (self._unwrap(start) for start in self._starts)
        chosen = self._unwrap(ants)
        self.gym.set_actor_root_state_tensor_indexed(self.sim, roots, chosen, len(ants))
        self.gym.set_dof_state_tensor_indexed(self.sim, dofs, chosen, len(ants))
        self.ages[ants.long()] = 0
        self._refresh()

    def rate(self, seconds: float) -> float:
        """Frames of one ant a second."""
        frames, start = 0, time.perf_counter()
        while time.perf_counter() - start < seconds:
            self.step(self.actions[frames % len(self.actions)])
            frames += 1
        return self.count * frames / (time.perf_counter() - start)

    def close(self) -> None:
        """Let go of the worlds."""
        self.gym.destroy_sim(self.sim)


def others_rate(library: str, count: int, workers: int, seconds: float) -> float | str:
    """Frames of one ant a second on another library, in a new process; or why there is none."""
    interpreter = os.environ.get(VARIABLE) or sys.executable
    command = [interpreter, str(Path(__file__).with_name("ant_worker.py")), library]
    command += [str(count), str(workers), str(seconds)]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, check=False, timeout=_TIME_LIMIT
        )
    except (OSError, subprocess.TimeoutExpired) as problem:
        return str(problem)
    for line in done.stdout.splitlines():
        if line.startswith(PREFIX):
            return float(json.loads(line.removeprefix(PREFIX)))
    if "ModuleNotFoundError" in done.stderr:
        return "not installed"
    lines = [line for line in done.stderr.splitlines() if line.strip()]
    return lines[-1] if lines else f"exit status {done.returncode}"


def lines(count: int, seconds: float, rounds: int) -> list[str]:
    """The comparison as text: ours and the others in turns."""
    from unibody.core.engine.worlds.threads import Shares

    workers = Shares(1, 0).threads
    rates: dict[str, list[float]] = {"unibody": [], **{name: [] for name in OTHERS}}
    missing: dict[str, str] = {}
    task = AntTask(count)
    try:
        task.rate(0.2 * seconds)
        for _ in range(rounds):
            rates["unibody"].append(task.rate(seconds))
            for name in [name for name in OTHERS if name not in missing]:
                found = others_rate(name, count, workers, seconds)
                if isinstance(found, str):
                    missing[name] = found
                else:
                    rates[name].append(found)
    finally:
        task.close()
    return [_line(name, count, workers, rates, missing) for name in rates]


def _line(
    name: str, count: int, workers: int, rates: dict[str, list[float]], missing: dict[str, str]
) -> str:
    titles = {
        "unibody": f"unibody, {count} ants, {workers} threads",
        "gymnasium": f"AsyncVectorEnv Ant-v5 (RK4), {workers} processes",
        "gymnasium-euler": f"AsyncVectorEnv Ant-v5 (Euler), {workers} processes",
        "envpool": f"envpool Ant-v5 (RK4), {count} ants, {workers} threads",
    }
    if name in missing:
        return f"{titles[name]:46} {missing[name]}"
    text = f"{titles[name]:46} {max(rates[name]):9.0f} env-steps/s"
    if name == "unibody":
        return text
    ratios = [ours / other for ours, other in zip(rates["unibody"], rates[name], strict=False)]
    return f"{text}   ours is {median(ratios):.2f} x"
