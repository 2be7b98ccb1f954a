"""What MuJoCo refuses in MJCF files, and the original reads."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from unibody import newton
from unibody.newton.solvers import SolverMuJoCo

ARM = """<mujoco><worldbody><body><joint name="j" axis="0 1 0"/><geom size="0.1"/></body>
</worldbody><actuator>{}</actuator></mujoco>"""


def _actuators(text: str) -> newton.Model:
    builder = newton.ModelBuilder()
    builder.add_mjcf(ARM.format(text), ctrl_direct=True)
    return builder.finalize()


def test_meshes_without_volume_keep_their_points(tmp_path: Path) -> None:
    (tmp_path / "flat.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    square = '<mesh name="s" vertex="0 0 0  1 0 0  1 1 0  0 1 0" face="0 1 2 0 2 3"/>'
    (tmp_path / "robot.xml").write_text(
        f'<mujoco><asset><mesh name="t" file="flat.obj" scale="2 3 1" maxhullvert="32"/>{square}'
        '</asset><worldbody><body pos="0 0 1"><geom type="mesh" mesh="t" pos="0.5 0 0"/>'
        '<geom type="mesh" mesh="s"/></body></worldbody></mujoco>'
    )
    builder = newton.ModelBuilder()
    builder.add_mjcf(str(tmp_path / "robot.xml"))
    first, second = builder.shape_source
    np.testing.assert_allclose(first.vertices, [[0, 0, 0], [2, 0, 0], [0, 3, 0]])
    assert first.maxhullvert == 32
    assert (len(second.vertices), len(second.indices)) == (4, 6)
    np.testing.assert_allclose(list(builder.shape_transform[0])[:3], [0.5, 0, 0], atol=1e-6)


def test_a_damping_is_taken_where_its_ratio_is_stated_too() -> None:
    both = '<position joint="j" kp="50" kv="3" dampratio="0.9"/>'
    model = _actuators(both + '<position joint="j" kp="100" dampratio="0.7"/>')
    np.testing.assert_allclose(model.mujoco.actuator_biasprm.numpy()[:, 2], [-3.0, 0.7])


def test_ranges_of_states_are_kept_where_an_actuator_has_no_state() -> None:
    given = 'actlimited="true" actrange="-1 2" actdim="2" actearly="true"'
    model = _actuators(f'<general joint="j" {given}/>')
    np.testing.assert_allclose(model.mujoco.actuator_actrange.numpy(), [[-1.0, 2.0]])
    assert model.mujoco.actuator_actlimited.numpy().tolist() == [1]
    assert model.mujoco.actuator_actdim.numpy().tolist() == [2]
    assert SolverMuJoCo(model).mj_model.na == 0
