"""Only regular files are opened: a pipe would wait for ever, a device has no end."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from unibody.core.assets.files import open_regular, read_regular
from unibody.errors import AssetError


@pytest.fixture
def pipe(tmp_path: Path) -> Path:
    os.mkfifo(tmp_path / "pipe")
    return tmp_path / "pipe"


def test_a_pipe_without_a_writer_is_refused_at_once(pipe: Path) -> None:
    with pytest.raises(OSError, match=r"a pipe, a socket or a device, not a file: '.*pipe'"):
        open_regular(pipe)


def test_devices_and_sockets_are_refused(tmp_path: Path) -> None:
    place = tmp_path / "socket"
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(place))
        for file in ("/dev/zero", str(place)):
            with pytest.raises(AssetError, match=f"{file}: cannot be read: .* not a file"):
                read_regular(file, 10)


def test_a_link_to_a_device_is_refused(tmp_path: Path) -> None:
    (tmp_path / "robot.urdf").symlink_to("/dev/zero")
    with pytest.raises(AssetError, match="not a file"):
        read_regular(tmp_path / "robot.urdf", 10)


def test_what_is_missing_too_large_or_a_folder_is_named(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"123")
    assert read_regular(file, 3) == b"123"
    cases = {file: "the limit of 2 bytes", tmp_path: "Is a directory", tmp_path / "no": "No such"}
    for path, problem in cases.items():
        with pytest.raises(AssetError, match=f"{path}: .*{problem}"):
            read_regular(path, 2)
    with pytest.raises(AssetError, match="null byte"):
        read_regular("a\0b", 2)
