"""``python -m benchmarks.server``: one world, four clients, one of them killed again and again.

Prints, as tables for docs/performance.md, the time of a call next to PyBullet's own
shared-memory server (its package has no TCP server), the calls of all clients together, and
what the server and the machine had in memory before and after. Ends with status 1 if a client
that was left alone met an error.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import socket
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

_CALLS = {
    "stepSimulation": "p.stepSimulation()",
    "getBasePositionAndOrientation": "p.getBasePositionAndOrientation(0)",
    "getJointStates (7 joints)": "p.getJointStates(0, range(7))",
    "setJointMotorControlArray (7)": (
        "p.setJointMotorControlArray(0, range(7), p.POSITION_CONTROL, [0.1] * 7)"
    ),
    "getLinkState": "p.getLinkState(0, 6)",
}
_KUKA = "kuka_iiwa/model.urdf"
_CLIENT = """
import json, sys, time
import {module} as p
import pybullet_data
client = p.connect({connection})
assert client >= 0, "no server"
p.setAdditionalSearchPath(pybullet_data.getDataPath())
calls = 0
def loop(seconds):
    global calls
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        p.stepSimulation()
        p.getJointStates(0, range(7))
        p.getBasePositionAndOrientation(0)
        calls += 3
"""
_TIMED = """
p.loadURDF({kuka!r}, useFixedBase=True)
seen = {{}}
for name, text in {calls!r}.items():
    call = eval("lambda: " + text)
    for _ in range(200):
        call()
    best = []
    for _ in range(5):
        begin = time.perf_counter()
        for _ in range(400):
            call()
        best.append((time.perf_counter() - begin) / 400 * 1e6)
    seen[name] = sorted(best)[2]
print(json.dumps(seen))
"""
_LOOP = """
loop({seconds})
print(json.dumps(calls))
"""
# A server of PyBullet that is ended from outside leaves a segment that later clients wait for.
_PYBULLET_SERVER = """
import pybullet as p, signal, time
p.connect(p.SHARED_MEMORY_SERVER)
told = []
signal.signal(signal.SIGTERM, lambda *_: told.append(True))
print("ready", flush=True)
while not told:
    time.sleep(0.001)
p.disconnect()
"""


@dataclass(frozen=True)
class _Place:
    """Where a server is: what it is started with, and how its clients connect."""

    name: str
    serve: tuple[str, ...]
    connect: str


def main() -> int:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(prog="benchmarks.server", description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--kill-every", type=float, default=5.0, metavar="SECONDS")
    arguments = parser.parse_args()
    _latency()
    port = _free_port()
    over_tcp = _Place("TCP", ("--tcp", f"localhost:{port}"), f'p.TCP, "localhost", {port}')
    by_key = _Place("SHARED_MEMORY", ("--shared-memory", "24602"), "p.SHARED_MEMORY, 24602")
    failed = [
        _endurance(place, arguments.seconds, arguments.kill_every) for place in (over_tcp, by_key)
    ]
    return int(any(failed))


def _latency() -> None:
    port = _free_port()
    columns: dict[str, dict[str, float]] = {
        "unibody, TCP": _timed(
            _serve("--tcp", f"localhost:{port}"),
            "unibody.bullet", f'p.TCP, "localhost", {port}',
        ),
        "unibody, SHARED_MEMORY": _timed(
            _serve("--shared-memory", "24601"), "unibody.bullet", "p.SHARED_MEMORY, 24601"
        ),
        "unibody, DIRECT": _timed(None, "unibody.bullet", "p.DIRECT"),
        "PyBullet, SHARED_MEMORY": _timed(
            _ready(_start(["-c", _PYBULLET_SERVER])), "pybullet", "p.SHARED_MEMORY"
        ),
    }  # fmt: skip
    print("| us a call | " + " | ".join(columns) + " |")
    print("|---|" + "---|" * len(columns))
    for name in _CALLS:
        print(f"| {name} | " + " | ".join(f"{c[name]:.1f}" for c in columns.values()) + " |")
    print()


def _timed(server: subprocess.Popen[str] | None, module: str, connection: str) -> dict[str, float]:
    try:
        program = _CLIENT.format(module=module, connection=connection)
        program += _TIMED.format(kuka=_KUKA, calls=_CALLS)
        client = _start(["-c", program])
        printed = client.communicate()[0].splitlines()
        return json.loads(next(line for line in printed if line.startswith("{")))
    finally:
        if server is not None:
            server.terminate()
            server.communicate()


def _endurance(place: _Place, seconds: float, kill_every: float) -> int:
    segments = _segments()
    server = _serve(*place.serve)
    head = _CLIENT.format(module="unibody.bullet", connection=place.connect)
    first = _start(["-c", f"{head}p.loadURDF({_KUKA!r}, useFixedBase=True)\n"])
    first.communicate()
    victim = _start(["-c", head + _LOOP.format(seconds=seconds)])
    clients = [_start(["-c", head + _LOOP.format(seconds=seconds)]) for _ in range(3)]
    time.sleep(min(5.0, seconds / 3))
    before, killed, end = _resident(server.pid), 0, time.monotonic() + seconds
    while time.monotonic() + kill_every < end and clients[0].poll() is None:
        time.sleep(kill_every)
        victim.send_signal(signal.SIGKILL)
        victim.communicate()
        killed += 1
        victim = _start(["-c", head + _LOOP.format(seconds=seconds)])
    calls = [int(client.communicate()[0] or -1) for client in clients]
    after = _resident(server.pid)
    victim.kill()
    victim.communicate()
    server.terminate()
    ended = server.wait(30)
    failed = [client.returncode for client in clients if client.returncode]
    print(f"{place.name}, {seconds:g} s, 4 clients, one killed {killed} times and restarted:")
    print(f"- clients with an error: {len(failed)}; the server ended with status {ended}")
    print(f"- {sum(calls) / seconds:.0f} calls a second, all clients that lived together")
    print(f"- median calls of a client {statistics.median(calls):.0f}, least {min(calls)}")
    print(f"- server memory {before / 1e6:.1f} MB -> {after / 1e6:.1f} MB")
    print(f"- shared-memory segments left: {len(_segments() - segments)}")
    return 1 if failed or ended else 0


def _serve(*where: str) -> subprocess.Popen[str]:
    return _ready(_start(["-m", "unibody", "serve", *where]))


def _ready(server: subprocess.Popen[str]) -> subprocess.Popen[str]:
    """A server, once it says that it is there."""
    for line in server.stdout or ():
        if line.startswith(("ready", "serving")):
            return server
    raise RuntimeError("the server ended")


def _start(arguments: list[str]) -> subprocess.Popen[str]:
    root = Path(__file__).resolve().parents[1]
    path = os.pathsep.join(filter(None, [str(root / "src"), os.environ.get("PYTHONPATH", "")]))
    return subprocess.Popen(
        [sys.executable, *arguments], env={**os.environ, "PYTHONPATH": path},
        stdout=subprocess.PIPE, text=True,
    )  # fmt: skip


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _resident(pid: int) -> float:
    """Memory of a process [bytes]."""
    text = Path(f"/proc/{pid}/status").read_text("utf-8")
    return 1024.0 * float(text.partition("VmRSS:")[2].split()[0])


def _segments() -> set[str]:
    """The shared-memory segments of the machine, of both kinds."""
    posix = os.listdir("/dev/shm")
    system_v = Path("/proc/sysvipc/shm").read_text("utf-8").splitlines()[1:]
    return {*posix, *(" ".join(line.split()[:2]) for line in system_v)}


if __name__ == "__main__":
    sys.exit(main())
