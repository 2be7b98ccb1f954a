"""YAML files from strangers are read within bounds, and only regular files are."""

from __future__ import annotations

import os
import threading

import pytest

from unibody import fleet
from unibody.fleet.parameters.config_files import load_config
from unibody.fleet.parameters.yaml_reader import ConfigError

ALIASES = "\n".join(
    ["a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1]"]
    + [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]" for i in range(1, 12)]
)
MERGES = "\n".join(
    ["m0: &m0 {" + ", ".join(f"k{i}: 1" for i in range(9)) + "}"]
    + [f"m{i}: &m{i} {{<<: [{', '.join([f'*m{i - 1}'] * 9)}]}}" for i in range(1, 12)]
)

READERS = {
    "a simulation": fleet.MultiRobotSimulationCore.from_yaml,
    "parameters": fleet.SimulationParams.from_config,
    "a configuration": load_config,
}


@pytest.mark.parametrize("reader", READERS.values(), ids=READERS)
@pytest.mark.parametrize("text", [ALIASES, MERGES], ids=["aliases", "merge keys"])
def test_aliases_that_stand_for_billions_of_values_are_refused(tmp_path, reader, text):
    path = tmp_path / "bomb.yaml"
    path.write_text(text)
    with pytest.raises(ConfigError, match=r"bomb\.yaml.*more than \d+ values"):
        reader(str(path))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("timestep: &a [*a]", r":1: \*a stands inside of itself"),
        ("timestep: 2024-99-99", r":1: '2024-99-99' is not a timestamp"),
        ("duration: !!int x", r":1: 'x' is not a int"),
        ("gui: !!python/name:os.system x", r":1: the tag .*os\.system' is not known"),
        ("? [1, 2]\n: 3", r":1: \[1, 2\] is no key"),
        ("a: [1, 2", r"bad\.yaml:2: this is not YAML"),
        ("- 1", r"bad\.yaml:1: expected a mapping, got list"),
        ("[" * 4000, r"nested deeper than|not YAML"),
    ],
)
def test_a_text_that_is_no_mapping_of_plain_values_is_refused_with_its_line(tmp_path, text, said):
    path = tmp_path / "bad.yaml"
    path.write_text(text)
    with pytest.raises(ConfigError, match=said):
        fleet.MultiRobotSimulationCore.from_yaml(str(path))


def test_bytes_that_are_no_text_are_refused(tmp_path):
    path = tmp_path / "bytes.yaml"
    path.write_bytes(b"timestep: \xff\xfe\x00")
    with pytest.raises(ConfigError, match=r"bytes\.yaml"):
        fleet.SimulationParams.from_config(str(path))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with names here")
def test_a_pipe_is_refused_and_not_waited_for(tmp_path):
    path = tmp_path / "pipe.yaml"
    os.mkfifo(path)
    raised: list[BaseException] = []

    def read():
        try:
            fleet.SimulationParams.from_config(str(path))
        except BaseException as problem:
            raised.append(problem)

    reader = threading.Thread(target=read, daemon=True)
    reader.start()
    reader.join(timeout=20.0)
    assert [type(problem) for problem in raised] == [ConfigError]
    assert "a pipe, a socket or a device" in str(raised[0])
