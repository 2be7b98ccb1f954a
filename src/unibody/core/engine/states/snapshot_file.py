"""The state of a scene in a file."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unibody.core.assets.files import open_regular
from unibody.core.assets.whole_file import whole_file
from unibody.core.engine.rows import table as t
from unibody.core.engine.states.carry import Address
from unibody.core.engine.states.snapshot import FIELDS, Snapshot
from unibody.errors import EngineError

_VERSION = 1
_MOST_BYTES = 1 << 30  # of one array
_PARTS = frozenset({"bodies.json"})  # of other readers of the archive
_NOTHING: Mapping[str, bytes] = MappingProxyType({})
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
    except (OSError, ValueError, NotImplementedError, RuntimeError, zipfile.BadZipFile,
            zlib.error) as problem:  # fmt: skip
        raise EngineError(f"{file}: {problem}") from problem
    if len(content) > most:
        raise EngineError(f"{file}: {name} is larger than {most} bytes")
    return content


def read(file: Path) -> Snapshot:
    """Read a state back.

    Raises:
        EngineError: The file cannot be read, or is not what ``write`` makes.
    """
    try:
        with open_regular(file) as stream:
            if any(entry.file_size > _MOST_BYTES for entry in zipfile.ZipFile(stream).infolist()):
                raise EngineError(f"{file}: an array is larger than {_MOST_BYTES} bytes")
            stream.seek(0)
            with np.load(stream, allow_pickle=False) as archive:
                values: dict[str, NDArray[Any]] = {
                    name: archive[name] for name in archive.files if name not in _PARTS
                }
    except (OSError, ValueError, zipfile.BadZipFile) as problem:
        raise EngineError(f"{file}: {problem}") from problem
    return _checked(values, file)


def _checked(values: dict[str, NDArray[Any]], file: Path) -> Snapshot:
    names = {"version", "time", "bodies", "places", *FIELDS}
    if set(values) != names or values["version"].tolist() != [_VERSION]:
        raise EngineError(f"{file}: not a saved state of this version")
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
    return Snapshot(float(values["time"][0]), addresses, arrays, constraints=())


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
