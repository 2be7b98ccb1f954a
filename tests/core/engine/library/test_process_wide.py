"""What a process has one of is made once, though several threads ask for it at once."""

from __future__ import annotations

import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.support.process import run_python
from unibody.core.engine.library.process_wide import made_once

THREADS = 4


def test_threads_that_ask_at_once_get_the_same_thing() -> None:
    made: list[object] = []
    barrier = threading.Barrier(THREADS)

    def make() -> object:
        time.sleep(0.02)
        made.append(object())
        return made[-1]

    get = made_once(make)

    def ask(_: int) -> object:
        barrier.wait()
        return get()

    with ThreadPoolExecutor(THREADS) as pool:
        found = list(pool.map(ask, range(THREADS)))
    assert made == [found[0]]
    assert found == [found[0]] * THREADS


def test_a_failure_is_not_kept() -> None:
    answers = iter([ValueError("not yet"), 7])

    def make() -> int:
        answer = next(answers)
        if isinstance(answer, Exception):
            raise answer
        return answer

    get = made_once(make)
    try:
        get()
    except ValueError:
        assert get() == 7


# The first worlds of a process, made by two threads at once; then one more, alone.
TWO_WORLDS = """
import os
import threading
import unibody.bullet as p
from unibody.core.engine.rules import callbacks

def run(client, out):
    box = p.createCollisionShape(p.GEOM_BOX, halfExtents=[0.1] * 3, physicsClientId=client)
    p.createMultiBody(0, box, physicsClientId=client)
    body = p.createMultiBody(1, box, -1, [0, 0, 0.3], physicsClientId=client)
    p.changeDynamics(body, -1, restitution=0.5, physicsClientId=client)
    p.changeDynamics(0, -1, restitution=1.0, physicsClientId=client)
    p.setGravity(0, 0, -10, physicsClientId=client)
    for _ in range(200):
        p.stepSimulation(physicsClientId=client)
    out.append(p.getBasePositionAndOrientation(body, physicsClientId=client))

outs, clients = [[], [], []], [p.connect(p.DIRECT) for _ in range(3)]
threads = [threading.Thread(target=run, args=pair) for pair in list(zip(clients, outs))[:2]]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
run(clients[2], outs[2])
print(outs[0] == outs[1] == outs[2] != [])
"""


def test_the_first_worlds_of_two_threads_move_as_any_other() -> None:
    for _ in range(3):
        result = run_python(["-c", TWO_WORLDS])
        assert result.stdout.split() == ["True"], result.stderr


# A thread makes what the process has one of; the main thread forks in the middle of it.
FORK_WHILE_MAKING = """
import os, signal, threading, time
from unibody.core.engine.library.process_wide import made_once

begun = threading.Event()

def make():
    begun.set()
    time.sleep(0.3)
    return 7

get = made_once(make)
thread = threading.Thread(target=get)
thread.start()
begun.wait()
child = os.fork()
if child == 0:
    signal.alarm(20)  # a child that waits for ever ends by it
    os._exit(0 if get() == 7 else 1)
thread.join()
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), get())
"""

# The same with the first calls of the PyBullet surface, at several moments of them.
FORK_WHILE_CALLING = """
import os, signal, threading, time
import unibody.bullet as p

def first_calls():
    client = p.connect(p.DIRECT)
    shape = p.createCollisionShape(p.GEOM_BOX, halfExtents=[0.1] * 3, physicsClientId=client)
    p.createMultiBody(1, shape, physicsClientId=client)
    p.stepSimulation(physicsClientId=client)
    p.getClosestPoints(0, 0, 1.0, physicsClientId=client)
    p.rayTest((0, 0, 1), (0, 0, -1), physicsClientId=client)

threads = [threading.Thread(target=first_calls) for _ in range(2)]
for thread in threads:
    thread.start()
children = []
for _ in range(8):
    time.sleep(0.02)
    child = os.fork()
    if child == 0:
        signal.alarm(60)
        first_calls()
        os._exit(0)
    children.append(child)
for thread in threads:
    thread.join()
print(*[os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children])
"""

# A thread that holds such a lock waits for the one that forks.
FORK_WHILE_WAITED_FOR = """
import os, signal, threading
from unibody.machine_code import forks

forks.PATIENCE = 0.2
lock, begun, forked = forks.fork_safe_lock(), threading.Event(), threading.Event()

def hold():
    with lock:
        begun.set()
        forked.wait()

thread = threading.Thread(target=hold)
thread.start()
begun.wait()
child = os.fork()
if child == 0:
    signal.alarm(20)
    with lock:
        os._exit(0)
forked.set()
thread.join()
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), lock.acquire(blocking=False))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no forks here")
@pytest.mark.parametrize(
    ("program", "printed"),
    [
        (FORK_WHILE_MAKING, ["0", "7"]),
        (FORK_WHILE_CALLING, ["0"] * 8),
        (FORK_WHILE_WAITED_FOR, ["0", "True"]),
    ],
    ids=["making", "calling", "waited for"],
)
def test_a_process_that_is_forked_while_other_threads_begin_goes_on(
    program: str, printed: list[str]
) -> None:
    result = run_python(["-W", "ignore", "-c", program])
    assert result.stdout.split() == printed, result.stderr
