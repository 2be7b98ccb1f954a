"""Stages of our own for the tests of the USD reader."""

from __future__ import annotations

HEADER = '#usda 1.0\n(\n    defaultPrim = "Robot"\n    metersPerUnit = {length}\n'
HEADER += '    kilogramsPerUnit = {mass}\n    upAxis = "{up}"\n)\n'


def header(length: float = 1.0, up: str = "Z", mass: float = 1.0) -> str:
    """The first lines of a stage."""
    return HEADER.format(length=length, up=up, mass=mass)


def body(
    name: str, inner: str = "", *, at: str = "(0, 0, 0)", api: str = "", more: str = ""
) -> str:
    """A rigid body."""
    schemas = ", ".join(f'"{item}"' for item in ("PhysicsRigidBodyAPI", *api.split()))
    return f"""
def Xform "{name}" (
    prepend apiSchemas = [{schemas}]
)
{{
    double3 xformOp:translate = {at}
    uniform token[] xformOpOrder = ["xformOp:translate"]
    {more}
{inner}
}}
"""


def shape(kind: str, name: str = "shape", inner: str = "", api: str = "") -> str:
    """A collider, 1000 kg/m^3 unless something else is said."""
    schemas = ", ".join(f'"{item}"' for item in ("PhysicsCollisionAPI", *api.split()))
    return f"""
def {kind} "{name}" (
    prepend apiSchemas = [{schemas}]
)
{{
{inner}
}}
"""


def joint(kind: str, name: str, first: str, second: str, inner: str = "", *, apis: str = "") -> str:
    """A joint; an empty path stands for the world."""
    ends = f"    rel physics:body0 = <{first}>\n" if first else ""
    ends += f"    rel physics:body1 = <{second}>\n" if second else ""
    schemas = ", ".join(f'"{item}"' for item in apis.split())
    head = f"(\n    prepend apiSchemas = [{schemas}]\n)" if apis else ""
    return f"""
def Physics{kind} "{name}" {head}
{{
{ends}{inner}
}}
"""


CUBE = "    double size = 0.2"
REVOLUTE = """
    uniform token physics:axis = "Y"
    float physics:lowerLimit = -90
    float physics:upperLimit = 45
    point3f physics:localPos0 = (0.1, 0, 0.3)
    quatf physics:localRot0 = (0.7071068, 0, 0, 0.7071068)
    point3f physics:localPos1 = (0, 0, -0.1)
    float drive:angular:physics:stiffness = 10
    float drive:angular:physics:damping = 2
    float drive:angular:physics:maxForce = 30
    float drive:angular:physics:targetPosition = 90
"""

# A base, an arm on a hinge, a slider on the arm and a box apart, in metres and kilograms.
ROBOT = (
    header()
    + """
def Xform "Robot" (
    prepend apiSchemas = ["PhysicsArticulationRootAPI"]
)
{
"""
    + body("base", shape("Cube", inner=CUBE), at="(1, 2, 3)", api="PhysicsMassAPI",
           more="float physics:mass = 4")
    + body("arm", shape("Capsule", inner="    double radius = 0.05\n    double height = 0.4"),
           at="(1.1, 2, 3.4)")
    + body("slider", shape("Sphere", inner="    double radius = 0.1"), at="(1.1, 2, 3.9)")
    + joint("RevoluteJoint", "hinge", "/Robot/base", "/Robot/arm", REVOLUTE,
            apis="PhysicsDriveAPI:angular")
    + joint("PrismaticJoint", "slide", "/Robot/arm", "/Robot/slider", """
    uniform token physics:axis = "X"
    float physics:lowerLimit = -0.1
    float physics:upperLimit = 0.2
    point3f physics:localPos0 = (0, 0, 0.5)
    float drive:linear:physics:stiffness = 100
    float drive:linear:physics:damping = 5
    float drive:linear:physics:targetPosition = 0.1
""", apis="PhysicsDriveAPI:linear")
    + "}\n"
    + body("box", shape("Cube", inner=CUBE), at="(5, 0, 0.1)")
    + shape("Plane", "ground")
)  # fmt: skip

# The same robot without its drives, as a URDF.
URDF = """<robot name="Robot">
  <link name="base">
    <inertial><mass value="4"/>
      <inertia ixx="0.026666667" iyy="0.026666667" izz="0.026666667" ixy="0" ixz="0" iyz="0"/>
    </inertial>
  </link>
  <link name="arm"/>
  <link name="slider"/>
  <joint name="hinge" type="revolute"><parent link="base"/><child link="arm"/>
    <origin xyz="0.1 0 0.3" rpy="0 0 1.57079632679"/><axis xyz="0 1 0"/>
    <limit lower="-1.57079632679" upper="0.785398163397" effort="30" velocity="1"/></joint>
  <joint name="slide" type="prismatic"><parent link="arm"/><child link="slider"/>
    <origin xyz="0 0 0.6"/><axis xyz="1 0 0"/>
    <limit lower="-0.1" upper="0.2" effort="1" velocity="1"/></joint>
</robot>
"""

TETRAHEDRON = """
    point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
    int[] faceVertexCounts = [3, 3, 3, 3]
    int[] faceVertexIndices = [0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2]
"""

# A square bowl: the hull fills it.
BOWL = """
    point3f[] points = [(-1, -1, 1), (1, -1, 1), (1, 1, 1), (-1, 1, 1), (0, 0, 0), (0, 0, -0.1)]
    int[] faceVertexCounts = [3, 3, 3, 3, 3, 3, 3, 3]
    int[] faceVertexIndices = [0, 1, 4, 1, 2, 4, 2, 3, 4, 3, 0, 4,
                               1, 0, 5, 2, 1, 5, 3, 2, 5, 0, 3, 5]
"""
