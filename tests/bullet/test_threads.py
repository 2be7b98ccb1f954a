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
    command = [sys.executable, "-c", _CONNECTING]
    run = subprocess.run(command, check=False, capture_output=True, text=True, timeout=300)
    assert "Traceback" not in run.stderr
    assert run.stdout.strip() == str([(number, 0.052) for number in range(1, 5)])
