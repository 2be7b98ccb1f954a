"""Threads of a script may all use the module."""

from __future__ import annotations

import subprocess
import sys

_CONNECTING = """
import threading
import unibody.bullet as p

together = threading.Barrier(4)
heights = {}

def fall(number):
    together.wait()
    client = p.connect(p.DIRECT)
    p.setGravity(0, 0, -10, physicsClientId=client)
    shape = p.createCollisionShape(p.GEOM_SPHERE, radius=0.1, physicsClientId=client)
    ball = p.createMultiBody(1.0, shape, basePosition=[0, 0, number], physicsClientId=client)
    for _ in range(24):
        p.stepSimulation(physicsClientId=client)
    position, _ = p.getBasePositionAndOrientation(ball, physicsClientId=client)
    heights[number] = round(number - position[2], 3)  # half g t squared
    p.disconnect(client)

threads = [threading.Thread(target=fall, args=(number,)) for number in range(1, 5)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(sorted(heights.items()))
"""


def test_the_first_clients_of_a_process_may_connect_at_the_same_time_in_several_threads() -> None:
    run = _run(_CONNECTING)
    assert "Traceback" not in run.stderr
    assert run.stdout.strip() == str([(number, 0.052) for number in range(1, 5)])


_SHARING = """
import threading, time
import unibody.bullet as p

p.connect(p.DIRECT)
p.setGravity(0, 0, -10)
p.createMultiBody(0.0, p.createCollisionShape(p.GEOM_PLANE))
shape = p.createCollisionShape(p.GEOM_SPHERE, radius=0.5)
ball = p.createMultiBody(1.0, shape, basePosition=[0, 0, 2])
p.stepSimulation()
over, steps = threading.Event(), [0]

def step():
    while not over.is_set():
        p.stepSimulation()
        steps[0] += 1

stepping = threading.Thread(target=step)
stepping.start()
while not steps[0]:
    time.sleep(0.001)
for number in range(400):
    p.getBasePositionAndOrientation(ball)
    p.getContactPoints()
    p.applyExternalForce(ball, -1, [0, 0, 1], [0, 0, 0], p.LINK_FRAME)
    p.resetBaseVelocity(ball, [0, 0, 0])
    if number % 40 == 0:
        p.createMultiBody(1.0, shape, basePosition=[2 * number, 0, 2])
over.set()
stepping.join()
print(p.getNumBodies(), steps[0] > 10)
p.disconnect()
"""


def _run(program: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", program]
    return subprocess.run(command, check=False, capture_output=True, text=True, timeout=300)


def test_one_thread_may_step_a_world_while_another_changes_it_and_asks_about_it() -> None:
    run = _run(_SHARING)
    assert "Traceback" not in run.stderr
    assert run.stdout.strip() == "12 True"


_SELDOM = """
import threading, time
import unibody.bullet as p

p.connect(p.DIRECT)
shape = p.createCollisionShape(p.GEOM_SPHERE, radius=0.1)
ball = p.createMultiBody(1.0, shape)
over, calls = threading.Event(), [0]

def call():
    while not over.is_set():
        body = p.createMultiBody(1.0, shape, basePosition=[1, 0, 0])
        p.stepSimulation()
        p.removeBody(body)
        calls[0] += 3

calling = threading.Thread(target=call)
calling.start()
counts = set()
for number in range(1, 4):
    while calls[0] < 6000 * number:
        time.sleep(0.001)
    for _ in range(20):
        p.getBasePositionAndOrientation(ball)
        counts.add(p.getNumBodies() in (1, 2))
over.set()
calling.join()
print(p.getNumBodies(), counts)
p.disconnect()
"""


def test_a_thread_that_calls_seldom_meets_no_call_of_another_half_done() -> None:
    run = _run(_SELDOM)
    assert "Traceback" not in run.stderr
    assert run.stdout.strip() == "1 {True}"


_AGAIN = """
import threading
import unibody.bullet as p

for _ in range(3):
    client = p.connect(p.DIRECT)
    p.stepSimulation()
    p.disconnect(client)
client = p.connect(p.DIRECT)
calling = threading.Thread(target=lambda: print(p.getNumBodies(client)), daemon=True)
calling.start()
calling.join(30)
p.disconnect(client)
"""


def test_a_thread_may_call_in_a_world_that_is_not_the_first_of_its_process() -> None:
    run = _run(_AGAIN)
    assert run.stdout.strip() == "0", run.stderr
