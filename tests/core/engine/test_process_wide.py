"""What a process has one of is made once, though several threads ask for it at once."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor

from tests.support.process import run_python
from unibody.core.engine.process_wide import made_once

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
import threading
import unibody.bullet as p
from unibody.core.engine.rows import cpu

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
