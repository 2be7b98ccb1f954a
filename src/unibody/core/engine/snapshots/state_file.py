"""The state of a scene in a file."""

from __future__ import annotations

import io
import math
import tokenize
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from unibody.core.assets.files import open_regular
from unibody.core.assets.whole_file import whole_file
from unibody.core.engine.records import rule_table as t
from unibody.core.engine.snapshots.snapshot import FIELDS, Snapshot
from unibody.core.engine.states.transfer import Address, ball_slice
from unibody.errors import EngineError

_VERSION = 1
_MOST_BYTES = 1 << 29  # of all arrays together
_LARGEST = 1e10  # beyond it MuJoCo takes a state for one that has diverged
_LARGEST_DRIVE = 1e100  # what calls that set one allow
_DRIVE_LIMITS = [t.D_LIMIT, t.D_SPEED_LIMIT]
_BALL_LIMITS = [t.S_LIMIT, t.S_LIMIT + 1, t.S_LIMIT + 2]
_PARTS = frozenset({"bodies.json"})  # of other readers of the archive
_FOLDER = "/"  # in the names of theirs, too
_NOTHING: Mapping[str, bytes] = MappingProxyType({})
_UNREADABLE = (
    OSError, ValueError, NotImplementedError, RuntimeError, EOFError, SyntaxError,
    tokenize.TokenError, zipfile.BadZipFile, zlib.error,
)  # fmt: skip
_WIDTHS = {"xfrc_applied": 6, "mocap_pos": 3, "mocap_quat": 4}


def write(snapshot: Snapshot, file: Path, parts: Mapping[str, bytes] = _NOTHING) -> None:
    """Write a state to a NumPy archive.

    Args:
        snapshot: The state.
        file: Where to.
        parts: What else the archive holds, by name.

    Raises:
        OSError: The file cannot be written.
    """
    ids = np.array(list(snapshot.addresses), dtype=np.int64)
    arrays: dict[str, Any] = dict(snapshot.arrays)
    places = np.array(list(snapshot.addresses.values()), dtype=np.int64)
    with whole_file(file) as stream:
        np.savez_compressed(
            stream,
            version=np.array([_VERSION]),
            time=np.array([snapshot.time]),
            bodies=ids,
            places=places.reshape(len(ids), len(Address._fields)),
            **arrays,
        )
        if parts:
            with zipfile.ZipFile(stream, "a", zipfile.ZIP_DEFLATED) as archive:
                for name, content in parts.items():
                    archive.writestr(name, content)


def read_part(file: Path, name: str, most: int) -> bytes:
    """Read a further part of an archive.

    Args:
        file: The archive.
        name: Of the part.
        most: Bytes that it may have.

    Raises:
        EngineError: The file cannot be read, has no such part, or one that is too large.
    """
    try:
        with (
            open_regular(file) as stream,
            zipfile.ZipFile(stream) as archive,
            archive.open(name) as part,
        ):
            content = part.read(most + 1)
    except KeyError:
        raise EngineError(f"{file}: there is no {name} in it") from None
    except _UNREADABLE as problem:
        raise EngineError(f"{file}: not a saved state: {problem}") from problem
    if len(content) > most:
        raise EngineError(f"{file}: {name} is larger than {most} bytes")
    return content


def read(file: Path) -> Snapshot:
    """Read a state back.

    Raises:
        EngineError: The file cannot be read, or is not what ``write`` makes.
    """
    try:
        with open_regular(file) as stream, zipfile.ZipFile(stream) as archive:
            entries = [
                item
                for item in archive.infolist()
                if item.filename not in _PARTS and _FOLDER not in item.filename
            ]
            values = _arrays(archive, entries, file)
    except _UNREADABLE as problem:
        raise EngineError(f"{file}: not a saved state: {problem}") from problem
    return _checked(values, file)


def read_arrays(file: Path, folder: str) -> dict[str, NDArray[Any]]:
    """Read the arrays of a folder of an archive, by their names in it.

    Args:
        file: The archive.
        folder: With a slash at its end.

    Raises:
        EngineError: The file cannot be read.
    """
    try:
        with open_regular(file) as stream, zipfile.ZipFile(stream) as archive:
            entries = [item for item in archive.infolist() if item.filename.startswith(folder)]
            found = _arrays(archive, entries, file)
    except _UNREADABLE as problem:
        raise EngineError(f"{file}: not a saved state: {problem}") from problem
    return {name.removeprefix(folder): array for name, array in found.items()}


def array_part(array: NDArray[Any]) -> bytes:
    """An array as a part of an archive, whose name ends in .npy."""
    stream = io.BytesIO()
    np.save(stream, array, allow_pickle=False)
    return stream.getvalue()


def _arrays(
    archive: zipfile.ZipFile, entries: list[zipfile.ZipInfo], file: Path
) -> dict[str, NDArray[Any]]:
    if sum(item.file_size for item in entries) > _MOST_BYTES:
        raise EngineError(f"{file}: its arrays are larger than {_MOST_BYTES} bytes")
    values: dict[str, NDArray[Any]] = {}
    for item in entries:
        with archive.open(item) as part:
            values[item.filename.removesuffix(".npy")] = _array(part, item.file_size)
    return values


def _array(part: IO[bytes], size: int) -> NDArray[Any]:
    """An array of the archive; what its head says about its size is not believed.

    Raises:
        ValueError: It is no array of numbers, or not as long as it says.
    """
    if np.lib.format.read_magic(part) != (1, 0):
        raise ValueError("an array of another version of the format")
    shape, by_columns, kind = np.lib.format.read_array_header_1_0(part)
    if by_columns or kind not in (np.dtype(np.float64), np.dtype(np.int64)):
        raise ValueError(f"an array of {kind}, expected float64 or int64 by rows")
    if math.prod(shape) * kind.itemsize != size - part.tell():
        raise ValueError(f"an array of shape {shape} in {size} bytes")
    return np.frombuffer(part.read(), kind).reshape(shape).copy()


def _checked(values: dict[str, NDArray[Any]], file: Path) -> Snapshot:
    names = {"version", "time", "bodies", "places", *FIELDS}
    if set(values) != names or values["version"].tolist() != [_VERSION]:
        raise EngineError(f"{file}: not a saved state of this version")
    for name in ("time", *FIELDS):
        # What motors keep has limits that are infinite
        sound = not np.isnan(values[name]).any()
        if name != "userdata":
            sound = bool((np.abs(values[name]) <= _LARGEST).all())
        if not sound:
            raise EngineError(f"{file}: {name} has a number beyond {_LARGEST:g} or that is none")
    ids, places = values["bodies"], values["places"]
    arrays = {name: values[name] for name in FIELDS}
    shaped = (
        ids.dtype == places.dtype == np.int64
        and places.shape == (len(ids), len(Address._fields))
        and values["time"].shape == (1,)
        and all(array.dtype == np.float64 for array in (*arrays.values(), values["time"]))
        and all(
            array.shape == ((len(array), _WIDTHS[name]) if name in _WIDTHS else (len(array),))
            for name, array in arrays.items()
        )
    )
    if not shaped:
        raise EngineError(f"{file}: an array has not the shape it should have")
    addresses = {
        body: Address(*place) for body, place in zip(ids.tolist(), places.tolist(), strict=True)
    }
    if not all(_within(address, arrays) for address in addresses.values()):
        raise EngineError(f"{file}: a body lies outside of the saved arrays")
    if not all(_drives_finite(address, arrays["userdata"]) for address in addresses.values()):
        raise EngineError(f"{file}: userdata has a gain, target or limit beyond {_LARGEST_DRIVE:g}")
    return Snapshot(float(values["time"][0]), addresses, arrays, constraints=())


def _drives_finite(a: Address, userdata: NDArray[np.float64]) -> bool:
    """Whether all that the drives of a body have are numbers, but for limits, which may be none."""
    first = a.drive * t.DRIVE_SIZE
    drives = userdata[first : first + a.ndrive * t.DRIVE_SIZE].reshape(-1, t.DRIVE_SIZE)
    balls = userdata[ball_slice(userdata, a.ball, a.nball)].reshape(-1, t.BALL_SIZE)
    limits = (drives[:, _DRIVE_LIMITS], balls[:, _BALL_LIMITS])
    held = (np.delete(drives, _DRIVE_LIMITS, axis=1), np.delete(balls, _BALL_LIMITS, axis=1))
    return all(bool((np.abs(values) <= _LARGEST_DRIVE).all()) for values in held) and all(
        bool((values >= -_LARGEST_DRIVE).all()) for values in limits
    )


def _within(a: Address, arrays: dict[str, NDArray[Any]]) -> bool:
    """Whether the state of a body lies inside the arrays."""
    spans = (
        (a.qpos, a.nq, "qpos"),
        (a.dof, a.nv, "qvel"),
        (a.dof, a.nv, "qfrc_applied"),
        (a.dof, a.nv, "qacc_warmstart"),
        (a.body, a.nbody, "xfrc_applied"),
        (a.mocap, int(a.mocap >= 0), "mocap_pos"),
        (a.mocap, int(a.mocap >= 0), "mocap_quat"),
        (a.drive * t.DRIVE_SIZE, a.ndrive * t.DRIVE_SIZE, "userdata"),
        (a.ball * t.BALL_SIZE, a.nball * t.BALL_SIZE, "userdata"),
    )
    return all(
        count == 0 or (first >= 0 and count > 0 and first + count <= len(arrays[name]))
        for first, count, name in spans
    )
