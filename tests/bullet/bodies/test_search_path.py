"""setAdditionalSearchPath: for whom it holds, against PyBullet."""

from pathlib import Path
from typing import Any

import pytest

from tests.bullet.paired import SIDES, connected

BOX = '<robot name="box"><link name="base"/></robot>'


@pytest.fixture
def folder(tmp_path: Path) -> str:
    (tmp_path / "only_here.urdf").write_text(BOX, encoding="utf-8")
    return str(tmp_path)


@pytest.mark.parametrize("module", SIDES, ids=["pybullet", "unibody"])
def test_a_search_path_holds_for_all_clients_also_later_ones(module: Any, folder: str) -> None:
    with connected(module) as p:
        other = p.connect(p.DIRECT)
        p.setAdditionalSearchPath(folder, physicsClientId=other)
        p.disconnect(other)
        assert p.loadURDF("only_here.urdf") == 0
    with connected(module) as p:
        assert p.loadURDF("only_here.urdf") == 0


@pytest.mark.parametrize("module", SIDES, ids=["pybullet", "unibody"])
def test_a_later_search_path_replaces_the_one_before(
    module: Any, folder: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    with connected(module) as p:
        p.setAdditionalSearchPath(folder)
        p.resetSimulation()
        assert p.loadURDF("only_here.urdf") == 0
        p.setAdditionalSearchPath(str(tmp_path_factory.mktemp("empty")))
        with pytest.raises(p.error):
            p.loadURDF("only_here.urdf")


@pytest.mark.parametrize("module", SIDES, ids=["pybullet", "unibody"])
def test_a_name_that_begins_with_a_slash_is_found_below_the_search_path(
    module: Any, folder: str
) -> None:
    with connected(module) as p:
        p.setAdditionalSearchPath(folder)
        assert p.loadURDF("/only_here.urdf") == 0


@pytest.mark.parametrize("module", SIDES, ids=["pybullet", "unibody"])
def test_a_mesh_whose_name_begins_with_a_slash_is_found_beside_the_description(
    module: Any, tmp_path: Path
) -> None:
    mesh = tmp_path / "meshes" / "flat.obj"
    mesh.parent.mkdir()
    mesh.write_text("v 0 0 0\nv 1 0 0\nv 0 2 0\nv 0 0 3\nf 1 2 3\nf 1 2 4\n", encoding="utf-8")
    link = '<geometry><mesh filename="/meshes/flat.obj"/></geometry>'
    text = f'<robot name="box"><link name="base"><collision>{link}</collision></link></robot>'
    (tmp_path / "box.urdf").write_text(text, encoding="utf-8")
    with connected(module) as p:
        p.loadURDF(str(tmp_path / "box.urdf"))
        assert len(p.getCollisionShapeData(0, -1)) == 1
