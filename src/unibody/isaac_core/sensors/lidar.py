"""RotatingLidarPhysX: a lidar that turns, by rays against colliders."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np

from unibody.core.engine.kinematics.chain import rotation_matrix
from unibody.errors import InvalidArgumentError, NotSupportedError
from unibody.isaac_core.functions import prims as functions
from unibody.isaac_core.functions.types import Vector
from unibody.isaac_core.kit import app
from unibody.isaac_core.prims.base_sensor import BaseSensor
from unibody.isaac_core.sensors.beams import Beams, shown
from unibody.isaac_core.simulation.manager import simulation
from unibody.isaac_core.simulation.step_events import read_after_steps
from unibody.notices import tell_once

_FOV, _RESOLUTION, _RANGE, _FREQUENCY = (360.0, 10.0), (1.0, 1.0), (0.4, 2000.0), 20.0
_DATA = ("depth", "linear_depth", "zenith", "azimuth", "point_cloud")


class RotatingLidarPhysX(BaseSensor):
    """Measures distances to colliders around it, a part of the circle in each step.

    Args:
        prim_path: Of the sensor; it is made where nothing is.
        name: By which a scene finds it.
        rotation_frequency: Turns [1/s]; 0: the whole circle in each step.
        rotation_dt: Time of a turn [s], in its place.
        position: In the world.
        translation: To the parent.
        orientation: w, x, y, z; beams of azimuth 0 go along x.
        fov: Horizontal and vertical field of view [deg].
        resolution: Between beams, horizontally and vertically [deg].
        valid_range: Nearest and farthest distance [m].

    Raises:
        InvalidArgumentError: Both rotation_frequency and rotation_dt were given, or a number is
            out of its range.
    """

    def __init__(
        self,
        prim_path: str,
        name: str = "rotating_lidar_physX",
        rotation_frequency: float | None = None,
        rotation_dt: float | None = None,
        position: Vector | None = None,
        translation: Vector | None = None,
        orientation: Vector | None = None,
        fov: tuple[float, float] | None = None,
        resolution: tuple[float, float] | None = None,
        valid_range: tuple[float, float] | None = None,
    ) -> None:
        if rotation_frequency is not None and rotation_dt is not None:
            raise InvalidArgumentError("rotation_dt", rotation_dt, "None with rotation_frequency")
        if not functions.is_prim_path_valid(prim_path):
            functions.define_prim(prim_path)
        super().__init__(
            prim_path, name, position=position, translation=translation, orientation=orientation
        )
        self._fov, self._resolution, self._range = _FOV, _RESOLUTION, _RANGE
        self._frequency = _FREQUENCY
        if rotation_dt is not None:
            rotation_frequency = 1.0 / rotation_dt
        self.set_rotation_frequency(
            _FREQUENCY if rotation_frequency is None else rotation_frequency
        )
        self.set_fov(fov or _FOV)
        self.set_resolution(resolution or _RESOLUTION)
        self.set_valid_range(valid_range or _RANGE)
        self._paused = False
        self._wanted: list[str] = []
        self._beams: Beams | None = None
        self.post_reset()
        self._events = read_after_steps(self._read)

    def post_reset(self) -> None:
        """Begin a turn, and forget what was read."""
        self._next, self._columns, self._left = 0, 0, 0.0
        self._frame: dict[str, Any] = {"time": 0.0, "physics_step": 0}
        for name in self._wanted:
            self._frame[name] = None
        if self._beams is not None:
            self._beams.forget()

    def get_current_frame(self) -> dict[str, Any]:
        """What was read in the last step: columns by azimuth, rows by zenith."""
        return dict(self._frame)

    def _read(self, dt: float, *_: Any) -> None:
        if self._paused:
            return
        count = self.get_num_cols()
        self._left += count if not self._frequency else dt * self._frequency * count
        self._columns = min(int(self._left + 1e-9), count)
        self._left = 0.0 if not self._frequency else self._left - self._columns
        if not self._columns:
            return
        columns = (self._next + np.arange(self._columns)) % count
        self._next = int((self._next + self._columns) % count)
        azimuth = np.radians((columns - 0.5 * (count - 1)) * self._resolution[0])
        rows = self.get_num_rows()
        zenith = np.radians((np.arange(rows) - 0.5 * (rows - 1)) * self._resolution[1])
        self._frame |= {"time": simulation.time, "physics_step": simulation.steps}
        self._frame |= self._measured(columns, azimuth, zenith)

    def _measured(
        self, columns: np.ndarray, azimuth: np.ndarray, zenith: np.ndarray
    ) -> dict[str, Any]:
        flat, steep = np.meshgrid(azimuth, zenith, indexing="ij")
        beams = np.stack(
            [np.cos(steep) * np.cos(flat), np.cos(steep) * np.sin(flat), np.sin(steep)], -1
        ).reshape(-1, 3)
        utils = simulation.backend_utils()
        position, orientation = (utils.to_numpy(part) for part in self.get_world_pose())
        w, x, y, z = orientation.astype(float).tolist()
        turn = rotation_matrix((w, x, y, z))
        near, far = self._range
        directions = beams @ turn.T
        starts = np.asarray(position, float) + near * directions
        ends = np.asarray(position, float) + far * directions
        scene = importlib.import_module("unibody.isaac_core.physics").current()
        rays = importlib.import_module("unibody.isaac_core.physics.rays")
        hits = rays.cast(scene, starts, ends, str(self.prim_path))
        reach = near + hits.distances
        shape = (len(azimuth), len(zenith))
        if self._beams is not None:
            met = np.array([path != "" for path in hits.paths])
            places = np.where(met[:, None], hits.points, np.nan).reshape(*shape, 3)
            self._beams.note(self.get_num_cols(), columns, starts.reshape(*shape, 3), places)
        data = {
            "depth": np.round(reach / far * 65535.0).astype(np.uint16).reshape(shape),
            "linear_depth": reach.astype(np.float32).reshape(shape),
            "zenith": zenith.astype(np.float32),
            "azimuth": azimuth.astype(np.float32),
            "point_cloud": (beams * reach[:, None]).astype(np.float32).reshape(*shape, 3),
        }
        return {name: data[name] for name in self._wanted}

    def get_num_rows(self) -> int:
        """How many beams are above one another."""
        return max(1, int(self._fov[1] / self._resolution[1]))

    def get_num_cols(self) -> int:
        """How many directions a turn has."""
        return max(1, int(self._fov[0] / self._resolution[0]))

    def get_num_cols_in_last_step(self) -> int:
        """How many directions were looked at in the last step."""
        return self._columns

    def pause(self) -> None:
        """Read no more."""
        self._paused = True

    def resume(self) -> None:
        """Read again."""
        self._paused = False

    def is_paused(self) -> bool:
        """Whether it reads no more."""
        return self._paused

    def set_fov(self, value: tuple[float, float]) -> None:
        """Set the horizontal and vertical field of view [deg]."""
        wide, high = (float(part) for part in value)
        if not (0.0 < wide <= 360.0 and 0.0 < high <= 180.0):
            raise InvalidArgumentError("fov", value, "up to 360 and 180 degrees")
        self._fov = (wide, high)

    def get_fov(self) -> tuple[float, float]:
        """Horizontal and vertical field of view [deg]."""
        return self._fov

    def set_resolution(self, value: tuple[float, float]) -> None:
        """Set the angles between beams [deg]."""
        wide, high = (float(part) for part in value)
        if not (wide > 0.0 and high > 0.0):
            raise InvalidArgumentError("resolution", value, "two positive angles")
        self._resolution = (wide, high)

    def get_resolution(self) -> tuple[float, float]:
        """Angles between beams [deg]."""
        return self._resolution

    def set_rotation_frequency(self, value: float) -> None:
        """Set the turns a second; 0: the whole circle in each step."""
        if not float(value) >= 0.0:
            raise InvalidArgumentError("rotation_frequency", value, "a number not below 0")
        self._frequency = float(value)

    def get_rotation_frequency(self) -> float:
        """Turns a second."""
        return self._frequency

    def set_valid_range(self, value: tuple[float, float]) -> None:
        """Set the nearest and the farthest distance [m]."""
        near, far = (float(part) for part in value)
        if not 0.0 <= near < far:
            raise InvalidArgumentError("valid_range", value, "two distances, the nearer one first")
        self._range = (near, far)

    def get_valid_range(self) -> tuple[float, float]:
        """Nearest and farthest distance [m]."""
        return self._range

    def enable_semantics(self) -> None:
        """Tell what beams meet.

        Raises:
            NotSupportedError: Always.
        """
        raise NotSupportedError("semantics of a lidar", "Camera's instance_id_segmentation")

    def is_semantics_enabled(self) -> bool:
        """Whether what beams meet is told: never."""
        return False

    def enable_visualization(
        self, high_lod: bool = False, draw_points: bool = True, draw_lines: bool = True
    ) -> None:
        """Let the page of the app show the beams of the last turn that meet something.

        Where there is no page, one line says so.

        Args:
            high_lod: All rows of beams; else the middle one.
            draw_points: Points where beams meet something.
            draw_lines: Lines to them.
        """
        self.disable_visualization()
        self._beams = Beams(
            str(self.prim_path), high_lod=high_lod, points=draw_points, lines=draw_lines
        )
        if app.get_app().window is None:
            tell_once(
                "RotatingLidarPhysX.enable_visualization: there is no window to see beams in; "
                'SimulationApp({"headless": False}) opens a page, and '
                "add_point_cloud_data_to_frame() and get_current_frame() have the points"
            )

    def disable_visualization(self) -> None:
        """Show beams no more."""
        if self._beams is not None:
            shown.discard(self._beams)
            self._beams = None

    def _want(self, name: str) -> None:
        if name not in self._wanted:
            self._wanted.append(name)
            self._frame[name] = None

    def _leave(self, name: str) -> None:
        if name in self._wanted:
            self._wanted.remove(name)
            self._frame.pop(name)

    def add_depth_data_to_frame(self) -> None:
        """Read distances as shares of the range, 0 to 65535."""
        self._want("depth")

    def remove_depth_data_from_frame(self) -> None:
        """Read them no more."""
        self._leave("depth")

    def add_linear_depth_data_to_frame(self) -> None:
        """Read distances [m]."""
        self._want("linear_depth")

    def remove_linear_depth_data_from_frame(self) -> None:
        """Read them no more."""
        self._leave("linear_depth")

    def add_zenith_data_to_frame(self) -> None:
        """Read angles above the horizon [rad]."""
        self._want("zenith")

    def remove_zenith_data_from_frame(self) -> None:
        """Read them no more."""
        self._leave("zenith")

    def add_azimuth_data_to_frame(self) -> None:
        """Read angles around the axis [rad]."""
        self._want("azimuth")

    def remove_azimuth_data_from_frame(self) -> None:
        """Read them no more."""
        self._leave("azimuth")

    def add_point_cloud_data_to_frame(self) -> None:
        """Read points in the frame of the sensor [m]."""
        self._want("point_cloud")

    def remove_point_cloud_data_from_frame(self) -> None:
        """Read them no more."""
        self._leave("point_cloud")

    def add_intensity_data_to_frame(self) -> None:
        """Read intensities.

        Raises:
            NotSupportedError: Always: nothing here has one.
        """
        raise NotSupportedError("intensities of a lidar", f"one of {list(_DATA)}")

    def add_semantics_data_to_frame(self) -> None:
        """Read what beams meet.

        Raises:
            NotSupportedError: Always.
        """
        self.enable_semantics()
