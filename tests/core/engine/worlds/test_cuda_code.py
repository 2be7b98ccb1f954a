"""Warp kernels as code for NVIDIA cards: compiled here, where there need not be one."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest
import warp as wp

import unibody

SOURCES = Path(unibody.__file__).parent
KERNELS = sorted(
    ".".join(("unibody", *path.relative_to(SOURCES).with_suffix("").parts))
    for path in SOURCES.rglob("*.py")
    if "@wp.kernel" in path.read_text(encoding="utf-8")
)
# Users of Newton's API differentiate its kinematics, contacts of particles, and what its solvers
# with gradients are made of, with Warp's tape.
DIFFERENTIABLE = {
    "unibody.newton.articulation_kernels",
    "unibody.newton.controllers.kernels",
    "unibody.newton.collision.kinematics_kernels",
    "unibody.newton.collision.soft_contacts",
    "unibody.newton.jacobian_kernels",
    "unibody.newton.kinematics_kernels",
    "unibody.newton.mimic_kernels",
    "unibody.newton.selection.object_kernels",
    "unibody.newton.solvers.contact_force_kernels",
    "unibody.newton.solvers.copy_kernels",
    "unibody.newton.solvers.descendant_kernels",
    "unibody.newton.solvers.element_force_kernels",
    "unibody.newton.solvers.featherstone_kernels",
    "unibody.newton.solvers.follower_kernels",
    "unibody.newton.solvers.integration_kernels",
    "unibody.newton.solvers.joint_force_kernels",
    "unibody.newton.solvers.mimic_force_kernels",
    "unibody.newton.solvers.muscle_kernels",
    "unibody.newton.solvers.particle_contact_kernels",
}
# Their types are those that mujoco-warp gives its arrays: they compile for these.
GENERIC = {"unibody.newton.solvers.mujoco.contacts_kernels"}
# Calls back to Python: it runs on the CPU alone.
ON_THE_CPU = {"unibody.newton.solvers.host_steps"}


def test_modules_with_kernels_are_found():
    assert "unibody.core.engine.rules.warp_kernels" in KERNELS
    assert "unibody.core.batch.warp_kernels" in KERNELS


@pytest.mark.parametrize("name", [n for n in KERNELS if n not in GENERIC | ON_THE_CPU])
def test_kernels_compile_for_nvidia_cards(name, tmp_path, monkeypatch):
    wp.init()
    possible = wp.get_cuda_supported_archs()
    if not possible:
        pytest.skip("this build of Warp has no compiler for CUDA")
    importlib.import_module(name)
    options = wp.get_module(name).options
    oldest = min(possible)  # what it can do, newer cards can
    # Without NVIDIA's optimizer, which takes five times as long as the compiler in front of it.
    monkeypatch.setitem(options, "mode", "debug")
    wp.compile_aot_module(name, arch=[oldest], module_dir=tmp_path, use_ptx=True)
    assert len(list(tmp_path.glob("*.ptx"))) == 1


def test_generic_kernels_are_generic():
    for name in GENERIC:
        kernels = vars(importlib.import_module(name)).values()
        assert all(kernel.is_generic for kernel in kernels if isinstance(kernel, wp.Kernel)), name


def test_no_kernel_has_derivatives_compiled_that_nobody_asks_for():
    """They are as much code again, which the first start on a GPU waits for."""
    assert set(KERNELS) >= DIFFERENTIABLE
    for name in set(KERNELS) - DIFFERENTIABLE:
        for kernel in importlib.import_module(name).__dict__.values():
            if isinstance(kernel, wp.Kernel):
                of_module = kernel.module.options["enable_backward"]
                asked = kernel.options.get("enable_backward")
                assert (of_module if asked is None else asked) is False, (name, kernel.key)
