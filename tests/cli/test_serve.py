"""The arguments of `unibody serve`."""

from __future__ import annotations

import pytest

from unibody.cli import main


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "one of the arguments --tcp --shared-memory is required"),
        (["--tcp", "localhost"], "'localhost': expected HOST:PORT"),
        (["--tcp", ":5"], "':5': expected HOST:PORT"),
        (["--tcp", "localhost:x"], "expected HOST:PORT"),
        (["--shared-memory", "x"], "'x': expected a positive number"),
        (["--shared-memory", "5", "--tcp", "a:1"], "not allowed with"),
    ],
)
def test_an_address_that_is_none_is_refused(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["serve", *arguments])
    assert ended.value.code == 2
    assert message in capsys.readouterr().err


def test_a_token_file_that_cannot_be_read_ends_the_server(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["serve", "--tcp", "localhost:6667", "--token-file", "/no such file"]) == 1
    assert "No such file" in capsys.readouterr().err


def test_a_port_that_is_none_ends_the_server(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["serve", "--tcp", "localhost:70000"]) == 1
    assert "port=70000 is not allowed" in capsys.readouterr().err
