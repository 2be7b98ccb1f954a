"""Two kinds of robots, and a batch of both."""

from __future__ import annotations

from pathlib import Path

from unibody.core.assets.description import Pose
from unibody.core.assets.paths import SearchPath
from unibody.core.assets.urdf import load_urdf
from unibody.core.batch.batch import Batch
from unibody.core.batch.ground import level_plane
from unibody.core.batch.kind import Kind, kind_of
from unibody.core.batch.layout import StateLayout
from unibody.core.batch.scene import SceneOptions
from unibody.core.engine.records.options import WorldOptions

_WHEEL = """
  <link name="wheel_{side}">
    <inertial><mass value="0.5"/><inertia ixx="0.002" iyy="0.003" izz="0.002" ixy="0" ixz="0"
      iyz="0"/></inertial>
    <collision><geometry><sphere radius="0.1"/></geometry></collision>
  </link>
  <joint name="axle_{side}" type="continuous">
    <parent link="chassis"/><child link="wheel_{side}"/>
    <origin xyz="0 {y} 0"/><axis xyz="0 1 0"/>
  </joint>"""
CART = f"""<robot name="cart">
  <link name="chassis">
    <inertial><origin xyz="-0.05 0 -0.02"/><mass value="4"/>
      <inertia ixx="0.03" iyy="0.04" izz="0.05" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision><origin xyz="-0.2 0 -0.05"/><geometry><sphere radius="0.05"/></geometry></collision>
  </link>{_WHEEL.format(side="left", y=0.2)}{_WHEEL.format(side="right", y=-0.2)}
</robot>"""
_SEGMENT = """
  <link name="{name}">
    <inertial><origin xyz="0 0 0.15"/><mass value="{mass}"/>
      <inertia ixx="0.01" iyy="0.01" izz="0.002" ixy="0" ixz="0" iyz="0"/></inertial>
  </link>
  <joint name="{joint}" type="{type}">
    <parent link="{parent}"/><child link="{name}"/><origin xyz="0 0 {z}"/>
    <axis xyz="{axis}"/><limit lower="-2" upper="2" effort="50" velocity="10"/>
  </joint>"""
ARM = "".join(
    (
        '<robot name="arm"><link name="base"><inertial><mass value="5"/><inertia ixx="0.1" '
        'iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>',
        _SEGMENT.format(
            name="upper", joint="shoulder", type="revolute", parent="base", z=0.2, axis="0 1 0",
            mass=2.0,
        ),
        _SEGMENT.format(
            name="lower", joint="elbow", type="revolute", parent="upper", z=0.3, axis="0 1 0",
            mass=1.0,
        ),
        _SEGMENT.format(
            name="hand", joint="slide", type="prismatic", parent="lower", z=0.3, axis="0 0 1",
            mass=0.5,
        ),
        "</robot>",
    )
)  # fmt: skip


def kinds(folder: Path) -> tuple[Kind, Kind]:
    """The cart, and the arm with its base held."""
    found: list[Kind] = []
    for name, text, fixed in (("cart", CART, False), ("arm", ARM, True)):
        file = folder / f"{name}.urdf"
        file.write_text(text, encoding="utf-8")
        found.append(kind_of(load_urdf(file, search_path=SearchPath()), fixed=fixed))
    return found[0], found[1]


def mixed_batch(
    folder: Path, count: int, *, device: str = "cpu", layout: StateLayout | None = None
) -> Batch:
    """Environments that have a cart and an arm by turns, ``count`` in all."""
    world = WorldOptions(timestep=0.005, gravity=(0.0, 0.0, -9.81))
    batch = Batch(SceneOptions(world), device=device, layout=layout, threads=1)
    batch.add_ground(level_plane(friction=0.8))
    cart, arm = kinds(folder)
    for number in range(count):
        env = batch.add_environment(
            name=f"env_{number}", position=(2.0 * (number % 16), 2.0 * (number // 16), 0.0)
        )
        if number % 2:
            batch.add_actor(env, arm, name="arm")
        else:
            batch.add_actor(env, cart, name="cart", pose=Pose((0.0, 0.0, 0.0999)))
    return batch
