"""The context of USD: the one stage that the app shows and simulates."""

from __future__ import annotations

import enum
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pxr import Gf, Sdf, Usd, UsdGeom, UsdUtils

from unibody.errors import InvalidArgumentError
from unibody.isaac_core.assets import places
from unibody.isaac_core.kit import app, opening
from unibody.isaac_core.kit.cameras import define_cameras
from unibody.isaac_core.kit.events import EventStream
from unibody.isaac_core.schemas.plugin import register
from unibody.notices import tell

SUFFIXES = (".usd", ".usda", ".usdc", ".usdz")


class StageEventType(enum.IntEnum):
    """What happens to the stage, with the numbers of the original."""

    SAVED = 0
    SAVE_FAILED = 1
    OPENING = 2
    OPENED = 3
    OPEN_FAILED = 4
    CLOSING = 5
    CLOSED = 6
    SELECTION_CHANGED = 7
    ASSETS_LOADED = 8
    ASSETS_LOAD_ABORTED = 9
    GIZMO_TRACKING_CHANGED = 10
    MDL_PARAM_LOADED = 11
    SETTINGS_LOADED = 12
    SETTINGS_SAVING = 13
    OMNIGRAPH_START_PLAY = 14
    OMNIGRAPH_STOP_PLAY = 15
    SIMULATION_START_PLAY = 16
    SIMULATION_STOP_PLAY = 17
    ANIMATION_START_PLAY = 18
    ANIMATION_STOP_PLAY = 19
    DIRTY_STATE_CHANGED = 20
    ASSETS_LOADING = 21


class Selection:
    """Paths that are selected."""

    def __init__(self) -> None:
        self._paths: list[str] = []

    def get_selected_prim_paths(self) -> list[str]:
        """The paths."""
        return list(self._paths)

    def set_selected_prim_paths(self, paths: list[str], expand_in_stage: bool = True) -> bool:
        """Select these and no others."""
        self._paths = [str(path) for path in paths]
        return True

    def clear_selected_prim_paths(self) -> bool:
        """Select nothing."""
        return self.set_selected_prim_paths([])


class UsdContext:
    """Holds the stage."""

    def __init__(self) -> None:
        register()
        self._events = EventStream("stage")
        self._stage: Usd.Stage | None = None
        self._selection = Selection()

    def get_stage_event_stream(self) -> EventStream:
        """The stream that tells what happens to the stage."""
        return self._events

    def get_selection(self) -> Selection:
        """What is selected."""
        return self._selection

    def get_stage(self) -> Usd.Stage | None:
        """The stage; None if it was closed, or none was made yet."""
        return self._stage

    def get_stage_id(self) -> int:
        """Number of the stage in USD's cache of stages; -1 without a stage."""
        if self._stage is None:
            return -1
        return UsdUtils.StageCache.Get().GetId(self._stage).ToLongInt()

    def get_stage_url(self) -> str:
        """Where the stage is from, or was saved to."""
        return "" if self._stage is None else self._stage.GetRootLayer().identifier

    def get_stage_loading_status(self) -> tuple[str, int, int]:
        """What is being loaded, how much of it is, and how much is not: all is at once."""
        return ("", 0, 0)

    def get_stage_state(self) -> int:
        """3 if there is a stage, 0 if there is none."""
        return 3 if self._stage is not None else 0

    def can_open_stage(self) -> bool:
        """Whether a stage can be opened: always."""
        return True

    def is_new_stage(self) -> bool:
        """Whether the stage has never been saved."""
        return self._stage is not None and self._stage.GetRootLayer().anonymous

    def has_pending_edit(self) -> bool:
        """Whether the stage was edited since it was saved."""
        return self._stage is not None and self._stage.GetRootLayer().dirty

    def new_stage(self, fn: Callable[..., Any] | None = None) -> bool:
        """Begin with an empty stage: Z is up, lengths are in metres, "/World" is the default prim.

        Args:
            fn: Called with (True, "").
        """
        stage = Usd.Stage.CreateInMemory()
        UsdGeom.SetStageUpAxis(stage, UsdGeom.Tokens.z)
        UsdGeom.SetStageMetersPerUnit(stage, 1.0)
        stage.SetDefaultPrim(stage.DefinePrim("/World", "Xform"))
        self._take(stage)
        return _called(fn, True, "")

    async def new_stage_async(self) -> tuple[bool, str]:
        """Begin with an empty stage, and wait for an update."""
        self.new_stage()
        await app.get_app().next_update_async()
        return True, ""

    def open_stage(
        self, url: str, on_finish_fn: Callable[..., Any] | None = None, load_set: Any = None
    ) -> bool:
        """Open a file as the stage.

        Args:
            url: Path of the file.
            on_finish_fn: Called with (whether it was opened, the reason if not).
            load_set: Which payloads are loaded, ``Usd.Stage.InitialLoadSet``; None: all.

        Returns:
            Whether it was opened; the terminal has the reason if not. A file that refers to
            others outside the directories it may refer to is not; see ``opening.opened``.

        Raises:
            NotSupportedError: It is a file of Isaac Sim's server that is not here.
        """
        return self._open(places.located(str(url)), opening.opened, on_finish_fn, load_set)

    def _open(
        self,
        url: str,
        opened: Callable[[str, Any], Usd.Stage],
        on_finish_fn: Callable[..., Any] | None,
        load_set: Any = None,
    ) -> bool:
        self._events.dispatch(StageEventType.OPENING, payload={"val": url})
        try:
            stage = opened(url, load_set)
        except Exception as problem:  # USD's own type of error is not among the public ones
            why = opening.reason(problem)
            self._events.dispatch(StageEventType.OPEN_FAILED, payload={"val": url})
            tell(f"the stage {url} is not opened: {why}")
            return _called(on_finish_fn, False, why)
        self._take(stage)
        return _called(on_finish_fn, True, "")

    async def open_stage_async(self, url: str, load_set: Any = None) -> tuple[bool, str]:
        """Open a file as the stage, and wait for an update."""
        reasons: list[str] = []
        opened = self.open_stage(url, lambda _, why: reasons.append(why), load_set)
        await app.get_app().next_update_async()
        return opened, reasons[0]

    def attach_stage(self, stage: Usd.Stage) -> bool:
        """Take a stage that a script made."""
        self._take(stage)
        return True

    def attach_stage_with_callback(
        self, stage_id: int, on_finish_fn: Callable[..., Any] | None = None
    ) -> bool:
        """Take the stage that has a number in USD's cache of stages.

        Raises:
            InvalidArgumentError: No stage has it.
        """
        cache = UsdUtils.StageCache.Get()
        stage = cache.Find(Usd.StageCache.Id.FromLongInt(int(stage_id)))
        if not stage:
            raise InvalidArgumentError("stage_id", stage_id, "the number of a stage in the cache")
        self._take(stage)
        return _called(on_finish_fn, True, "")

    async def attach_stage_async(self, stage: Usd.Stage) -> tuple[bool, str]:
        """Take a stage that a script made, and wait for an update."""
        self._take(stage)
        await app.get_app().next_update_async()
        return True, ""

    def save_stage(self, on_finish_fn: Callable[..., Any] | None = None) -> bool:
        """Save the stage where it is from.

        Returns:
            Whether it was; a new stage has no file.
        """
        if self._stage is None or self._stage.GetRootLayer().anonymous:
            self._events.dispatch(StageEventType.SAVE_FAILED)
            return _called(on_finish_fn, False, "the stage has no file yet: save it as one")
        self._stage.Save()
        self._events.dispatch(StageEventType.SAVED)
        return _called(on_finish_fn, True, "")

    def save_as_stage(self, url: str, on_finish_fn: Callable[..., Any] | None = None) -> bool:
        """Save the stage to a file, which is its own from then on.

        Returns:
            Whether it was.
        """
        if self._stage is None or Path(url).suffix not in SUFFIXES:
            self._events.dispatch(StageEventType.SAVE_FAILED)
            return _called(on_finish_fn, False, f"{url!r} is none of {', '.join(SUFFIXES)}")
        if not self._stage.GetRootLayer().Export(str(url)):
            self._events.dispatch(StageEventType.SAVE_FAILED)
            return _called(on_finish_fn, False, f"{url!r} cannot be written")
        self._events.dispatch(StageEventType.SAVED)
        # What it refers to is open already: the script chose it.
        return self._open(str(url), lambda file, _: Usd.Stage.Open(file), on_finish_fn)

    def export_as_stage(self, url: str, on_finish_fn: Callable[..., Any] | None = None) -> bool:
        """Write the stage with all that it refers to into one file.

        Returns:
            Whether it was.
        """
        done = self._stage is not None and bool(self._stage.Export(str(url)))
        return _called(on_finish_fn, done, "" if done else f"{url!r} cannot be written")

    def reopen_stage(self, on_finish_fn: Callable[..., Any] | None = None) -> bool:
        """Read the stage from its file again."""
        if self._stage is None or self._stage.GetRootLayer().anonymous:
            return _called(on_finish_fn, False, "the stage has no file")
        self._stage.Reload()
        return _called(on_finish_fn, True, "")

    def close_stage(self, on_finish_fn: Callable[..., Any] | None = None) -> bool:
        """Let go of the stage."""
        self._drop()
        return _called(on_finish_fn, True, "")

    def _take(self, stage: Usd.Stage) -> None:
        if stage is self._stage:
            return
        self._drop()
        UsdUtils.StageCache.Get().Insert(stage)
        self._stage = stage
        define_cameras(stage)
        self._events.dispatch(StageEventType.OPENED, payload={"val": self.get_stage_url()})
        self._events.dispatch(StageEventType.ASSETS_LOADED)

    def _drop(self) -> None:
        if self._stage is None:
            return
        self._events.dispatch(StageEventType.CLOSING)
        UsdUtils.StageCache.Get().Erase(self._stage)
        self._stage = None
        self._selection.clear_selected_prim_paths()
        self._events.dispatch(StageEventType.CLOSED)


def _called(function: Callable[..., Any] | None, done: bool, reason: str) -> bool:
    if function is not None:
        function(done, reason)
    return done


_contexts: list[UsdContext] = []


def get_context(name: str = "") -> UsdContext:
    """The context of the process.

    Raises:
        InvalidArgumentError: A context of another name was asked for.
    """
    if name:
        raise InvalidArgumentError("name", name, "'', the one context there is")
    if not _contexts:
        _contexts.append(UsdContext())
    return _contexts[0]


def get_world_transform_matrix(prim: Usd.Prim, time_code: Any = None) -> Gf.Matrix4d:
    """The transform of a prim to the world; row vectors, as in USD."""
    time = Usd.TimeCode.Default() if time_code is None else time_code
    return UsdGeom.Xformable(prim).ComputeLocalToWorldTransform(time)


def get_local_transform_matrix(prim: Usd.Prim, time_code: Any = None) -> Gf.Matrix4d:
    """The transform of a prim to its parent; row vectors, as in USD."""
    time = Usd.TimeCode.Default() if time_code is None else time_code
    return UsdGeom.Xformable(prim).GetLocalTransformation(time)


def get_stage_next_free_path(stage: Usd.Stage, path: str, prepend_default_prim: bool) -> str:
    """A path that is not taken: the one given, or with a number behind it.

    Args:
        stage: The stage.
        path: The path wished for.
        prepend_default_prim: Whether a path outside of the default prim is moved below it.
    """
    root = stage.GetDefaultPrim()
    wished = str(path)
    if prepend_default_prim and root and not Sdf.Path(wished).HasPrefix(root.GetPath()):
        wished = f"{root.GetPath()}{wished}"
    free, number = wished, 0
    while stage.GetPrimAtPath(free):
        number += 1
        free = f"{wished}_{number:02d}"
    return free
