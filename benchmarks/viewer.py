"""Frames of the viewer's page: `python -m benchmarks.viewer [--page]`.

For 1000 boxes that all move, and for 20 robots of 50 links: what a frame costs the script's
process, and how many leave it a second. With ``--page``, Chromium (driven by Playwright) has the
page open, and how often it draws is counted as well.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import threading
import time
from collections.abc import Callable
from typing import Any

SECONDS = 8.0  # of one measurement
SETTLING = 15.0  # s before it, with a page
FLAGS = ["--no-sandbox", "--enable-webgl", "--ignore-gpu-blocklist", "--enable-unsafe-swiftshader"]
COUNT = (
    "window.frames_drawn = 0; const f = () => { frames_drawn++; requestAnimationFrame(f); }; f()"
)


def boxes(p: Any) -> None:
    """1000 boxes that drift and turn."""
    half = [0.1] * 3
    shape = p.createCollisionShape(p.GEOM_BOX, halfExtents=half)
    look = p.createVisualShape(p.GEOM_BOX, halfExtents=half, rgbaColor=[1, 0.5, 0.2, 1])
    for number in range(1000):
        place = [0.4 * (number % 10), 0.4 * (number // 10 % 10), 0.4 * (number // 100)]
        body = p.createMultiBody(1.0, shape, look, place)
        p.resetBaseVelocity(body, [0.0, 0.0, 0.01], [0.1 * (number % 7), 0.3, 0.2])


def chains(p: Any) -> None:
    """20 robots of 50 links, every joint turning."""
    look = p.createVisualShape(p.GEOM_BOX, halfExtents=[0.05] * 3)
    n = 50
    for number in range(20):
        robot = p.createMultiBody(
            1.0, -1, look, [0.0, 0.4 * number, 0.0], linkMasses=[1.0] * n,
            linkCollisionShapeIndices=[-1] * n, linkVisualShapeIndices=[look] * n,
            linkPositions=[[0.12, 0.0, 0.0]] * n, linkOrientations=[[0, 0, 0, 1]] * n,
            linkInertialFramePositions=[[0, 0, 0]] * n, linkParentIndices=list(range(n)),
            linkInertialFrameOrientations=[[0, 0, 0, 1]] * n,
            linkJointTypes=[p.JOINT_REVOLUTE] * n, linkJointAxis=[[0, 0, 1]] * n,
        )  # fmt: skip
        for joint in range(n):
            p.setJointMotorControl2(robot, joint, p.VELOCITY_CONTROL, targetVelocity=0.2, force=9)


def measure(build: Callable[[Any], None], *, page: bool) -> str:
    """Build a world with its page, step it at 60 Hz, and say what its frames cost."""
    import unibody.bullet as p
    from unibody.bullet.clients.registry import find_client

    client = p.connect(p.GUI)
    window: Any = find_client(client).window
    p.setGravity(0.0, 0.0, 0.0)
    build(p)
    p.resetDebugVisualizerCamera(4.6, 45.0, -30.0, [2.0, 2.0, 1.0])
    costs: list[tuple[float, float]] = []
    paint = window._paint_frame

    def timed() -> None:
        start, begun = time.thread_time(), time.perf_counter()
        paint()
        costs.append((begun, time.thread_time() - start))

    window._paint_frame = timed
    drawn: list[float] = []
    if page:
        watcher = threading.Thread(target=_watch, args=(window.viewer.url, drawn))
        watcher.start()
        going = watcher.is_alive
    else:
        type(window.viewer).watched = property(lambda _self: True)
        end = time.monotonic() + SECONDS + 1.0
        going = lambda: time.monotonic() < end  # noqa: E731
    while going():
        p.stepSimulation()
        time.sleep(1.0 / 60.0)
    p.disconnect(client)
    last = costs[-1][0]
    recent = [cost for begun, cost in costs if last - SECONDS <= begun]
    text = (
        f"{len(recent) / SECONDS:.1f} frames/s sent, {1e3 * statistics.median(recent):.2f} ms each"
    )
    return text + (f"; page drew {drawn[0]:.1f} a second" if drawn else "")


def _watch(url: str, drawn: list[float]) -> None:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        program = shutil.which("chromium") or shutil.which("google-chrome")
        browser = driver.chromium.launch(executable_path=program, args=FLAGS)
        page = browser.new_page(viewport={"width": 800, "height": 600})
        page.add_init_script(COUNT)
        page.goto(url)
        time.sleep(SETTLING)
        before = page.evaluate("[frames_drawn, performance.now()]")
        time.sleep(SECONDS)
        after = page.evaluate("[frames_drawn, performance.now()]")
        drawn.append(1e3 * (after[0] - before[0]) / (after[1] - before[1]))
        browser.close()


def main() -> None:
    """Measure both worlds and print a line for each."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.viewer", description=__doc__)
    parser.add_argument("--page", action="store_true", help="open the page in Chromium")
    options = parser.parse_args()
    os.environ["UNIBODY_VIEWER"] = "on"
    for name, build in (("1000 boxes", boxes), ("20 robots of 50 links", chains)):
        print(f"{name}: {measure(build, page=options.page)}", flush=True)


if __name__ == "__main__":
    main()
