"""`unibody view FILE...`: look at robots and meshes, with a slider for every joint."""

from __future__ import annotations

import argparse
import dataclasses
import math
import time
import webbrowser
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unibody.command_parser import Parser
from unibody.core.assets.description import Asset, JointType
from unibody.errors import AssetError, NotSupportedError, UnibodyError

if TYPE_CHECKING:
    from unibody.core.render.visual_shapes import VisualShape

_GAP = 0.5  # m between two models
_TURN = 3.141592653589793  # rad either way, of a joint without limits


def main(argv: Sequence[str]) -> int:
    """Show the files until Ctrl-C; returns the exit status."""
    parser = Parser(
        prog="unibody view",
        description="Look at robots and meshes in the browser, a slider for every joint.",
    )
    parser.add_argument(
        "files", nargs="+", metavar="FILE",
        help="URDF, SDF, MJCF, USD or mesh, the name of a robot, or a data set to replay",
    )  # fmt: skip
    parser.add_argument("--port", type=int, default=8080, help="first port to try (default 8080)")
    parser.add_argument("--browser", action="store_true", help="open the page")
    parser.add_argument("--time", type=float, default=0.0, help="close after this many seconds")
    parser.add_argument("--episode", type=int, default=0, help="of a data set (default 0)")
    options = parser.parse_args(argv)
    if len(options.files) == 1 and _is_recording(options.files[0]):
        return _replay(options)
    try:
        showroom = Showroom([asset for file in options.files for asset in read(file)], options.port)
    except (UnibodyError, OSError) as error:
        print(f"unibody view: {error}")
        return 1
    print(showroom.viewer.url, flush=True)
    if options.browser:
        webbrowser.open(showroom.viewer.url)
    end = time.monotonic() + options.time if options.time else float("inf")
    try:
        while time.monotonic() < end:
            time.sleep(1.0 / 30.0)
            showroom.update()
    except KeyboardInterrupt:
        pass
    showroom.viewer.close()
    return 0


def _is_recording(file: str) -> bool:
    from unibody.datasets.replay import is_recording

    return is_recording(Path(file))


def _replay(options: argparse.Namespace) -> int:
    from unibody.datasets import replay

    try:
        recording = replay.read(Path(options.files[0]), options.episode)
        replay.play(recording, options.port, options.time, partial(print, flush=True))
    except (UnibodyError, OSError) as error:
        print(f"unibody view: {error}")
        return 1
    return 0


def read(file: str) -> list[Asset]:
    """The models of a file, by its suffix.

    Raises:
        AssetError: The file is missing or malformed.
        NotSupportedError: Its suffix means nothing here.
    """
    from unibody.core.assets.load import load_assets
    from unibody.core.assets.paths import NO_SEARCH_PATH, SearchPath
    from unibody.sample_assets import names, originals

    if Path(file).suffix == ".py":
        raise NotSupportedError(f"a look at {file}", f"unibody run {file} runs it")
    try:
        return load_assets(names.file_of(file), SearchPath((), confined=False))
    except AssetError as error:
        found = originals.hint(file, "unibody view") if not Path(file).exists() else ""
        problem = error.problem.removesuffix(f", {NO_SEARCH_PATH}")  # commands have none
        raise AssetError(error.file, error.element, f"{problem}{found}") from error


class Showroom:
    """Models side by side on a page, their joints on sliders.

    Attributes:
        viewer: The page.
        sliders: By (model, link) number.
    """

    def __init__(self, assets: list[Asset], port: int) -> None:
        from unibody.core.engine.records.options import BodyOptions
        from unibody.core.engine.scene.scene import Scene
        from unibody.core.engine.world.pose_reader import PoseReader
        from unibody.core.render.visual_shapes import visuals_of_scene
        from unibody.viewer.painter import BACKGROUND
        from unibody.viewer.viewer import Viewer

        self._scene = Scene()
        for number, asset in enumerate(assets):
            self._scene.add(number, asset, BodyOptions(fixed=True))
        self.viewer: Viewer = Viewer(port=port, title="unibody view")
        self._pose_reader = PoseReader(self._scene.world)
        parts = [_textured(part) for part in visuals_of_scene(self._scene)]
        self._line_up(parts)
        self.viewer.show([*parts, *self._ground(parts)])
        self.viewer.set_background(BACKGROUND)
        self.sliders: dict[tuple[int, int], Any] = {
            (body, joint.link): self._slider(body, joint)
            for body, record in self._scene.bodies.items()
            for joint in record.joints
            if joint.nq == 1
        }
        self._starts = {key: slider.value for key, slider in self.sliders.items()}
        self.viewer.controls.offer(())  # of layers, which are drawn for a running world
        self.viewer.controls.offer_runs(("Reset",), lambda _name: self._reset())  # nothing runs
        self.update()

    def _reset(self) -> None:
        """Put all sliders where they began."""
        for key, start in self._starts.items():
            self.sliders[key].value = start

    def _line_up(self, parts: list[VisualShape]) -> None:
        """Put the models side by side along y, by the room they take."""
        from unibody.viewer.framing import box_of

        world = self._scene.world
        _, positions, quats = self._pose_reader.poses()
        start = 0.0
        for number, record in self._scene.bodies.items():
            box = box_of([part for part in parts if part.owner[0] == number], positions, quats)
            if box is not None:
                world.data.mocap_pos[record.mocap, 1] += start - float(box[0][1])
                start += float(box[1][1] - box[0][1]) + _GAP
        world.changed()

    def _ground(self, parts: list[VisualShape]) -> list[VisualShape]:
        """A chequered ground below the lowest point, with the camera looking at all above it."""
        from unibody.core.assets.description import Pose, Shape, ShapeKind
        from unibody.core.render.visual_shapes import VisualShape
        from unibody.viewer.framing import box_of, camera_for
        from unibody.viewer.viewer import FOV

        _, positions, quats = self._pose_reader.poses()
        box = box_of(parts, positions, quats)
        if box is None or any(part.shape.kind is ShapeKind.PLANE for part in parts):
            return []
        self.viewer.look(*camera_for(box, FOV))
        shape = Shape(ShapeKind.PLANE, pose=Pose((0.0, 0.0, float(box[0][2]))))
        return [VisualShape(0, shape, movable=False)]

    def _slider(self, body: int, joint: Any) -> Any:
        described = self._scene.bodies[body].links[joint.link].link.joint
        low, high = described.lower, described.upper
        if described.type is JointType.CONTINUOUS or not -math.inf < low <= high < math.inf:
            low, high = -_TURN, _TURN
        start = float(self._scene.world.data.qpos[joint.qpos])
        name = described.name or f"joint {joint.link}"
        return self.viewer.controls.add_slider(name, low, high, start)

    def update(self) -> None:
        """Put the joints where the sliders stand."""
        data = self._scene.world.data
        for (body, link), slider in self.sliders.items():
            data.qpos[self._scene.bodies[body].joints[link].qpos] = slider.value
        _, positions, quats = self._pose_reader.poses()
        self.viewer.place(positions, quats)


def _textured(part: VisualShape) -> VisualShape:
    """A mesh with the first texture that its file names, as PyBullet draws it."""
    from unibody.core.assets.mesh.load import mesh_materials

    source = part.shape.mesh
    if part.texture or source is None or not source.file:
        return part
    named = (material.texture for material in mesh_materials(source) if material is not None)
    return dataclasses.replace(part, texture=next((file for file in named if file), ""))
