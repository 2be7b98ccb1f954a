"""What tests of wheels share: models that are made once."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def made_assets(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("assets")


@pytest.fixture
def asset_cache(made_assets: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Models are made from those that are installed, not taken from the user's folder."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(made_assets))
    monkeypatch.delenv("UNIBODY_ISAAC_ASSETS", raising=False)
