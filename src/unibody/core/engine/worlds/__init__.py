"""Many worlds of one scene, with the world as the first axis of every array."""

from __future__ import annotations

from unibody.core.engine.scene.scene import Scene
from unibody.core.engine.worlds.base import Worlds
from unibody.errors import InvalidArgumentError

__all__ = ["Worlds", "make_worlds"]


def make_worlds(scene: Scene, count: int, *, device: str = "cpu", threads: int = 0) -> Worlds:
    """Replicate a scene.

    Args:
        scene: What every world starts as; it is compiled now, and not changed.
        count: Number of worlds.
        device: ``"cpu"`` (MuJoCo's thread pool, float64), or a Warp device such as ``"cuda:0"``
            (mujoco-warp, float32). ``"warp-cpu"`` runs the latter's code without a GPU.
        threads: Threads of ``"cpu"``; 0: all cores.

    Raises:
        InvalidArgumentError: The count is not positive, or there is no such device.
        NotSupportedError: The scene uses something the device cannot do.
    """
    if count < 1:
        raise InvalidArgumentError("count", count, "a positive number of worlds")
    if device == "cpu":
        from unibody.core.engine.worlds.cpu import CpuWorlds

        return CpuWorlds(scene, count, threads)
    from unibody.core.engine.worlds.warp import WarpWorlds

    return WarpWorlds(scene, count, device)


def make_host_worlds(scene: Scene, count: int, *, device: str = "cpu", threads: int = 0) -> Worlds:
    """Replicate a scene; see ``make_worlds``. Arrays are NumPy's in host memory on every device."""
    worlds = make_worlds(scene, count, device=device, threads=threads)
    if device == "cpu":
        return worlds
    from unibody.core.engine.worlds.host import HostWorlds

    return HostWorlds(worlds)
