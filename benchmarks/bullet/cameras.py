"""Pictures of a scene in which something has moved since the last one."""

from __future__ import annotations

import math

from benchmarks.bullet.registry import Module, Prepared, work

FAMILY = "Cameras"
PICTURES = 10
SIZES = ((84, 84), (320, 240), (640, 480))


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
