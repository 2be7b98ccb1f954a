"""URDF files as Isaac Gym reads them."""

from __future__ import annotations

from unibody.core.assets.description import Asset
from unibody.core.assets.limits import DEFAULT_LIMITS
from unibody.core.assets.link_tree import merged, ordered
from unibody.core.assets.mass.defaults import complete
from unibody.core.assets.paths import SearchPath
from unibody.core.assets.urdf import UrdfOptions, load_urdf
from unibody.isaacgym.models import links
from unibody.isaacgym.models.shapes import convert_shapes
from unibody.isaacgym.models.soft import SoftInfo, take_soft_links
from unibody.isaacgym.types.asset_options import AssetOptions

_READING = UrdfOptions(pybullet_defaults=False, skip_missing_visuals=True, soft_links=True)


def read_urdf(
    file: str, search_path: SearchPath, options: AssetOptions
) -> tuple[Asset, list[SoftInfo]]:
    """Read a URDF file.

    Children of a link are in the alphabetical order of their joints' names. A visual without its
    mesh file is left out, with a warning.

    Args:
        file: Path of the file.
        search_path: Where meshes and textures are looked for.
        options: Those that concern files are applied.

    Returns:
        The tree of rigid links, and the soft bodies; see ``models.soft``.

    Raises:
        AssetError: The file or a mesh is missing or malformed.
        NotSupportedError: A floating joint between two links, or a soft link that moves on its own.
    """
    tree = load_urdf(file, search_path=search_path, limits=DEFAULT_LIMITS, options=_READING)
    soft = take_soft_links(tree)
    tree.links = links.without_floating(tree.links)
    convert_shapes(tree, options)
    complete(tree, options.density)
    if options.collapse_fixed_joints:
        tree.links = merged(tree.links)
    tree.links = ordered(tree.links, key=lambda link: link.joint.name)
    tree.fixed_base = None  # a base without mass floats there like any other
    for link in tree.links:
        link.joint.mimic = None  # such joints are free there
        for shape in link.collisions:
            shape.group = shape.mask = None
    return tree, soft
