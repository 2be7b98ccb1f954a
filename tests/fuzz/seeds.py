"""Files that are right, to be damaged: name and content, the one that is handed in first."""

from __future__ import annotations

import io
import json
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from tests.core.assets.mjcf.test_reader import MESH, NATIVE, OBJ
from tests.core.assets.mjcf.test_reader import ODD as MJCF
from tests.core.assets.test_sdf import ODD as SDF
from tests.core.assets.urdf_texts import RICH
from tests.core.assets.usd_texts import ROBOT
from unibody.sample_assets import getDataPath

Files = dict[str, bytes]
_DATA = Path(getDataPath())
_MESHED = """<robot name="m"><link name="base">
<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
<collision><geometry><mesh filename="part.obj" scale="1 1 1"/></geometry></collision>
<visual><geometry><mesh filename="part.obj"/></geometry></visual></link></robot>"""
_FLEET = b"""simulation: {gui: false, monitor: false, physics: false, timestep: 0.05, target_rtf: 0}
entities:
  - name: left
    urdf_path: mobile_robot
    pose: [0, 0, 0.1]
    controller: {type: omni, max_linear_vel: 1.0, max_linear_accel: 2.0}
  - name: right
    urdf_path: mobile_robot
    pose: [3, 0, 0.1]
    mass: 2.0
    user_data: {a: [1, 2]}
  - name: some
    urdf_path: mobile_robot
    grid: {x_min: 0, x_max: 2, y_min: 3, y_max: 5, offset: [0, 4, 0.1], count: 4,
           spacing: [1.5, 1.5, 1]}
"""


def urdf() -> list[Files]:
    """Robots with and without a mesh."""
    names = ("cartpole.urdf", "kuka_iiwa/model.urdf", "r2d2.urdf")
    bare = [{"robot.urdf": (_DATA / name).read_bytes()} for name in names]
    meshed = {"robot.urdf": _MESHED.encode(), "part.obj": OBJ.encode()}
    rich = RICH.replace('<plane normal="0 1 0"/>', '<sphere radius="0.1"/>')
    return [{"robot.urdf": rich.encode()}, meshed, *bare]


def sdf() -> list[Files]:
    """A world of two models."""
    return [{"world.sdf": SDF.encode()}]


def mjcf() -> list[Files]:
    """Bodies as PyBullet's users write them, and as MuJoCo's do."""
    odd = MJCF.format(angle="degree").replace(' quat="0.5 0.5 0.5 0.1"', "")
    odd = odd.replace('type="plane"', 'type="plane" size="1 1 1"')
    parts = {"mesh.xml": MESH.encode(), "part.obj": OBJ.encode()}
    return [
        {"robot.xml": odd.encode()},
        {"robot.xml": NATIVE.format(include="mesh.xml").encode(), **parts},
    ]


def usd() -> list[Files]:
    """A robot, as text and binary."""
    from pxr import Sdf

    layer = Sdf.Layer.CreateAnonymous(".usda")
    layer.ImportFromString(ROBOT)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "robot.usdc")
        layer.Export(str(file))
        binary = file.read_bytes()
    return [{"robot.usda": ROBOT.encode()}] * 3 + [{"robot.usd": binary}]


def usd_text() -> list[Files]:
    """Stages as text: what opens a stage for a script does it in its own process."""
    return [{"robot.usda": ROBOT.encode()}, {"soft.usda": SOFT_STAGE}]


SOFT_STAGE = b"""#usda 1.0
(
    metersPerUnit = 1
    upAxis = "Z"
)
def PhysicsScene "Scene" {}
def Cube "Ground" (prepend apiSchemas = ["PhysicsCollisionAPI"]) {
    double size = 1
    double3 xformOp:translate = (0, 0, -0.5)
    uniform token[] xformOpOrder = ["xformOp:translate"]
}
def PhysxParticleSystem "System" {
    float particleContactOffset = 0.02
    rel simulationOwner = </Scene>
}
def Mesh "Cloth" (prepend apiSchemas = ["PhysxParticleClothAPI", "PhysxAutoParticleClothAPI"]) {
    int[] faceVertexCounts = [3, 3, 4]
    int[] faceVertexIndices = [0, 1, 2, 0, 2, 3, 1, 4, 5, 2]
    point3f[] points = [(0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1), (2, 0, 1), (2, 1, 1)]
    rel physxParticle:particleSystem = </System>
    float physics:mass = 0.1
    float physxAutoParticleCloth:springStretchStiffness = 100
    float physxAutoParticleCloth:springDamping = 0.1
}
def Mesh "Body" (prepend apiSchemas = ["PhysxDeformableBodyAPI", "MaterialBindingAPI"]) {
    int[] faceVertexCounts = [3, 3, 3, 3]
    int[] faceVertexIndices = [0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2]
    point3f[] points = [(0, 0, 0.1), (1, 0, 0.1), (0, 1, 0.1), (0, 0, 1.1)]
    custom uint physxDeformable:simulationHexahedralResolution = 4
    rel material:binding:physics = </Jelly>
}
def Material "Jelly" (prepend apiSchemas = ["PhysxDeformableBodyMaterialAPI"]) {
    float physxDeformableBodyMaterial:youngsModulus = 20000
    float physxDeformableBodyMaterial:poissonsRatio = 0.4
}
"""


def obj() -> list[Files]:
    """Groups with materials."""
    from tests.core.assets.mesh.test_fuzz import OBJ as GROUPS

    mtl = b"newmtl a\nKd 1 0 0\nKs 0.1 0.1 0.1\nd 0.5\nmap_Kd picture.png\n"
    return [{"mesh.obj": GROUPS, "m.mtl": mtl, "picture.png": _image("PNG")}]


def stl() -> list[Files]:
    """Both kinds."""
    from tests.core.assets.mesh.test_fuzz import ASCII_STL, STL

    return [{"mesh.stl": STL}, {"mesh.stl": ASCII_STL}]


def vtk() -> list[Files]:
    """A tetrahedron and a triangle."""
    from tests.core.assets.mesh.test_vtk import FILE

    return [{"mesh.vtk": FILE}]


def dae() -> list[Files]:
    """A triangle, and nodes that show nodes."""
    from tests.core.assets.mesh.test_fuzz import DAE

    levels = "".join(
        f'<node id="n{k}">{f"<instance_node url=%#n{k + 1}%/>".replace("%", chr(34)) * 9}</node>'
        for k in range(4)
    )
    nested = DAE.replace(b"<rotate>", levels.encode() + b"<rotate>")
    return [{"mesh.dae": DAE}, {"mesh.dae": nested}]


def scene() -> list[Files]:
    """A tetrahedron in the formats that trimesh reads."""
    import trimesh

    mesh = trimesh.creation.box((1.0, 1.0, 1.0))
    exported: Any = mesh.scene().export(file_type="gltf")
    files = {name: bytes(content) for name, content in exported.items()}
    gltf = {"mesh.gltf": files.pop("model.gltf"), **files}
    return [
        gltf,
        {"mesh.glb": bytes(mesh.export(file_type="glb"))},
        {"mesh.ply": bytes(mesh.export(file_type="ply"))},
        {"mesh.ply": bytes(mesh.export(file_type="ply", encoding="ascii"))},
    ]


def _image(kind: str, size: int = 8) -> bytes:
    from PIL import Image

    stream = io.BytesIO()
    texels = np.arange(size * size * 3, dtype=np.uint8).reshape(size, size, 3)
    Image.fromarray(texels).save(stream, kind)
    return stream.getvalue()


def png() -> list[Files]:
    """One image, for heights and for textures."""
    return [{"picture.png": _image("PNG")}]


def picture() -> list[Files]:
    """Images of other formats."""
    kinds = {"jpg": "JPEG", "bmp": "BMP", "gif": "GIF", "tga": "TGA", "ppm": "PPM"}
    return [{f"picture.{suffix}": _image(kind)} for suffix, kind in kinds.items()]


def heights() -> list[Files]:
    """Numbers in lines."""
    grid = [",".join(f"{0.1 * (x + y):.2f}" for x in range(6)) for y in range(6)]
    return [{"field.csv": "\n".join(grid).encode()}, {"field.txt": "\n".join(grid).encode()}]


def _from_world(write: Callable[[Any, int, str], object], name: str) -> Files:
    """What a world of a cart and a box writes to a file."""
    import unibody.bullet as p

    client = p.connect(p.DIRECT)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, name)
        write(p, client, str(file))
        p.disconnect(client)
        return {name: file.read_bytes()}


def fill_world(client: int) -> None:
    """Put the bodies of the saved files into a world."""
    import unibody.bullet as p

    own = {"physicsClientId": client}
    cart = p.loadURDF(str(_DATA / "cartpole.urdf"), **own)
    box = p.createMultiBody(
        1, p.createCollisionShape(p.GEOM_BOX, halfExtents=[0.1] * 3, **own), **own
    )
    held = p.createConstraint(
        cart, 0, box, -1, p.JOINT_FIXED, [0, 0, 0], [0, 0, 0.5], [0, 0, 0], **own
    )
    p.changeConstraint(held, maxForce=50, **own)
    p.stepSimulation(client)


def saved() -> list[Files]:
    """A world of saveBullet."""

    def write(p: Any, client: int, file: str) -> None:
        fill_world(client)
        p.saveBullet(file, client)

    return [_from_world(write, "world.bullet")]


def commands() -> list[Files]:
    """A record of calls."""

    def write(p: Any, client: int, file: str) -> None:
        log = p.startStateLogging(p.STATE_LOGGING_ALL_COMMANDS, file, physicsClientId=client)
        p.setGravity(0, 0, -10, client)
        fill_world(client)
        p.setJointMotorControl2(
            0, 0, p.VELOCITY_CONTROL, targetVelocity=1.0, force=10, physicsClientId=client
        )
        p.stopStateLogging(log, client)

    return [_from_world(write, "calls.log")]


def states() -> list[Files]:
    """A log of joint states."""

    def write(p: Any, client: int, file: str) -> None:
        fill_world(client)
        kind = p.STATE_LOGGING_GENERIC_ROBOT
        log = p.startStateLogging(kind, file, physicsClientId=client)
        for _ in range(5):
            p.stepSimulation(client)
        p.stopStateLogging(log, client)

    return [_from_world(write, "states.log")]


def archive() -> list[Files]:
    """A robot in an archive."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("robots/cartpole.urdf", (_DATA / "cartpole.urdf").read_text())
        packed.writestr("notes.json", json.dumps({"a": [1, 2]}))
    return [{"robots.zip": stream.getvalue()}]


def scenario() -> list[Files]:
    """A fleet, one in a world of SDF, and one on a map."""
    world, mapped = b"world: {sdf: world.sdf}\n", b"world: {map: map.yaml, map_height: 1.0}\n"
    pixels = " ".join("0" if at % 7 == 0 else "254" for at in range(64))
    return [
        {"fleet.yaml": _FLEET},
        {"fleet.yaml": world + _FLEET, "world.sdf": SDF.encode()},
        {
            "fleet.yaml": mapped + _FLEET,
            "map.yaml": b"image: map.pgm\nresolution: 0.5\norigin: [-20.0, -2.0, 0.1]\n",
            "map.pgm": f"P2 8 8 255 {pixels}\n".encode(),
        },
    ]


def events() -> list[Files]:
    """A log of a fleet."""
    from unibody import bullet, fleet
    from unibody.fleet.recording.event_log import EventLogWriter

    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "fleet.yaml")
        file.write_bytes(_FLEET)
        core = fleet.MultiRobotSimulationCore.from_yaml(str(file), headless=True)
        log = EventLogWriter(core, str(Path(folder, "events.log")))
        for _ in range(3):
            core.step_once()
        log.close()
        bullet.disconnect(core.client)
        return [{"events.log": Path(folder, "events.log").read_bytes()}]
