"""One table says which reader takes which suffix, and all who choose by suffix read it."""

from __future__ import annotations

from pathlib import Path

import pytest

from unibody.cli import view
from unibody.core.assets import load
from unibody.core.assets.description import Asset, Inertial, Link, Shape, ShapeKind
from unibody.core.assets.limits import Limits
from unibody.core.assets.paths import SearchPath
from unibody.errors import AssetError, InvalidArgumentError, NotSupportedError
from unibody.isaacgym.models.loading import load_model

HERE = SearchPath((), confined=False)
TEXTS = {
    "a.urdf": "<robot name='a'><link name='base'/></robot>",
    "a.sdf": "<sdf><model name='a'><link name='base'/></model></sdf>",
    "a.world": "<sdf><model name='a'><link name='base'/></model></sdf>",
    "a.xml": "<mujoco><worldbody><body name='base'><geom size='1'/></body></worldbody></mujoco>",
    "a.MJCF": "<mujoco><worldbody><body name='base'><geom size='1'/></body></worldbody></mujoco>",
    "a.obj": "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n",
}


@pytest.mark.parametrize("name", TEXTS)
def test_a_suffix_finds_its_reader(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(TEXTS[name])
    (asset,) = load.load_assets(tmp_path / name, HERE)
    assert asset.file == str(tmp_path / name)
    assert asset.links[0].name == ("mesh" if name == "a.obj" else "base")


def test_no_two_formats_share_a_suffix() -> None:
    suffixes = [suffix for entry in load.FORMATS for suffix in entry.suffixes]
    assert len(set(suffixes)) == len(suffixes) > 10


@pytest.mark.parametrize(
    ("name", "error", "match"),
    [
        ("model.docx", NotSupportedError, r"\.urdf \.sdf"),
        ("model", NotSupportedError, "nameless"),
        ("model.osim", NotSupportedError, "MJCF"),
        ("missing.urdf", AssetError, "no such file"),
        ("missing.obj", AssetError, "no such file"),
    ],
)
def test_a_file_that_nobody_reads_is_refused_by_name(
    name: str, error: type[Exception], match: str, tmp_path: Path
) -> None:
    with pytest.raises(error, match=match):
        load.load_assets(tmp_path / name, HERE)


def test_a_format_of_one_entry_is_read_by_the_command_line_and_by_isaac_gym(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A file of one number is a ball of that radius."""

    def read_ball(file: object, _search: SearchPath, _limits: Limits) -> list[Asset]:
        ball = Shape(ShapeKind.SPHERE, (float(Path(str(file)).read_text()),))
        link = Link("ball", collisions=[ball], inertial=Inertial(stated=False))
        return [Asset("ball", [link], file=str(file))]

    (tmp_path / "two.ball").write_text("2.0")
    with pytest.raises(InvalidArgumentError):
        load_model(str(tmp_path), "two.ball", None)
    entry = load.Format("ball", (".ball",), read_ball)
    monkeypatch.setattr(load, "FORMATS", (*load.FORMATS, entry))
    assert view.read(str(tmp_path / "two.ball"))[0].links[0].collisions[0].size == (2.0,)
    model = load_model(str(tmp_path), "two.ball", None)
    assert model.body_names == ["ball"]
    # 1000 kg/m^3 by default, in a ball of 32/3 pi m^3
    assert model.tree.links[0].inertial.mass == pytest.approx(1000 * 32 / 3 * 3.14159265, rel=1e-6)
