"""Bodies of a few modes of deformation, from URDF files."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import numpy as np
import pybullet
import pytest

import unibody.bullet
from tests.bullet.soft.cubes import cube_of_tetrahedra
from tests.support.duo import DATA, connected
from unibody.bullet import error
from unibody.errors import NotSupportedError

SIDE = 0.4
DAMPING = '<damping_coefficient value="0.0003"/>'
URDF = """<robot name="r"><reduced_deformable name="jelly">
<num_modes value="{modes}"/><mass value="2"/><stiffness_scale value="20"/>
<collision_margin value="0.01"/><erp value="0.2"/><cfm value="0.2"/><friction value="0.5"/>
{more}<visual filename="cube.vtk"/></reduced_deformable></robot>"""


def _write(file: Path, numbers: Any) -> None:
    flat = np.asarray(numbers, dtype="<f8").reshape(-1)
    file.write_bytes(struct.pack("<I", len(flat)) + flat.tobytes())


def _urdf(folder: Path, more: str = DAMPING, modes: int = 3) -> str:
    """A cube with the modes of stretch along each axis, and its URDF file."""
    cube_of_tetrahedra(folder, 2, SIDE)
    points = (np.indices((3, 3, 3)).reshape(3, -1).T - 1.0) * SIDE / 2
    masses = np.full(len(points), 0.1)
    shapes = np.zeros((3, len(points), 3))
    for axis in range(3):
        shapes[axis, :, axis] = points[:, axis]
    shapes /= np.sqrt(np.einsum("p,rpk,rpk->r", masses, shapes, shapes))[:, None, None]
    _write(folder / "modes.bin", shapes)
    _write(folder / "M_diag_mat.bin", masses)
    for name in ("K_r_diag_mat.bin", "eigenvalues.bin"):
        _write(folder / name, [30.0, 32.0, 35.0])
    file = folder / "jelly.urdf"
    file.write_text(URDF.format(modes=modes, more=more))
    return str(file)


def _particles(p: Any, body: int) -> Any:
    return np.array(p.getMeshData(body, -1, flags=p.MESH_DATA_SIMULATION_MESH)[1])


def _world(p: Any, file: str, height: float = 0.2, turn: Any = (0, 0, 0, 1)) -> int:
    p.resetSimulation(p.RESET_USE_REDUCED_DEFORMABLE_WORLD)
    p.setGravity(0, 0, -10)
    p.loadURDF(f"{DATA}/plane.urdf")
    return p.loadURDF(file, [0, 0, height], turn)


def test_a_reduced_body_falls_is_pressed_and_comes_to_rest_as_in_pybullet(tmp_path: Path) -> None:
    file = _urdf(tmp_path)

    def path(p: Any) -> Any:
        body = _world(p, file)
        assert p.getBodyInfo(body) == (b"", b"jelly")
        found: list[Any] = []
        for _ in range(90):
            p.stepSimulation()
            points = _particles(p, body)
            found.append([points[:, 2].mean(), *np.ptp(points, axis=0)])
        return np.array(found)

    with connected(pybullet) as p:
        theirs = path(p)
    with connected(unibody.bullet) as p:
        ours = path(p)
    assert np.ptp(theirs[:, 3]) > 0.02  # it is pressed together
    # It falls 0.2 m; impulses of both end their iterations at changes of 3e-4 m/s.
    np.testing.assert_allclose(ours, theirs, atol=0.05 * 0.2)
    np.testing.assert_allclose(ours[-1], theirs[-1], rtol=0.01)


def test_a_reduced_body_is_turned_and_scaled_about_its_mass_centre_as_in_pybullet(
    tmp_path: Path,
) -> None:
    file = _urdf(tmp_path)
    turn = (0.1, 0.2, 0.3, 0.9273618495495703)

    def places(p: Any) -> Any:
        body = _world(p, file, 1.0, turn)
        other = p.loadURDF(file, [3, 0, 1], turn, globalScaling=2.0)
        p.stepSimulation()
        return np.concatenate([_particles(p, body), _particles(p, other)])

    with connected(pybullet) as p:
        theirs = places(p)
    with connected(unibody.bullet) as p:
        np.testing.assert_allclose(places(p), theirs, atol=1e-6)  # numbers of 32 bits


def test_a_box_rests_on_a_reduced_body(tmp_path: Path) -> None:
    file = _urdf(tmp_path, '<damping_coefficient value="0.003"/>')
    with connected(unibody.bullet) as p:
        body = _world(p, file, 0.01)
        box = p.loadURDF(f"{DATA}/cube.urdf", [0.2, 0.2, SIDE + 0.25], globalScaling=0.45)
        for _ in range(200):
            p.stepSimulation()
        top = _particles(p, body)[:, 2].max()
        # Its half height is 0.225 m, the margin 0.01 m, part of which remains as overlap.
        assert p.getBasePositionAndOrientation(box)[0][2] == pytest.approx(top + 0.235, abs=3e-3)
        assert np.abs(p.getBaseVelocity(box)[0]).max() < 0.02


def test_steps_after_a_restored_state_of_a_reduced_body_are_the_same_to_the_bit(
    tmp_path: Path,
) -> None:
    file = _urdf(tmp_path)
    with connected(unibody.bullet) as p:
        body = _world(p, file, 0.02)

        def steps() -> Any:
            for _ in range(15):
                p.stepSimulation()
            return _particles(p, body)

        steps()
        state = p.saveState()
        first = steps()
        p.resetBasePositionAndOrientation(body, [0, 0, 5], [0, 0, 1, 0])
        p.restoreState(state)
        np.testing.assert_array_equal(steps(), first)
        p.removeBody(body)
        p.stepSimulation()
        with pytest.raises(error, match="Couldn't restore state"):
            p.restoreState(state)


def test_a_reduced_body_is_put_elsewhere_and_given_velocities_as_a_whole(tmp_path: Path) -> None:
    with connected(unibody.bullet) as p:
        body = _world(p, _urdf(tmp_path))
        p.setGravity(0, 0, 0)
        p.resetBasePositionAndOrientation(body, [1, 2, 3], [0, 0, 1, 0])
        np.testing.assert_allclose(_particles(p, body).mean(axis=0), [1, 2, 3], atol=1e-9)
        p.resetBaseVelocity(body, [1, 0, 0], [0, 0, 2])
        np.testing.assert_allclose(p.getBaseVelocity(body), [[1, 0, 0], [0, 0, 2]], atol=1e-6)
        for _ in range(24):
            p.stepSimulation()
        pos, quat = p.getBasePositionAndOrientation(body)
        np.testing.assert_allclose(pos, [1.1, 2, 3], atol=1e-6)
        np.testing.assert_allclose(p.getEulerFromQuaternion(quat)[2], 0.2 - np.pi, atol=1e-6)
        with pytest.raises(NotSupportedError, match="anchor"):
            p.createSoftBodyAnchor(body, 0)
        with pytest.raises(NotSupportedError, match="resetMeshData"):
            p.resetMeshData(body, _particles(p, body).tolist())


@pytest.mark.parametrize(
    ("name", "data", "named"),
    [
        ("modes.bin", b"", "has 0 numbers where 243"),
        ("M_diag_mat.bin", None, "cannot be read"),
        ("K_r_diag_mat.bin", struct.pack("<I3d", 3, 1.0, float("nan"), 1.0), "not finite"),
        ("M_diag_mat.bin", struct.pack("<I27d", 27, *[0.0] * 27), "not positive"),
    ],
)
def test_modes_that_cannot_be_read_are_refused(
    name: str, data: bytes | None, named: str, tmp_path: Path
) -> None:
    file = _urdf(tmp_path)
    (tmp_path / name).unlink()
    if data is not None:
        (tmp_path / name).write_bytes(data)
    with connected(unibody.bullet) as p:
        with pytest.raises(error, match=f"{name}.*{named}"):
            _world(p, file)
        assert p.getNumBodies() == 1


def test_the_number_of_modes_and_the_mass_are_checked(tmp_path: Path) -> None:
    with connected(unibody.bullet) as p:
        with pytest.raises(error, match="num_modes value=0"):
            _world(p, _urdf(tmp_path, modes=0))
        other = tmp_path / "other"
        other.mkdir()
        file = Path(_urdf(other))
        file.write_text(file.read_text().replace('<mass value="2"/>', '<mass value="-1"/>'))
        with pytest.raises(error, match="mass"):
            _world(p, str(file))
