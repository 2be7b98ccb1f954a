"""What example scripts of coupled solvers show."""

from __future__ import annotations

import argparse
from types import SimpleNamespace
from typing import Any

import pytest

from unibody import newton
from unibody.errors import InvalidArgumentError, NotSupportedError
from unibody.newton import examples


class _Viewer:
    def __init__(self) -> None:
        self.calls: list[Any] = []

    def __getattr__(self, name: str) -> Any:
        return lambda *values: self.calls.append((name, *values))


class _Parts:
    def __init__(self, fresh: bool) -> None:
        self.fresh = fresh

    def entry_names(self) -> tuple[str, ...]:
        return ("soft", "rigid")

    def view(self, name: str) -> str:
        return f"model of {name}"

    def entry_output_state_valid(self) -> bool:
        return self.fresh

    def sync_entry_states(self, state: str) -> None:
        self.fresh = True

    def entry_state(self, name: str) -> str:
        assert self.fresh
        return f"state of {name}"

    def entry_contacts(self, name: str, contacts: str) -> str:
        return f"{contacts} of {name}"


def _example(solver: Any = None) -> Any:
    return SimpleNamespace(viewer=_Viewer(), model="all", state_0="now", solver=solver)


def test_an_example_shows_the_whole_model_unless_arguments_name_a_part() -> None:
    example, parser = _example(), argparse.ArgumentParser()
    examples.add_coupled_view_args(parser)
    assert examples.configure_coupled_view(example, parser.parse_args([])) == "all"
    assert examples.is_coupled_view_combined(example)
    examples.apply_coupled_viewer_forces(example, "now")
    examples.log_coupled_view(example, "contacts")
    examples.log_coupled_view(example, "contacts", log_contacts=False)
    assert example.viewer.calls == [
        ("set_model", "all"),
        ("apply_forces", "now"),
        ("log_state", "now"),
        ("log_contacts", "contacts", "now"),
        ("log_state", "now"),
    ]


@pytest.mark.parametrize("fresh", [True, False])
def test_a_part_is_shown_with_its_own_state_and_without_forces_of_the_viewer(fresh: bool) -> None:
    example = _example(_Parts(fresh))
    examples.configure_coupled_view(example, view_name="soft")
    examples.apply_coupled_viewer_forces(example, "now")
    examples.log_coupled_view(example, "contacts")
    assert example.viewer.calls == [
        ("set_model", "model of soft"),
        ("log_state", "state of soft"),
        ("log_contacts", "contacts of soft", "state of soft"),
    ]


@pytest.mark.parametrize("solver", [None, _Parts(True)])
def test_a_part_that_is_not_there_is_refused(solver: Any) -> None:
    with pytest.raises(InvalidArgumentError, match="coupled"):
        examples.configure_coupled_view(_example(solver), view_name="cloth")


@pytest.mark.parametrize("name", ["SolverKamino", "SolverImplicitMPM"])
def test_annotations_may_name_settings_of_solvers_that_are_not_here(name: str) -> None:
    settings = getattr(newton.solvers, name).Config
    with pytest.raises(NotSupportedError, match=f"{name}.Config"):
        settings()
