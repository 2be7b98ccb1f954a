"""MJCF files as MuJoCo's own spec and model, for those that want all that MuJoCo makes of one."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple
from xml.etree import ElementTree

from unibody.core.assets.limits import DEFAULT_LIMITS, Limits
from unibody.core.assets.mjcf.clean import clean_document
from unibody.core.assets.mjcf.native import fill_meshes, parsed
from unibody.core.assets.paths import SearchPath
from unibody.core.assets.urdf.node import Node, UrdfContext
from unibody.core.assets.xml import read_xml
from unibody.errors import AssetError

REPEATED = "\N{SYMBOL FOR UNIT SEPARATOR}"
"""What follows it in a name is not of the file: it tells what has the same name apart."""
_DENSITY = 1000.0  # MuJoCo's, of geoms that state none


@dataclass(frozen=True, slots=True)
class MjcfModel:
    """A file as MuJoCo reads it.

    Attributes:
        name: Of the model.
        spec: The MjSpec, whose elements know their classes.
        model: The MjModel of it.
        document: What MuJoCo was handed, includes in place.
        fields: Resolved path of the file of each height field that has one.
    """

    name: str
    spec: Any
    model: Any
    document: ElementTree.Element
    fields: dict[str, str]
    _elements: dict[str, dict[int, Any]]

    def name_of(self, kind: str, number: int) -> str:
        """The name of a "body", "joint", "geom", "site", ...; "" where it has none."""
        return str(self._elements[kind][number].name).partition(REPEATED)[0]

    def class_of(self, kind: str, number: int) -> str:
        """The class of a "body" or "geom"; "" where it has none of its own."""
        element = self._elements[kind][number]
        if kind == "body":
            return str(element.childclass)
        found = str(element.classname.name)
        return "" if found == "main" else found

    def has_inertial(self, body: int) -> bool:
        """Whether the file states the mass of a body."""
        return bool(self._elements["body"][body].explicitinertial)

    def geom_density(self, geom: int) -> float | None:
        """The density that the file states [kg/m^3]; None: MuJoCo's own."""
        density = float(self._elements["geom"][geom].density)
        return None if density == _DENSITY else density

    def geom_mass(self, geom: int) -> float | None:
        """The mass that the file states [kg], or None."""
        mass = float(self._elements["geom"][geom].mass)
        return None if math.isnan(mass) else mass

    def stated_options(self, names: Iterable[str]) -> dict[str, Any]:
        """Options of the solver that the file states."""
        stated = {key for option in self.document.iter("option") for key in option.attrib}
        return {name: getattr(self.model.opt, name) for name in names if name in stated}


class Changes(NamedTuple):
    """Functions that change a file on its way to a model.

    Attributes:
        screen: Changes the file's own elements before they are checked.
        accept: Changes the document before MuJoCo reads it.
        adjust: Changes the MjSpec before it is compiled.
    """

    screen: Callable[[ElementTree.Element], None] = lambda _: None
    accept: Callable[[ElementTree.Element], None] = lambda _: None
    adjust: Callable[[Any], None] = lambda _: None


def load_mjcf_model(
    file: str | os.PathLike[str],
    search_path: SearchPath,
    limits: Limits = DEFAULT_LIMITS,
    *,
    changes: Changes | None = None,
) -> MjcfModel:
    """Read an MJCF file, with constraints, sites and options.

    MuJoCo opens no file: includes and meshes are read by our own readers. Textures, elevations of
    height fields, sensors, keyframes and plugins are left out.

    Args:
        file: Path of the file; looked for with ``search_path``.
        search_path: Where the file and the files it refers to are looked for.
        limits: Bounds on the contents of the file.
        changes: What is changed on the way; None: nothing.

    Raises:
        AssetError: The file is missing, malformed or refused for its contents.
    """
    found = search_path.locate(file)
    if found is None:
        raise AssetError(file, "", f"no such file, {search_path.described()}")
    context = UrdfContext(os.fspath(file), found, search_path, limits, 1.0)
    elements = read_xml(found, limits, root="mujoco")
    changes = changes or Changes()
    changes.screen(elements)
    root = Node(elements, "", context)
    document = clean_document(root, whole=True)
    changes.accept(document.root)
    spec = parsed(document, root)
    fill_meshes(spec, document, root)
    spec.compiler.discardvisual = False
    spec.compiler.fusestatic = False
    changes.adjust(spec)
    try:
        model = spec.compile()
    except ValueError as error:
        raise AssetError(file, "", f"MuJoCo refuses the model: {error}") from error
    if model.nbody + model.njnt > limits.links:
        problem = f"{model.nbody} bodies and {model.njnt} joints, the limit is {limits.links}"
        raise AssetError(file, "", problem)
    lists = {"body": spec.bodies, "joint": spec.joints, "geom": spec.geoms, "site": spec.sites}
    elements = {kind: {int(e.id): e for e in found} for kind, found in lists.items()}
    return MjcfModel(root.get("model") or "", spec, model, document.root, document.fields, elements)
