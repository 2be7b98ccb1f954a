"""What there is of its own for the CPU and for Warp devices: each is loaded where it is used."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from unibody.core.assets.description import Vec3
from unibody.core.batch.buffers import Buffers
from unibody.core.batch.dynamics import CpuPart, Part
from unibody.core.batch.exchange import Exchange, Members
from unibody.core.batch.index import Index
from unibody.core.batch.layout import StateLayout
from unibody.core.batch.rows import CpuRows, Rows
from unibody.core.batch.sensor_layout import SensorLayout, Sensors
from unibody.core.engine.worlds import Worlds
from unibody.errors import NotSupportedError

Ints = npt.NDArray[np.int64]


def make_buffers(device: str, layout: StateLayout, index: Index) -> Buffers:
    """Arrays of zeros on a device of the engine."""
    if device == "cpu" or not index.counts[0]:
        return Buffers(layout, index.counts, index.shapes)
    from unibody.core.batch.warp_buffers import WarpBuffers

    return WarpBuffers(device, layout, index.counts, index.shapes)


def make_exchange(of: Members, worlds: Worlds) -> Exchange:
    """The one for the device of a group's worlds."""
    if worlds.device == "cpu":
        from unibody.core.batch.cpu_exchange import CpuExchange

        return CpuExchange(of, worlds)
    from unibody.core.batch.warp_exchange import WarpExchange

    return WarpExchange(of, worlds)


def make_rows(numbers: Ints, buffers: Buffers, device: str) -> Rows:
    """Rows of the arrays of a batch."""
    if device == "cpu":
        return CpuRows(numbers, buffers)
    from unibody.core.batch.warp_rows import WarpRows

    own: Any = buffers
    return WarpRows(numbers, own)


def gravity_forces(jacobians: Any, masses: Any, gravity: Vec3, out: Any) -> None:
    """What gravity exerts on the columns of Jacobians of mass centres.

    Args:
        jacobians: (actors, bodies, 6, columns).
        masses: Of the bodies that gravity acts on, others zero, (actors, bodies), NumPy.
        gravity: [m/s^2]
        out: (actors, columns) [N, Nm].
    """
    if isinstance(out, np.ndarray):
        out[...] = np.einsum("nbkc,nb,k->nc", jacobians[:, :, :3], masses, np.array(gravity))
        return
    import warp as wp

    from unibody.core.batch import warp_dynamics

    own = wp.array(np.ascontiguousarray(masses, np.float32), dtype=float, device=out.device)
    inputs = [jacobians, own, wp.vec3(*gravity), out]
    wp.launch(warp_dynamics.gravity_forces, dim=out.shape, inputs=inputs, device=out.device)


def make_sensors(exchange: Any, layout: SensorLayout) -> Sensors:
    """The force sensors of a group."""
    if exchange.worlds.device == "cpu":
        from unibody.core.batch.sensors import CpuSensors

        return CpuSensors(exchange, layout)
    from unibody.core.batch.warp_sensors import WarpSensors

    return WarpSensors(exchange, layout)


def make_parts(exchanges: Sequence[Exchange], actors: Sequence[Any], places: Any) -> list[Part]:
    """Where the rows of an array of matrices come from.

    Args:
        exchanges: Of all groups.
        actors: Whose matrices they are, all of the same links and degrees of freedom.
        places: Group, world and number of every actor of the batch, (all actors, 3).

    Raises:
        NotSupportedError: The actors differ.
    """
    if len({(id(actor.kind), len(actor.kind.dofs)) for actor in actors}) > 1:
        name = actors[0].name
        raise NotSupportedError(
            f"a tensor of actors {name!r} of different assets", "names that tell them apart"
        )
    own = places[np.array([actor.index for actor in actors], np.int64)]
    parts: list[Part] = []
    both: list[list[int]] = np.unique(own[:, (0, 2)], axis=0).tolist()
    for group, local in both:
        rows = np.flatnonzero((own[:, 0] == group) & (own[:, 2] == local))
        worlds = own[rows, 1].astype(np.int64)
        parts.append(_part(exchanges[group], actors[int(rows[0])], rows, worlds))
    return parts


def _part(exchange: Exchange, actor: Any, rows: Ints, worlds: Ints) -> Part:
    if exchange.worlds.device == "cpu":
        return CpuPart(exchange, actor, rows, worlds)
    from unibody.core.batch.warp_dynamics import WarpPart

    return WarpPart(exchange, actor, rows, worlds)
