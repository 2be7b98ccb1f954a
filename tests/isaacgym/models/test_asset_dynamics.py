"""Loaded assets move as their files mean: compared with MuJoCo, and with themselves otherwise."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pytest

from tests.isaacgym.asset_files import joint, load_mjcf, load_urdf
from unibody.core.assets.description import Asset
from unibody.core.assets.scaling import scaled_tree
from unibody.core.engine.records.options import BodyOptions
from unibody.core.engine.scene.scene import Scene

# Float64 algebra; MuJoCo's compiler keeps what it reads of a file in float64 too.
EXACT = 1e-7

WALKER = """<body name="torso" pos="0 0 2"><geom type="box" size=".2 .1 .3"/>
<body name="thigh" pos=".1 .2 -.3" euler="10 20 30">
  <joint name="x" axis="1 0 0" pos="0 0 .1"/><joint name="y" axis="0 1 .2" pos=".05 0 .1"/>
  <joint name="z" axis="0 0 1" pos="0 .02 0"/>
  <geom type="capsule" fromto="0 0 0 .1 0 -.4" size=".05"/>
  <body name="shin" pos=".1 0 -.4"><joint name="knee" axis="0 1 0" pos="0 0 .05"/>
    <joint name="slide" type="slide" axis="0 0 1"/>
    <geom type="box" size=".05 .06 .2" pos="0 .1 -.2"/>
    <body name="sole" pos="0 0 -.2" euler="0 0 45">
      <geom type="sphere" size=".06" pos=".1 0 0"/></body>
  </body>
</body></body>"""


def compiled(tree: Asset) -> Any:
    """The engine's model of a tree that is fixed at the origin."""
    scene = Scene()
    scene.add(0, tree, BodyOptions(fixed=True))
    return scene.world.model


def mass_matrix(model: Any, q: Any) -> tuple[Any, Any]:
    """The joint-space mass matrix at joint values, and the data they are set in."""
    data = mujoco.MjData(model)
    data.qpos[:] = q
    mujoco.mj_forward(model, data)
    matrix = np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(model, data, matrix)
    return matrix, data


def test_an_mjcf_asset_moves_as_in_mujoco(tmp_path: Path) -> None:
    asset = load_mjcf(tmp_path, WALKER, fix_base_link=True)
    ours = compiled(asset.tree)
    theirs = mujoco.MjModel.from_xml_path(str(tmp_path / "robot.xml"))
    theirs.body_pos[1] = 0.0  # the base is where the actor is, not where the file says
    q = np.array([0.3, -0.5, 0.7, 0.9, 0.05])
    matrix, data = mass_matrix(ours, q)
    expected, wanted = mass_matrix(theirs, q)
    np.testing.assert_allclose(matrix, expected, atol=EXACT)
    shin = asset.body_links[asset.body_names.index("shin")]
    first = ours.nbody - len(asset.tree.links)
    np.testing.assert_allclose(data.xpos[first + shin], wanted.body("shin").xpos, atol=EXACT)
    np.testing.assert_allclose(data.xmat[first + shin], wanted.body("shin").xmat, atol=EXACT)


def inertial(mass: float, x: float) -> str:
    """An inertial off the axes of its link."""
    inertia = '<inertia ixx="1" iyy="2" izz="2.5" ixy="0.1" ixz="0.2" iyz="0.3"/>'
    frame = f'<origin xyz="{x} 0.2 0.3" rpy="0.3 0.2 0.1"/><mass value="{mass}"/>'
    return f"<inertial>{frame}{inertia}</inertial>"


def robot() -> list[str]:
    """An arm of two joints with fixed parts between them and at its tip."""
    names = ("base", "upper", "bracket", "lower", "tool", "tip")
    links = [f'<link name="{n}">{inertial(1.0 + k, 0.1 * k)}</link>' for k, n in enumerate(names)]
    origin = '<origin xyz="0.3 {} 0.1" rpy="0.5 {} 0.2"/><axis xyz="0 0.6 0.8"/>'
    kinds = ("revolute", "fixed", "prismatic", "fixed", "fixed")
    joints = [
        joint(f"j{k}", names[k], names[k + 1], kind, origin.format(0.1 * k, 0.3 * k))
        for k, kind in enumerate(kinds)
    ]
    return links + joints


def test_collapsing_fixed_joints_does_not_change_how_an_asset_moves(tmp_path: Path) -> None:
    whole = load_urdf(tmp_path, *robot()).tree
    merged = load_urdf(tmp_path, *robot(), collapse_fixed_joints=True).tree
    assert (len(whole.links), len(merged.links)) == (6, 3)
    q = np.array([0.7, 0.4])
    matrix, _ = mass_matrix(compiled(whole), q)
    found, _ = mass_matrix(compiled(merged), q)
    np.testing.assert_allclose(found, matrix, atol=EXACT)


def test_the_mass_matrix_of_a_scaled_asset_grows_with_the_powers_of_its_units(
    tmp_path: Path,
) -> None:
    tree = load_urdf(tmp_path, *robot()).tree
    matrix, _ = mass_matrix(compiled(tree), np.array([0.7, 0.4]))
    found, _ = mass_matrix(compiled(scaled_tree(tree, 2.0)), np.array([0.7, 0.8]))
    # An angle has no unit of length, the way along a slider has one.
    powers = np.array([[32.0, 16.0], [16.0, 8.0]])
    np.testing.assert_allclose(found, matrix * powers, rtol=EXACT)


def test_a_planar_joint_moves_a_body_in_its_plane(tmp_path: Path) -> None:
    links = [f'<link name="{name}">{inertial(1.0, 0.0)}</link>' for name in ("base", "puck")]
    plane = joint("p", "base", "puck", "planar", '<axis xyz="0 1 0"/>')
    model = compiled(load_urdf(tmp_path, *links, plane).tree)
    _, data = mass_matrix(model, np.array([0.3, 0.4, 1.0]))
    assert data.xpos[-1][1] == pytest.approx(0.0, abs=EXACT)
    assert np.linalg.norm(data.xpos[-1]) == pytest.approx(0.5)
    np.testing.assert_allclose(data.xmat[-1].reshape(3, 3)[:, 1], (0.0, 1.0, 0.0), atol=EXACT)
