"""Reading URDF files; other XML formats read their elements with its ``node``."""

from unibody.core.assets.urdf.reader import UrdfOptions, load_urdf, parse_urdf_text

__all__ = ["UrdfOptions", "load_urdf", "parse_urdf_text"]
