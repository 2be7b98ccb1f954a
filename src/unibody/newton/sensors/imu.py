"""SensorIMU: accelerations and angular velocities at sites."""

from __future__ import annotations

from typing import Any, ClassVar

import warp as wp

from unibody.newton.enums import ShapeFlags
from unibody.newton.gravity_kernels import gravity_of_worlds
from unibody.newton.labels import Pattern, matched
from unibody.newton.solvers.observables import ObservableKind


class SensorIMU:
    """Measures acceleration, without gravity, and angular velocity at sites, in their frames.

    Args:
        model: The model.
        sites: Indices of sites, or patterns of their labels.
        verbose: Whether to print what it measures; None: as Warp does.
        request_state_attributes: Whether states made from now on have ``body_qdd``.

    Attributes:
        accelerometer: m/s^2, one vector a site.
        gyroscope: rad/s, one vector a site.
        solver_observable_kinds: What it reads, where solvers tell it as observables.
    """

    solver_observable_kinds: ClassVar[frozenset[str]] = frozenset({ObservableKind.BODY_QDD})

    def __init__(
        self,
        model: Any,
        sites: Pattern,
        *,
        verbose: bool | None = None,
        request_state_attributes: bool = True,
    ) -> None:
        self.model = model
        self.verbose: bool = getattr(wp.config, "verbose", False) if verbose is None else verbose
        found = _sites(model, sites)
        if request_state_attributes:
            model.request_state_attributes("body_qdd")
        self.n_sensors: int = len(found)
        with wp.ScopedDevice(model.device):
            self.sensor_sites_arr: wp.array[Any] = wp.array(found, dtype=wp.int32)
            self.accelerometer: wp.array[Any] = wp.zeros(len(found), dtype=wp.vec3)
            self.gyroscope: wp.array[Any] = wp.zeros(len(found), dtype=wp.vec3)
        if self.verbose:
            print(f"SensorIMU at {len(found)} sites")  # noqa: T201

    def update(self, state: Any, *, observables: Any = None) -> None:
        """Measure a state.

        Args:
            state: The state.
            observables: Of the step to it, with ``body_qdd``; None: the state has it.

        Raises:
            ValueError: There is no ``body_qdd``, as the state was made before the sensor, or it
                is of another model.
        """
        if observables is not None and observables.model is not self.model:
            raise ValueError("observables are of another model: expected those of the sensor's")
        body_qdd = (state if observables is None else observables).body_qdd
        if body_qdd is None:
            raise ValueError(
                "SensorIMU requires a State with body_qdd allocated (create SensorIMU before"
                " State), or observables made with the sensor's solver_observable_kinds"
            )
        from unibody.newton.sensors.sensor_kernels import inertial_readings

        model = self.model
        wp.launch(
            inertial_readings,
            dim=self.n_sensors,
            inputs=[
                self.sensor_sites_arr,
                model.shape_body,
                model.shape_transform,
                model.body_com,
                model.body_world,
                gravity_of_worlds(model),
                state.body_q,
                state.body_qd,
                body_qdd,
            ],
            outputs=[self.accelerometer, self.gyroscope],
            device=model.device,
        )


def _sites(model: Any, pattern: Pattern) -> list[int]:
    found = matched("sites", model.shape_label, pattern)
    flags = model.shape_flags.numpy()
    for site in found:
        if not flags[site] & ShapeFlags.SITE:
            raise ValueError(f"sensor site index {site} is not a site")
    return found
