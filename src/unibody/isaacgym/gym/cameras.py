"""Methods of ``Gym``: cameras of environments, their images, and the lights."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from unibody.errors import InvalidArgumentError
from unibody.isaacgym import handles
from unibody.isaacgym.convert import to_pose
from unibody.isaacgym.gym.checks import (
    body_of,
    env_of,
    index_of,
    sim_of,
    text_of,
    transform_of,
    vector_of,
)
from unibody.isaacgym.types.enums import CameraFollowMode, ImageType, UpAxis
from unibody.isaacgym.types.fields import to_choice, to_int
from unibody.isaacgym.types.poses import Transform
from unibody.isaacgym.types.rotations import Quat
from unibody.isaacgym.types.tensors import Tensor
from unibody.isaacgym.types.vectors import Vec3
from unibody.isaacgym.types.viewing import CameraProperties

if TYPE_CHECKING:
    from unibody.isaacgym.batch.simulation import Simulation
    from unibody.isaacgym.cameras.poses import Pose
    from unibody.isaacgym.cameras.sensor import CameraSensor
    from unibody.isaacgym.cameras.studio import Studio

VIEWER_CAMERA = 2**30
"""Handle of the viewer's camera; those of an environment count from 0."""


class CameraCalls:
    """Cameras."""

    def create_camera_sensor(self, arg0: handles.Env, arg1: CameraProperties) -> int:
        """Add a camera to an environment; it sees that environment only.

        It is at the environment's origin and looks along x, until it is placed.

        Returns:
            Its handle in the environment.

        Raises:
            InvalidArgumentError: A property is out of its range.
        """
        from unibody.isaacgym.cameras.optics import checked
        from unibody.isaacgym.cameras.sensor import CameraSensor

        env = env_of(arg0)
        sensor = CameraSensor(env, checked(arg1))
        handle = 1 + max(env.cameras, default=-1)
        env.cameras[handle] = sensor
        return handle

    def destroy_camera_sensor(self, arg0: handles.Sim, arg1: handles.Env, arg2: int) -> None:
        """Remove a camera; tensors of its images keep what they show."""
        camera_of(arg0, arg1, arg2)
        del env_of(arg1).cameras[arg2]

    def get_sensor(self, arg0: handles.Env, arg1: int) -> int:
        """Return the handle of a camera by its number among those of the environment."""
        cameras = sorted(env_of(arg0).cameras)
        return cameras[index_of("sensor index", arg1, len(cameras))]

    # --- poses ---------------------------------------------------------------------------------

    def set_camera_location(self, arg0: int, arg1: handles.Env, arg2: Vec3, arg3: Vec3) -> None:
        """Place a camera and let it look at a target, in the environment's frame [m].

        A camera that followed a body no longer does.
        """
        from unibody.isaacgym.cameras.optics import looking
        from unibody.isaacgym.cameras.poses import Pose

        sensor = _placeable(arg1, arg0)
        position, target = _numbers("position", arg2), _numbers("target", arg3)
        rotation = looking(position, target, up_axis(sensor.sim))
        sensor.follow = None
        sensor.placed = Pose(position, rotation)
        _shift(sensor, arg1)

    def set_camera_transform(self, arg0: int, arg1: handles.Env, arg2: Transform) -> None:
        """Set a camera's pose: x forward, y left, z up.

        It is that from the body which the camera follows, else that in the environment.
        """
        sensor = _placeable(arg1, arg0)
        pose = _pose("transform", arg2)
        if sensor.follow is None:
            sensor.placed = pose
            _shift(sensor, arg1)
        else:
            sensor.offset = pose

    def attach_camera_to_body(
        self, arg0: int, arg1: handles.Env, arg2: int, arg3: Transform, arg4: CameraFollowMode
    ) -> None:
        """Let a camera follow a body.

        Args:
            arg0: The camera.
            arg1: Its environment.
            arg2: Handle of the body in the environment.
            arg3: Pose of the camera from the body.
            arg4: ``FOLLOW_TRANSFORM``: it turns with the body. ``FOLLOW_POSITION``: it keeps the
                distance of ``arg3`` and its orientation in the axes of the environment.
        """
        from unibody.isaacgym.cameras.poses import Follow

        sensor = _placeable(arg1, arg0)
        actor, body = body_of(arg1, arg2)
        offset = _pose("transform", arg3)
        allowed = "gymapi.FOLLOW_POSITION or gymapi.FOLLOW_TRANSFORM"
        mode = to_choice("follow mode", arg4, CameraFollowMode, allowed)
        sensor.follow, sensor.offset = Follow(actor, body, mode), offset

    def get_camera_transform(self, arg0: handles.Sim, arg1: handles.Env, arg2: int) -> Transform:
        """Return a camera's pose in the environment's frame: x forward, y left, z up."""
        sensor = camera_of(arg0, arg1, arg2)
        position, rotation = sensor.pose()
        if arg2 == VIEWER_CAMERA and arg1 is not None:
            position = position - origin_of(arg1)
        return transform_from(position, rotation)

    def get_camera_view_matrix(
        self, arg0: handles.Sim, arg1: handles.Env, arg2: int
    ) -> npt.NDArray[np.float32]:
        """Return the matrix from the simulation's frame to that of the image (x right, y up).

        It acts on rows: ``[x, y, z, 1] @ view``; z is negative in front of the camera.
        """
        return camera_of(arg0, arg1, arg2).view().T.astype(np.float32)

    def get_camera_proj_matrix(
        self, arg0: handles.Sim, arg1: handles.Env, arg2: int
    ) -> npt.NDArray[np.float32]:
        """Return the matrix from the image's frame to clip coordinates, acting on rows.

        A pixel's middle ``(column, row)`` at depth ``d`` (negative) shows the point
        ``(-d (2 column / width - 1) / proj[0, 0], d (2 row / height - 1) / proj[1, 1], d)`` of the
        image's frame.
        """
        from unibody.isaacgym.cameras.optics import row_projection

        return row_projection(camera_of(arg0, arg1, arg2).properties)

    # --- images --------------------------------------------------------------------------------

    def step_graphics(self, arg0: handles.Sim) -> None:
        """Do nothing more: images always show the state there is when they are taken."""
        sim_of(arg0)

    def render_all_camera_sensors(self, arg0: handles.Sim) -> None:
        """Take the pictures of all cameras.

        Images that scripts hold tensors of, or have asked for before, are drawn at once, on all
        cores; others when they are asked for.
        """
        sim = sim_of(arg0)
        cameras = [sensor for env in sim.envs for sensor in env.cameras.values()]
        if cameras:
            sim.build()
            with sim.clock.measure("graphics_sensor_rendering"):
                studio_of(sim).render(cameras)

    def get_camera_image(
        self, arg0: handles.Sim, arg1: handles.Env, arg2: int, arg3: ImageType
    ) -> npt.NDArray[Any]:
        """Return an image as of the last ``render_all_camera_sensors``.

        Returns:
            A copy. Colour: red, green, blue and 255 of each pixel, uint8 (height, width * 4).
            Depth: minus the distance along the axis of view [m], -inf where nothing is, float32
            (height, width). Segmentation: numbers of bodies, 0 where nothing is, uint32 (height,
            width). Optical flow: how far what is seen has moved since the rendering before, right
            in widths and down in heights of the image times 2^15, int16 (height, width * 2).
        """
        sensor, kind = camera_of(arg0, arg1, arg2), _kind(arg3)
        image = drawn(sim_of(arg0), sensor, kind)
        if kind is ImageType.IMAGE_SEGMENTATION:
            return image.astype(np.uint32)
        return image.reshape(image.shape[0], -1).copy()

    def get_camera_image_gpu_tensor(
        self, arg0: handles.Sim, arg1: handles.Env, arg2: int, arg3: ImageType
    ) -> Tensor:
        """Return an image as a tensor that every ``render_all_camera_sensors`` writes anew.

        Until the next one it shows the last rendering. It is on the GPU where the worlds are, else
        in host memory. Colour (height, width, 4), uint8; depth (height, width), float32;
        segmentation (height, width), int32; optical flow (height, width, 2), int16.

        Raises:
            InvalidArgumentError: The camera was made without ``enable_tensors``.
        """
        sim, sensor, kind = sim_of(arg0), camera_of(arg0, arg1, arg2), _kind(arg3)
        if not sensor.properties.enable_tensors:
            raise InvalidArgumentError(
                "camera", arg2, "one that was made with CameraProperties.enable_tensors = True"
            )
        tensor = sensor.tensor(kind, sim.device)
        drawn(sim, sensor, kind)
        return Tensor.of(tensor)

    def start_access_image_tensors(self, arg0: handles.Sim) -> None:
        """Do nothing: tensors of images can be read at any time."""
        sim_of(arg0)

    def end_access_image_tensors(self, arg0: handles.Sim) -> None:
        """Do nothing: tensors of images can be read at any time."""
        sim_of(arg0)

    def write_camera_image_to_file(
        self, arg0: handles.Sim, arg1: handles.Env, arg2: int, arg3: ImageType, arg4: str
    ) -> None:
        """Write an image to a file, of the format that its name ends with.

        Depth is written in millimetres and segmentation as it is, both as 16-bit grey: 65535 is
        farther than 65.5 m, or nothing.

        Raises:
            InvalidArgumentError: The file cannot be written, or the format is not known.
            NotSupportedError: It is an optical flow.
        """
        from unibody.isaacgym.cameras.files import write_image

        sensor, kind = camera_of(arg0, arg1, arg2), _kind(arg3)
        file = text_of("filename", arg4)
        write_image(file, kind, drawn(sim_of(arg0), sensor, kind))

    def set_light_parameters(
        self, arg0: handles.Sim, arg1: int, arg2: Vec3, arg3: Vec3, arg4: Vec3
    ) -> None:
        """Set one of four lights.

        Args:
            arg0: The simulation.
            arg1: Number of the light, from 0; at first only the first one shines.
            arg2: Red, green and blue of what shines from its direction.
            arg3: Red, green and blue of what shines from everywhere.
            arg4: Direction to the light; without a length it shines from everywhere only.
        """
        from unibody.isaacgym.cameras.studio import LIGHTS

        sim = sim_of(arg0)
        number = index_of("light index", arg1, LIGHTS)
        color, ambient, direction = (
            (vector.x, vector.y, vector.z)
            for vector in (
                vector_of("intensity", arg2),
                vector_of("ambient", arg3),
                vector_of("direction", arg4),
            )
        )
        studio_of(sim).set_light(number, color, ambient, direction)


def camera_of(sim: Any, env: Any, handle: Any) -> CameraSensor:
    """Return a camera of an environment, or the viewer's.

    Raises:
        InvalidArgumentError: There is no such camera, or the environment is of another simulation.
    """
    found, number = sim_of(sim), to_int("camera", handle)
    if number == VIEWER_CAMERA and found.viewer is not None:
        return found.viewer.camera
    place = env_of(env)
    if place.sim is not found:
        raise InvalidArgumentError("env", env, "an environment of this simulation")
    return _camera(place, number)


def _camera(env: Any, number: int) -> CameraSensor:
    if number not in env.cameras:
        raise InvalidArgumentError("camera", number, f"one of {sorted(env.cameras)}")
    return env.cameras[number]


def _placeable(env: Any, handle: Any) -> CameraSensor:
    place, number = env_of(env), to_int("camera", handle)
    if number == VIEWER_CAMERA and place.sim.viewer is not None:
        return place.sim.viewer.camera
    return _camera(place, number)


def _shift(sensor: CameraSensor, env: Any) -> None:
    """Bring the viewer's camera from an environment's frame, it lives in the simulation's."""
    if sensor.env is not env:
        position, rotation = sensor.placed
        sensor.placed = sensor.placed._replace(
            position=position + origin_of(env), rotation=rotation
        )


def origin_of(env: Any) -> npt.NDArray[np.float64]:
    """Of an environment's frame, in the simulation's [m]."""
    origin = env_of(env).origin
    return np.array([origin.x, origin.y, origin.z])


def studio_of(sim: Simulation) -> Studio:
    """Return what takes pictures of a simulation."""
    if sim.studio is None:
        from unibody.isaacgym.cameras.studio import Studio

        sim.studio = Studio(sim)
    return sim.studio


def drawn(sim: Simulation, sensor: CameraSensor, kind: ImageType) -> npt.NDArray[Any]:
    """An image of the last rendering; drawn with every one from now on.

    The viewer's camera shows what there is to see now.
    """
    if sim.viewer is not None and sensor is sim.viewer.camera:
        sim.viewer.take()
    if sensor.taken is not None and kind not in sensor.drawn:
        with sim.clock.measure("graphics_image_retrieval"):
            studio_of(sim).draw([(sensor, {kind})])
    sensor.wanted.add(kind)
    return sensor.image(kind)


def up_axis(sim: Simulation) -> npt.NDArray[np.float64]:
    """The direction up, (3,)."""
    return np.eye(3)[1 if sim.params.up_axis == UpAxis.UP_AXIS_Y else 2]


def transform_from(position: Any, rotation: Any) -> Transform:
    """A pose as scripts get it."""
    from unibody.isaacgym.cameras.poses import quat_of

    x, y, z, w = quat_of(rotation)
    return Transform(Vec3(*(float(value) for value in position)), Quat(x, y, z, w))


def _pose(name: str, value: Any) -> Pose:
    from unibody.core.assets.rotations import rotations
    from unibody.isaacgym.cameras.poses import Pose

    position, quat = to_pose(transform_of(name, value))
    if not (np.isfinite(position).all() and np.isfinite(quat).all()):
        raise InvalidArgumentError(name, value, "finite numbers")
    return Pose(np.asarray(position, float), rotations(quat))


def _numbers(name: str, value: Any) -> npt.NDArray[np.float64]:
    vector = vector_of(name, value)
    numbers = np.array([vector.x, vector.y, vector.z])
    if not np.isfinite(numbers).all():
        raise InvalidArgumentError(name, value, "finite numbers")
    return numbers


def _kind(value: Any) -> ImageType:
    return to_choice("image type", value, ImageType, "a gymapi.IMAGE_*")
