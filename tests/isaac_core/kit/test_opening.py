"""Files that a script opens as the stage may be anybody's."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from pxr import Sdf, Usd

from unibody.core.assets.usd import probe
from unibody.errors import AssetError
from unibody.isaac_core.functions import prims
from unibody.isaac_core.functions import stage as stages
from unibody.isaac_core.kit import commands, context, opening

PART = '#usda 1.0\n(defaultPrim = "Part")\ndef Xform "Part" {\n def Xform "Child" {}\n}\n'


@pytest.fixture
def far(tmp_path: Path) -> tuple[Path, Path]:
    """A stage, and what it refers to outside the directories around it."""
    part, stage = tmp_path / "outside/part.usda", tmp_path / "a/b/c/d/stage.usda"
    for file in (part, stage):
        file.parent.mkdir(parents=True)
    part.write_text(PART, encoding="utf-8")
    text = f'#usda 1.0\ndef Xform "World" (references = @{part}@) {{}}\n'
    stage.write_text(text, encoding="utf-8")
    return part, stage


def _opened(file: Path) -> tuple[bool, str]:
    told: list[tuple[bool, str]] = []
    opened = context.get_context().open_stage(str(file), lambda *reason: told.append(reason))
    assert told[0][0] == opened
    return told[0]


def test_a_binary_stage_on_which_openusd_crashes_is_not_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "stage.usdc"
    layer = Sdf.Layer.CreateAnonymous(".usda")
    layer.ImportFromString(PART)
    layer.Export(str(file))
    monkeypatch.setattr(probe, "_START", "import os; os.abort()")
    before = context.get_context().get_stage()
    opened, why = _opened(file)
    assert not opened
    assert "stage.usdc: is damaged: OpenUSD crashes on it" in why
    assert context.get_context().get_stage() is before


def test_a_stage_that_refers_to_files_outside_its_directories_is_not_opened(
    far: tuple[Path, Path], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    part, stage = far
    opened, why = _opened(stage)
    assert not opened
    assert f"leads to {part}, outside the directories" in why
    assert opening.VARIABLE in why
    assert f"unibody: the stage {stage} is not opened: {why}\n" in capsys.readouterr().err
    monkeypatch.setenv(opening.VARIABLE, str(part.parent))
    assert _opened(stage) == (True, "")
    assert stages.get_current_stage().GetPrimAtPath("/World/Child")


def _add_reference(file: Path) -> None:
    stages.create_new_stage()
    stages.add_reference_to_stage(str(file), "/Part")


def _create_prim(file: Path) -> None:
    stages.create_new_stage()
    prims.create_prim("/Part", usd_path=str(file))


def _create_reference(file: Path) -> None:
    stages.create_new_stage()
    commands.execute("CreateReference", path_to="/Part", asset_path=str(file))


@pytest.mark.parametrize("refer", [_add_reference, _create_prim, _create_reference])
def test_no_stage_refers_to_a_file_that_refers_to_files_outside_its_directories(
    far: tuple[Path, Path], refer: Callable[[Path], None]
) -> None:
    part, stage = far
    with pytest.raises(AssetError, match=f"leads to {part}, outside the directories"):
        refer(stage)
    assert not stages.get_current_stage().GetPrimAtPath("/Part/Child")
    refer(part)  # the script itself may name any file
    assert stages.get_current_stage().GetPrimAtPath("/Part/Child")


def test_no_stage_refers_to_a_binary_file_on_which_openusd_crashes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "part.usdc"
    layer = Sdf.Layer.CreateAnonymous(".usda")
    layer.ImportFromString(PART)
    layer.Export(str(file))
    monkeypatch.setattr(probe, "_START", "import os; os.abort()")
    with pytest.raises(AssetError, match="is damaged: OpenUSD crashes on it"):
        _add_reference(file)


def test_a_file_that_many_prims_refer_to_is_looked_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "part.usda"
    file.write_text(PART, encoding="utf-8")
    looked: list[str] = []
    check = opening.check_stage
    monkeypatch.setattr(
        opening, "check_stage", lambda name, **how: (looked.append(name), check(name, **how))
    )
    stages.create_new_stage()
    for number in range(3):
        stages.add_reference_to_stage(str(file), f"/Part_{number}")
    assert looked == [str(file)]


@pytest.mark.parametrize("up", ["", "../../../../../.."])
def test_a_stage_opens_without_what_it_refers_to_on_a_server_and_says_so_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, up: str
) -> None:
    address = f"omniverse://{up or 'localhost'}{tmp_path}/far.usda"
    file = tmp_path / "stage.usda"
    file.write_text(
        f'#usda 1.0\ndef Xform "A" (references = @{address}@) {{}}\n'
        f'def Xform "B" (references = @{address}@) {{}}\n',
        encoding="utf-8",
    )
    assert _opened(file) == (True, "")
    assert stages.get_current_stage().GetPrimAtPath("/A")
    told = [record.getMessage() for record in caplog.records if address in record.getMessage()]
    assert told == [
        f"{file}: the layer {address!r} is left out: it is on a server; download it and refer to "
        "the file"
    ]


def test_a_stage_is_saved_with_references_that_the_script_chose(far: tuple[Path, Path]) -> None:
    part, stage = far
    stages.create_new_stage()
    stages.add_reference_to_stage(str(part), "/World/Part")
    assert stages.save_stage(str(stage))
    assert context.get_context().get_stage_url() == str(stage)
    assert stages.get_current_stage().GetPrimAtPath("/World/Part/Child")


def test_edits_that_are_not_saved_are_in_the_stage_that_is_opened(tmp_path: Path) -> None:
    made = Usd.Stage.CreateNew(str(tmp_path / "stage.usda"))
    made.DefinePrim("/World/New", "Xform")
    assert _opened(tmp_path / "stage.usda") == (True, "")
    assert stages.get_current_stage().GetPrimAtPath("/World/New")


def test_layers_that_are_missing_are_left_out_and_payloads_as_asked_for(tmp_path: Path) -> None:
    (tmp_path / "part.usda").write_text(PART, encoding="utf-8")
    file = tmp_path / "stage.usda"
    file.write_text(
        '#usda 1.0\ndef Xform "A" (references = @./none.usda@</A>) {}\n'
        'def Xform "B" (payload = @./part.usda@) {}\n',
        encoding="utf-8",
    )
    assert _opened(file) == (True, "")
    assert stages.get_current_stage().GetPrimAtPath("/A")
    assert stages.get_current_stage().GetPrimAtPath("/B/Child")
    assert context.get_context().open_stage(str(file), load_set=Usd.Stage.LoadNone)
    assert not stages.get_current_stage().GetPrimAtPath("/B/Child")


def test_an_address_of_a_server_that_leads_to_a_file_elsewhere_is_refused(
    far: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    _, stage = far
    monkeypatch.chdir(stage.parent)  # the first ".." takes the name of the server away
    address = "omniverse://../../../../../outside/part.usda"
    stage.write_text(f'#usda 1.0\ndef Xform "A" (references = @{address}@) {{}}\n', "utf-8")
    opened, why = _opened(stage)
    assert not opened
    assert f"refers to {address!r}" in why
