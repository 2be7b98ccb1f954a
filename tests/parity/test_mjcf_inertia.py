"""Masses and inertias of MJCF files against PyBullet."""

from pathlib import Path
from typing import Any

import numpy as np
import pybullet_data
import pytest

from tests.bullet.paired import both

MJCF = sorted(Path(pybullet_data.getDataPath(), "mjcf").glob("*.xml"))


@pytest.mark.parametrize("file", MJCF, ids=lambda file: file.stem)
def test_links_of_mjcf_files_have_the_mass_and_inertia_of_pybullet(file: Path) -> None:
    def masses(p: Any) -> list[tuple[float, ...]]:
        return [
            (info[0], *info[2])
            for body in p.loadMJCF(str(file))
            for link in range(-1, p.getNumJoints(body))
            for info in [p.getDynamicsInfo(body, link)]
        ]

    theirs, ours = both(masses)
    assert len(ours) == len(theirs)
    np.testing.assert_allclose(ours, theirs, rtol=1e-5)  # PyBullet reads sizes in single precision
