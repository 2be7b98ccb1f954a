"""Boxes of one metre before cameras of 64 x 48 pixels."""

from __future__ import annotations

from typing import Any

from unibody.isaacgym import gymapi

WIDTH, HEIGHT = 64, 48
FAR_BOX = 2.5  # m from the camera to the box's middle
NEAR = 2.0  # m to the face of the box, whose edge is 1 m


def new_env(gym: Any, sim: Any, edge: float = 2.0) -> Any:
    return gym.create_env(sim, gymapi.Vec3(-edge, -edge, 0), gymapi.Vec3(edge, edge, edge), 4)


def add_box(gym: Any, sim: Any, env: Any, segmentation: int = 7, **where: float) -> int:
    options = gymapi.AssetOptions()
    options.disable_gravity = True
    asset = gym.create_box(sim, 1.0, 1.0, 1.0, options)
    place = gymapi.Vec3(where.get("x", 0.0), where.get("y", 0.0), where.get("z", 0.0))
    return gym.create_actor(env, asset, gymapi.Transform(place), "box", 0, 0, segmentation)


def camera(gym: Any, env: Any, **properties: Any) -> int:
    """A camera 2.5 m before the origin that looks along x."""
    wanted = gymapi.CameraProperties()
    wanted.width, wanted.height = WIDTH, HEIGHT
    for name, value in properties.items():
        setattr(wanted, name, value)
    handle = gym.create_camera_sensor(env, wanted)
    gym.set_camera_location(handle, env, gymapi.Vec3(-FAR_BOX, 0, 0), gymapi.Vec3(0, 0, 0))
    return handle


def image(gym: Any, sim: Any, env: Any, handle: int, kind: Any) -> Any:
    gym.step_graphics(sim)
    gym.render_all_camera_sensors(sim)
    return gym.get_camera_image(sim, env, handle, kind)
