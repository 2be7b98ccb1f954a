"""Methods of ``Gym``: assets from files, and built-in ones."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

from unibody.core.assets.whole_file import write_whole_text
from unibody.errors import InvalidArgumentError
from unibody.isaacgym import handles
from unibody.isaacgym.errors import ArgumentTypeError
from unibody.isaacgym.gym.checks import sim_of
from unibody.isaacgym.models import builtin
from unibody.isaacgym.models.builtin import extent
from unibody.isaacgym.models.loading import checked_options, load_model
from unibody.isaacgym.models.model import Model
from unibody.isaacgym.types.asset_options import AssetOptions


def asset_of(value: Any, name: str = "asset") -> Model:
    """Return an asset.

    Raises:
        ArgumentTypeError: It is none.
    """
    if not isinstance(value, Model):
        raise ArgumentTypeError(name, value, "an Asset that a load or create call returned")
    return value


class AssetLoadingCalls:
    """Loading and making assets."""

    def load_asset(
        self,
        sim: handles.Sim,
        rootpath: str,
        filename: str,
        options: AssetOptions | None = None,
    ) -> handles.Asset:
        """Load an asset from a file; its suffix tells the format.

        Args:
            sim: The simulation.
            rootpath: Directory that the file, and the packages of its meshes, are in.
            filename: URDF (.urdf), MJCF (.xml, .mjcf), USD (.usd, .usda, .usdc, .usdz) or the
                tetrahedra of a soft body (.tet), below ``rootpath``.
            options: How it is loaded; they are copied.

        Raises:
            AssetError: The file or one it refers to is missing, malformed or refused.
            InvalidArgumentError: The suffix or an option is not allowed.
            NotSupportedError: OpenSim files, soft links that are neither alone nor fixed to a rigid
                one, and USD files without ``usd-core``.
        """
        sim_of(sim)
        return load_model(rootpath, filename, options)

    def load_urdf(
        self,
        sim: handles.Sim,
        rootpath: str,
        filename: str,
        options: AssetOptions | None = None,
    ) -> handles.Asset:
        """Load an asset from a URDF file, whatever its suffix; see ``load_asset``."""
        sim_of(sim)
        return load_model(rootpath, filename, options, "urdf")

    def load_mjcf(
        self,
        sim: handles.Sim,
        rootpath: str,
        filename: str,
        options: AssetOptions | None = None,
    ) -> handles.Asset:
        """Load an asset from an MJCF file, whatever its suffix; see ``load_asset``."""
        sim_of(sim)
        return load_model(rootpath, filename, options, "mjcf")

    def load_usd(
        self,
        sim: handles.Sim,
        rootpath: str,
        filename: str,
        options: AssetOptions | None = None,
    ) -> handles.Asset:
        """Load an asset from a USD file, whatever its suffix; see ``load_asset``."""
        sim_of(sim)
        return load_model(rootpath, filename, options, "usd")

    def create_box(
        self,
        sim: handles.Sim,
        width: float,
        height: float,
        depth: float,
        options: AssetOptions | None = None,
    ) -> handles.Asset:
        """Make a box with its centre at the origin.

        Args:
            sim: The simulation.
            width: Extent along x [m]; one of zero is taken as a tenth of a millimetre.
            height: Extent along y [m].
            depth: Extent along z [m].
            options: With the density [kg/m^3] its mass follows from.
        """
        sim_of(sim)
        given = {"width": width, "height": height, "depth": depth}
        sides = [extent(name, side, zero=True) for name, side in given.items()]
        return builtin.box(sides[0], sides[1], sides[2], checked_options(options))

    def create_sphere(
        self, sim: handles.Sim, radius: float, options: AssetOptions | None = None
    ) -> handles.Asset:
        """Make a sphere with its centre at the origin; see ``create_box``."""
        sim_of(sim)
        return builtin.sphere(extent("radius", radius), checked_options(options))

    def create_capsule(
        self, sim: handles.Sim, radius: float, width: float, options: AssetOptions | None = None
    ) -> handles.Asset:
        """Make a capsule along x with its centre at the origin.

        Args:
            sim: The simulation.
            radius: Of tube and caps [m].
            width: Length of the tube, without the caps [m].
            options: With the density [kg/m^3] its mass follows from.
        """
        sim_of(sim)
        chosen = checked_options(options)
        return builtin.capsule(extent("radius", radius), extent("width", width), chosen)

    def debug_print_asset(self, asset: handles.Asset, outpath: str | None = None) -> None:
        """Write what an asset consists of to standard output, or to a file.

        Raises:
            InvalidArgumentError: The file cannot be written.
        """
        text = "\n".join(_lines(asset_of(asset))) + "\n"
        if outpath is None:
            sys.stdout.write(text)
            return
        try:
            write_whole_text(outpath, text)
        except (OSError, TypeError, ValueError) as error:
            allowed = f"a file that can be written: {error}"
            raise InvalidArgumentError("outpath", outpath, allowed) from error


def _lines(model: Model) -> Iterator[str]:
    yield f"Asset {model.name!r}: {'fixed' if model.fixed else 'floating'} base"
    yield f"Bodies: {len(model.body_names)}"
    for index, (name, link) in enumerate(zip(model.body_names, model.body_links, strict=True)):
        inertial = model.tree.links[link].inertial
        count = sum(shape.body == index for shape in model.shapes)
        yield f" {index:2d}: {name!r} (mass {inertial.mass:g} kg, {count} shapes)"
    yield f"Joints: {len(model.joints)}"
    for index, joint in enumerate(model.joints):
        yield f" {index:2d}: {joint.name!r} ({joint.type.name})"
    yield f"DOFs: {len(model.dofs)}"
    for index, (dof, record) in enumerate(zip(model.dofs, model.dof_properties, strict=True)):
        values = ", ".join(f"{name} {record[name]:g}" for name in record.dtype.names or ())
        yield f" {index:2d}: {dof.name!r} ({dof.type.name}; {values})"
    for title, parts in (("Actuators", model.actuators), ("Tendons", model.tendons)):
        if parts:
            yield f"{title}: {len(parts)}"
            yield from (f" {index:2d}: {part.name!r}" for index, part in enumerate(parts))
