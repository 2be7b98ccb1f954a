"""Reading SDF files, with PyBullet's rules or with SDFormat's."""

from unibody.core.assets.sdf.reader import load_sdf

__all__ = ["load_sdf"]
