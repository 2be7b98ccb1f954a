"""Pictures of a scene in which something has moved since the last one."""

from __future__ import annotations

import math
from typing import Any

from benchmarks.bullet.registry import Module, Prepared, work

FAMILY = "Cameras"
PICTURES = 10
SIZES = ((84, 84), (320, 240), (640, 480))
WORLDS = 64


def _camera(p: Module, width: int, height: int) -> tuple[object, object]:
    view = p.computeViewMatrix((1.6, 1.4, 1.3), (0.3, 0.0, 0.4), (0.0, 0.0, 1.0))
    return view, p.computeProjectionMatrixFOV(60.0, width / height, 0.02, 10.0)


def _robots(p: Module) -> int:
    """An arm, a rolling robot and a table on a chequered plane; return the arm."""
    p.loadURDF("plane.urdf")
    arm = p.loadURDF("kuka_iiwa/model.urdf", useFixedBase=True)
    p.loadURDF("r2d2.urdf", (0.8, -0.6, 0.5))
    p.loadURDF("table/table.urdf", (-0.8, -0.8, 0.0))
    return arm


def _pictures(p: Module, size: tuple[int, int], **more: object) -> Prepared:
    arm = _robots(p)
    matrices = _camera(p, *size)
    count = [0]

    def chunk() -> None:
        for _ in range(PICTURES):
            count[0] += 1
            p.resetJointState(arm, 1, 0.5 * math.sin(0.1 * count[0]))
            p.getCameraImage(*size, *matrices, renderer=p.ER_TINY_RENDERER, **more)

    return Prepared(chunk, PICTURES)


def _register(size: tuple[int, int], shadow: int) -> None:
    width, height = size
    name = f"camera_{width}x{height}" + ("_shadow" if shadow else "")
    title = f"getCameraImage {width}x{height}" + (" with shadows" if shadow else "")

    @work(name, FAMILY, f"{title}: arm, r2d2, table, plane", "ms/image")
    def prepare(p: Module) -> Prepared:
        """Colours, depth and segmentation."""
        return _pictures(p, size, shadow=shadow)


for _size in SIZES:
    _register(_size, 0)
_register(SIZES[1], 1)


def _bend(p: Module, arms: list[tuple[int, int]], count: int) -> None:
    for client, arm in arms:
        p.resetJointState(arm, 1, 0.5 * math.sin(0.1 * count + client), physicsClientId=client)


def _world(p: Module) -> tuple[int, int]:
    """A client with an arm on a chequered plane, and the arm."""
    import pybullet_data

    client = p.connect(p.DIRECT)
    p.setAdditionalSearchPath(pybullet_data.getDataPath(), physicsClientId=client)
    p.loadURDF("plane.urdf", physicsClientId=client)
    arm = p.loadURDF("kuka_iiwa/model.urdf", useFixedBase=True, physicsClientId=client)
    return client, arm


@work("camera_64_worlds", FAMILY, f"{WORLDS} worlds with an arm, 64x64 each", "images/s")
def prepare_worlds(p: Module) -> Prepared:
    """PyBullet takes one picture after the other, unibody all in one call; poses are read anew."""
    arms = [_world(p) for _ in range(WORLDS)]
    matrices = _camera(p, 64, 64)
    count = [0]
    take = _in_one_call(arms, matrices) if p.__name__.startswith("unibody") else None

    def chunk() -> None:
        count[0] += 1
        _bend(p, arms, count[0])
        if take is not None:
            take()
            return
        for client, _ in arms:
            p.getCameraImage(64, 64, *matrices, renderer=p.ER_TINY_RENDERER, physicsClientId=client)

    return Prepared(chunk, WORLDS)


def _in_one_call(arms: list[tuple[int, int]], matrices: tuple[object, object]) -> Any:
    import numpy as np

    from unibody.bullet.cameras.stage import CameraState
    from unibody.bullet.clients.registry import get_client
    from unibody.core.render.backends import make_batch_renderer
    from unibody.core.render.batch import Shot
    from unibody.core.render.camera import Camera, Frames

    studios = [CameraState(get_client(client)) for client, _ in arms]
    view, projection = (np.reshape(np.asarray(m), (4, 4)).T for m in matrices)
    shots = [Shot(Camera(64, 64, view, projection), world) for world in range(len(arms))]
    renderer = make_batch_renderer()

    def take() -> None:
        found = [cameras.refresh() for cameras in studios]
        frames = Frames(
            np.stack([each.positions for each in found]), np.stack([each.quats for each in found])
        )
        renderer.render(studios[0].stage, shots, frames)

    return take
