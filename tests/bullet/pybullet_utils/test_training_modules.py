"""Arguments, tables, processes and controllers next to the original package's."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pybullet
import pybullet_data
import pytest
from pybullet_utils import arg_parser as original_arguments
from pybullet_utils import pd_controller_stable as original_control

import unibody.bullet as p
from unibody.bullet.pybullet_utils import arg_parser, logger, mpi_util, pd_controller_stable

WORDS = ["before", "--int_key", "3", "4", "#x", "--flag", "--yes", "T", "--int_key", "9", "--f",
         "1.5", "-2", "--name", "a", "b", "--no", "false"]  # fmt: skip


def test_arguments_are_read_as_the_original_reads_them(tmp_path: Path) -> None:
    file = tmp_path / "arguments.txt"
    file.write_text("# --hidden 1\n--more 5 6\n\n--int_key 100\n  --indented x\n", "utf-8")

    def read(module: Any) -> list[Any]:
        parser = module.ArgParser()
        parser.load_args(WORDS)
        assert parser.load_file(str(file))
        return [
            parser.parse_int("int_key"), parser.parse_ints("int_key"), parser.parse_bool("yes"),
            parser.parse_bool("no", True), parser.parse_bools("yes"), parser.parse_float("f"),
            parser.parse_floats("f"), parser.parse_string("name"), parser.parse_strings("name"),
            parser.has_key("flag"), parser.parse_strings("flag"), parser.has_key("hidden"),
            parser.parse_ints("more"), parser.parse_string("none", "x"), parser.parse_int("none"),
            parser.parse_string("indented"),
        ]  # fmt: skip

    assert read(arg_parser) == read(original_arguments)


def test_a_parser_forgets_when_it_is_told_to() -> None:
    parser = arg_parser.ArgParser()
    parser.load_args(["--a", "1"])
    parser.clear()
    assert not parser.has_key("a")


def test_a_table_has_a_row_an_iteration(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = logger.Logger()
    path = tmp_path / "new" / "log.txt"
    table.configure_output_file(str(path))
    for number in range(2):
        table.log_tabular("Iteration", number)
        table.log_tabular("Return", 0.5 * number)
        table.print_tabular()
        table.dump_tabular()
    with pytest.raises(AssertionError, match="'Other' was not in the first row"):
        table.log_tabular("Other", 1)
    assert path.read_text("utf-8").split() == ["Iteration", "Return", "0", "0.0", "1", "0.5"]
    assert "|          Return |             0.5 |" in capsys.readouterr().out
    table.reset()
    assert path.read_text("utf-8") == ""
    assert table.get_num_keys() == 0


@pytest.mark.skipif(mpi_util._mpi() is not None, reason="mpi4py is installed")
def test_without_mpi_a_process_is_alone() -> None:
    assert (mpi_util.get_num_procs(), mpi_util.get_proc_rank()) == (1, 0)
    assert mpi_util.is_root_proc()
    values = np.array([1.0, 2.0])
    for reduce in (mpi_util.reduce_sum, mpi_util.reduce_avg, mpi_util.reduce_max):
        np.testing.assert_array_equal(reduce(values), values)
    assert mpi_util.reduce_min(3.0) == 3.0
    assert [row.tolist() for row in mpi_util.gather_all(values)] == [[1.0, 2.0]]


def test_a_stable_controller_gives_the_originals_torques() -> None:
    found = []
    for api, control in ((pybullet, original_control), (p, pd_controller_stable)):
        client = api.connect(api.DIRECT)
        api.setAdditionalSearchPath(pybullet_data.getDataPath())
        api.setGravity(0, 0, -10)
        arm = api.loadURDF("kuka_iiwa/model.urdf", useFixedBase=True)
        for joint in range(7):
            api.resetJointState(arm, joint, 0.1 * joint, 0.05 * joint)
        found.append(
            control.PDControllerStable(api).computePD(
                arm, list(range(7)), [0.3] * 7, [0.0] * 7, [100.0] * 7, [10.0] * 7,
                [50.0, 50, 50, 50, 50, 50, 1], 1 / 240,
            )
        )  # fmt: skip
        api.disconnect(client)
    # Nm: masses and inertias of the two agree to single precision
    np.testing.assert_allclose(found[1], found[0], rtol=1e-4, atol=1e-4)


def test_relative_angular_velocities_are_the_originals() -> None:
    begin, end = p.getQuaternionFromEuler([0.1, 0.2, 0.3]), p.getQuaternionFromEuler([0.5, 0, -1])
    theirs = original_control.PDControllerStableMultiDof(pybullet)
    ours = pd_controller_stable.PDControllerStableMultiDof(p)
    for name in ("computeAngVel", "computeAngVelRel"):
        wanted = getattr(theirs, name)(begin, end, 0.5, pybullet)
        # PyBullet's quaternions are single precision here
        np.testing.assert_allclose(getattr(ours, name)(begin, end, 0.5, p), wanted, atol=1e-5)
    np.testing.assert_allclose(ours.quatMul(begin, end), theirs.quatMul(begin, end), atol=1e-12)
