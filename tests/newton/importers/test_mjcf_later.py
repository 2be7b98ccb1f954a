"""MJCF files by the rules of later releases of 1.x: one process finds all of it."""

from __future__ import annotations

from typing import Any

import pytest

from tests.newton.later import found_later

SCRIPT = '''
import logging, tempfile
found = {}

def read(text, **options):
    builder = newton.ModelBuilder()
    builder.add_mjcf("<mujoco>" + text + "</mujoco>", **options)
    return builder

def told(text):
    """The message of the error that a file raises, or ""."""
    try:
        read(text)
    except ValueError as problem:
        return str(problem)
    return ""

hinges = "".join(
    f\'<joint axis="{axis}" ref="10" stiffness="2"/>\' for axis in ("1 0 0", "0 1 0", "0 0 1")
)
with warnings.catch_warnings(record=True) as heard:
    warnings.simplefilter("always")
    ball = read(f\'<worldbody><body>{hinges}<geom size="0.1"/></body></worldbody>\',
                convert_3d_hinge_to_ball_joints=True)
found["rest of a ball"] = [str(one.message) for one in heard if "spring rest" in str(one.message)]

def rows(values):
    return [[float(v) for v in value] for value in values]

with warnings.catch_warnings(record=True) as heard:
    warnings.simplefilter("always")
    builder = read(\'\'\'<asset><material name="dark" rgba="0.2 0.3 0.4 0.5"/></asset><worldbody>
        <geom size="0.1" material="dark"/><geom size="0.1" material="dark" rgba="0 1 0 11"/>
        <geom type="plane" size="1 1 0.1" rgba="1 0 0 1"/></worldbody>\'\'\')
found["colors"] = np.round(builder.shape_color, 6).tolist()
found["opacities"] = np.round(builder.shape_opacity, 6).tolist()
found["clamped"] = [str(one.message) for one in heard if "Clamping" in str(one.message)]
found["plane"] = [float(v) for v in builder.shape_scale[2]]
builder = read(\'\'\'<asset>
        <texture type="2d" name="tiles" builtin="checker" rgb1="0.2 0.3 0.4" rgb2="0.1 0.2 0.3"
            width="8" height="8"/>
        <texture type="2d" name="plain" builtin="flat" rgb1="0.6 0.4 0.2" width="8" height="8"/>
        <material name="tiles" texture="tiles" rgba="1 1 0.5 1"/>
        <material name="plain" texture="plain"/></asset><worldbody>
        <geom size="0.1" material="tiles"/><geom size="0.1" material="plain"/>
        <geom size="0.1" material="tiles" rgba="0 1 0 1"/></worldbody>\'\'\')
found["textured"] = np.round(builder.shape_color, 6).tolist()

builder = read(\'\'\'<worldbody><body><joint type="slide" range="-0.3 0.5" ref="0.1" margin="0.01"
    name="s"/><geom size="0.1" mass="1"/></body></worldbody><actuator>
    <position joint="s" ctrlrange="-0.2 0.2"/><motor joint="s" ctrlrange="-0.2 0.2"/>
    <intvelocity joint="s" kp="20" actrange="-0.2 0.2"/></actuator>\'\'\', scale=2.0)
model = builder.finalize(device="cpu")
of = model.mujoco
found["slide"] = np.round([of.dof_ref.numpy()[0], of.limit_margin.numpy()[0],
    *of.actuator_ctrlrange.numpy()[:2, 1], of.actuator_actrange.numpy()[2, 1]], 6).tolist()

builder = newton.ModelBuilder()
builder.default_joint_cfg.damping = 3.5
builder.add_mjcf(\'\'\'<mujoco><worldbody><body><joint type="ball" frictionloss="1.25"/>
    <geom size="0.1"/></body></worldbody></mujoco>\'\'\')
found["ball"] = [builder.joint_damping, builder.joint_friction]

builder = read(\'\'\'<asset><hfield name="h" nrow="2" ncol="2" size="1 1 1 0.1"
    elevation="1 1 0 0"/></asset><worldbody><geom type="hfield" hfield="h"/></worldbody>\'\'\')
found["rows"] = builder.shape_source[0].data.tolist()

MASSES = \'\'\'<compiler inertiagrouprange="0 2" inertiafromgeom="%s"/><worldbody><body>
    <freejoint/>%s<geom size="0.1" group="2" mass="0.5"/><geom size="0.1" group="3" mass="8"/>
    </body></worldbody>\'\'\'
inertial = '<inertial pos="0 0 0" mass="2"/>'
found["masses"] = [read(MASSES % (mode, inertial)).body_mass[0]
                   for mode in ("auto", "true", "false")]
tensor = np.array(read(MASSES % ("auto", inertial)).body_inertia[0])
found["tensor"] = float(np.abs(tensor).max())
found["missing"] = told(MASSES % ("false", ""))

site = '<worldbody><site type="cylinder" size="0.1 0.2 0.3" fromto="0 0 0 0 0 %s" %s/></worldbody>'
found["site"] = np.round(rows(read(site % (2, "")).shape_scale)[0], 6).tolist()
found["sites"] = [told(site % (0, "")), told(site % (2, 'pos="1 0 0"'))]

builder = read(\'\'\'<worldbody><body><freejoint/><body><inertial pos="0 0 0" mass="2"
    diaginertia="0.1 0.1 0.1"/></body></body></worldbody>\'\'\', collapse_massless_fixed_root=True)
found["root"] = [builder.body_count, builder.body_mass[0]]

CORNERS = 'vertex="0 0 0 1 0 0 0 1 0 0 0 1"'
def mesh(more, geom=""):
    return read(\'\'\'<asset><mesh name="m" %s/></asset><worldbody><body><freejoint/>
        <geom type="mesh" mesh="m" %s/></body></worldbody>\'\'\' % (more, geom))
faces = ' face="0 2 1 0 1 3 0 3 2 1 2 3"'
found["modes"] = [mesh(CORNERS + faces + ' inertia="%s"' % mode).body_mass[0]
                  for mode in ("exact", "convex", "shell")]
found["hidden"] = read(\'\'\'<worldbody><body><freejoint/><geom size="0.1" mass="1"/>
    <geom size="0.1" mass="2" contype="0" conaffinity="0"/></body></worldbody>\'\'\',
    parse_visuals=False).body_mass[0]
source = mesh(CORNERS + faces + ' scale="2 1 1" texcoord="0 0 1 0 0 1 1 1"').shape_source[0]
found["inline"] = [source.vertices.tolist(), source.indices.tolist(), source.uvs.tolist()]
found["flat"] = mesh('vertex="0 0 1 1 0 1 1 1 1 0 1 1" face="0 1 2 0 2 3"').body_mass[0]
def wrong(more):
    try:
        mesh(more)
    except ValueError as problem:
        return str(problem)
    return ""
found["wrong"] = [wrong(CORNERS + more) for more in (
    ' inertia="solid"', ' face="0 1"', ' texcoord="0 0"', ' refpos="a 0 0"')]
with tempfile.NamedTemporaryFile(suffix=".msh") as file:
    points = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], np.float32)
    corners = np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]], np.int32)
    header = np.array([4, 0, 0, 4], np.int32).tobytes()
    whole = header + points.tobytes() + corners.tobytes()
    for name, data in (("msh", whole), ("short", whole[:-1]), ("none", b"")):
        file.seek(0)
        file.truncate()
        file.write(data)
        file.flush()
        stated = f'file="{file.name}"'
        found[name] = mesh(stated).body_mass[0] if name == "msh" else wrong(stated)

joint = '<worldbody><body><joint name="h"/><geom size="0.1"/></body></worldbody>'
found["couplings"] = [told(joint + f'<equality><joint joint1="h" joint2="{second}"/></equality>')
                      for second in ("none", "h")]
found["ranges"] = told('<compiler autolimits="false"/>' + joint.replace('"h"', '"h" range="-1 1"'))

with warnings.catch_warnings(record=True) as heard:
    warnings.simplefilter("always")
    builder = read(\'\'\'<option><flag contact="disable" energy="enable" gravity="disable"
        filterparent="disable"/></option>\'\'\' + joint)
found["heard"] = any("filterparent" in str(one.message) for one in heard)
model = builder.finalize(device="cpu")
of = newton.solvers.SolverMuJoCo(model, use_mujoco_cpu=True).mj_model.opt
found["flags"] = [of.disableflags, of.enableflags, model.gravity.numpy().tolist()]

class Keep(logging.Handler):
    def __init__(self):
        super().__init__()
        self.lines = []
    def emit(self, record):
        self.lines.append((record.levelname, record.getMessage()))
keep = Keep()
logging.getLogger("newton").addHandler(keep)
logging.getLogger("newton").setLevel(logging.INFO)
read(\'\'\'<worldbody><body name="a"><geom size="0.1"/></body></worldbody>
    <contact><exclude body1="a"/></contact>\'\'\', verbose=True)
found["log"] = [level for level, line in keep.lines if "<exclude>" in line]
'''


@pytest.fixture(scope="module")
def found() -> Any:
    return found_later(SCRIPT)


def test_geoms_have_the_colors_of_their_materials_or_their_own(found: Any) -> None:
    assert found["colors"] == [[0.2, 0.3, 0.4], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0]]
    assert found["opacities"] == [0.5, 1.0, 1.0]
    assert len(found["clamped"]) == 1


def test_textures_drawn_by_rule_colour_shapes_with_their_mean(found: Any) -> None:
    # (rgb1 + rgb2) / 2 of the checkers, times the colour of the material; a geom's own colour wins
    assert found["textured"] == [[0.15, 0.25, 0.175], [0.6, 0.4, 0.2], [0.0, 1.0, 0.0]]


def test_planes_are_endless(found: Any) -> None:
    assert found["plane"] == [0.0, 0.0, 0.0]


def test_the_scale_of_a_file_applies_to_all_that_slides(found: Any) -> None:
    # reference, margin, and bounds: of a position, of a force, of an integrated velocity
    assert found["slide"] == pytest.approx([0.2, 0.02, 0.4, 0.2, 0.4], abs=1e-6)


def test_ball_joints_have_the_friction_of_the_file_and_the_damping_of_the_builder(
    found: Any,
) -> None:
    assert found["ball"] == [[3.5] * 3, [1.25] * 3]


def test_the_first_row_of_stated_elevations_has_the_largest_y(found: Any) -> None:
    assert found["rows"] == [[0.0, 0.0], [1.0, 1.0]]


def test_the_compiler_settings_of_a_file_say_which_masses_count(found: Any) -> None:
    assert found["masses"] == pytest.approx([2.0, 0.5, 2.0])
    assert found["tensor"] == 0.0
    assert "requires an <inertial> element" in found["missing"]


def test_sites_between_two_points_have_a_length_and_no_position(found: Any) -> None:
    assert found["site"] == [0.1, 1.0, 0.3]
    assert "zero-length fromto" in found["sites"][0]
    assert "both pos and fromto" in found["sites"][1]


def test_massless_free_roots_become_one_with_what_is_fixed_to_them(found: Any) -> None:
    assert found["root"] == [1, 2.0]


def test_what_is_left_out_of_a_file_is_in_the_log(found: Any) -> None:
    assert found["log"] == ["WARNING"]


def test_meshes_are_weighed_as_mujoco_weighs_them(found: Any) -> None:
    # A tetrahedron of three unit edges: 1/6 m^3, or the area of its faces, 3/2 + sqrt(3)/2 m^2.
    solid, shell = 1000.0 / 6.0, 1000.0 * (1.5 + 0.75**0.5)
    assert found["modes"] == pytest.approx([solid, solid, shell], rel=1e-5)
    assert found["msh"] == pytest.approx(solid, rel=1e-5)
    assert found["hidden"] == pytest.approx(3.0)
    assert found["flat"] == 0.0


def test_meshes_of_documents_keep_their_vertices_in_order(found: Any) -> None:
    vertices, indices, uvs = found["inline"]
    assert vertices == [[0, 0, 0], [2, 0, 0], [0, 1, 0], [0, 0, 1]]
    assert indices == [0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3]
    assert uvs == [[0, 0], [1, 0], [0, 1], [1, 1]]


def test_documents_that_say_what_cannot_be_are_refused_by_name(found: Any) -> None:
    words = ("unsupported inertia", "multiple of 3", "2 values per vertex", "invalid refpos data")
    for word, message in zip(words, found["wrong"], strict=True):
        assert word in message
    assert "Invalid MuJoCo mesh file" in found["short"]
    assert "too short" in found["none"]
    assert "unknown joint 'none'" in found["couplings"][0]
    assert "as both endpoints" in found["couplings"][1]
    assert "autolimits" in found["ranges"]


def test_flags_of_files_reach_mujoco(found: Any) -> None:
    contact, multiccd, energy = 1 << 4, 1 << 19, 1 << 1  # MuJoCo's bits
    assert found["flags"] == [contact | multiccd, energy, [[0.0, 0.0, 0.0]]]
    assert found["heard"]


def test_references_of_springs_that_a_ball_joint_cannot_have_are_told(found: Any) -> None:
    (text,) = found["rest of a ball"]
    assert "identity spring rest orientation" in text
