"""saveWorld: a world as a script that loads it again."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from unibody.bullet import constants as c
from unibody.bullet.clients.client import Client
from unibody.bullet.clients.registry import get_client
from unibody.bullet.convert import xyzw
from unibody.bullet.errors import error
from unibody.bullet.joints.multidof import BallJoint, is_ball
from unibody.bullet.state.load_calls import LoadCall
from unibody.core.assets.whole_file import write_whole_text
from unibody.notices import tell

if TYPE_CHECKING:
    from unibody.bullet.constraints.constraints import HeldConstraint
    from unibody.bullet.handles.body import Body

_JOINTS = {
    c.JOINT_POINT2POINT: "JOINT_POINT2POINT",
    c.JOINT_FIXED: "JOINT_FIXED",
    c.JOINT_PRISMATIC: "JOINT_PRISMATIC",
    c.JOINT_GEAR: "JOINT_GEAR",
}
_HEAD = """import pybullet as p
cin = p.connect(p.SHARED_MEMORY)
if cin < 0:
    cin = p.connect(p.GUI)
"""


def saveWorld(worldFileName: str, physicsClientId: int = 0) -> None:
    """Write a Python script that loads the bodies of files and puts them where they are now.

    Joint positions, constraints and gravity are in it too; bodies made of shapes are not, and are
    named once on stderr.

    Raises:
        error: The file cannot be written.
    """
    client = get_client(physicsClientId)
    text = _HEAD + "".join(f"{line}\n" for line in _lines(client))
    try:
        write_whole_text(worldFileName, text)
    except OSError as problem:
        raise error(f"saveWorld command execution failed. {problem}") from problem


def _lines(client: Client) -> Iterator[str]:
    for folder in client.search_path:
        yield f"p.setAdditionalSearchPath({folder!r})"
    yield "bodies = {}"
    for body in client.bodies.values():
        call = client.load_calls.get(body.id)
        if call is None:
            if client.say_once(f"saveWorld {body.id}"):
                tell(f"saveWorld leaves out body {body.id}: it was made of shapes, not of a file")
            continue
        yield from _body_lines(body, call)
    for held in client.constraints.values():
        yield from _constraint_lines(client, held)
    yield f"p.setGravity{client.scene.options.gravity}"
    yield "p.stepSimulation()"
    yield "p.disconnect()"


def _body_lines(body: Body, call: LoadCall) -> Iterator[str]:
    pose = body.base_com_pose()
    place = f"{pose.pos}, {xyzw(pose.quat)}"
    if call.number == 0:
        yield f"objects = {call.text}"
    yield f"bodies[{body.id}] = ob = objects[{call.number}]"
    yield f"p.resetBasePositionAndOrientation(ob, {place})"
    positions, _ = body.joint_coordinates()
    for joint in range(body.joint_count):
        if is_ball(body, joint):
            yield f"p.resetJointStateMultiDof(ob, {joint}, {BallJoint(body, joint).position})"
        elif positions[joint] != 0.0:
            yield f"p.resetJointState(ob, {joint}, {positions[joint]!r})"


def _constraint_lines(client: Client, held: HeldConstraint) -> Iterator[str]:
    if any(body >= 0 and body not in client.load_calls for body in (held.parent, held.child)):
        return
    child = f"bodies[{held.child}]" if held.child >= 0 else "-1"
    yield (
        f"cid = p.createConstraint(bodies[{held.parent}], {held.parent_link}, {child}, "
        f"{held.child_link}, p.{_JOINTS[held.kind]}, {held.axis}, {held.parent_position}, "
        f"{held.child_position}, {held.parent_orientation}, {held.child_orientation})"
    )
    more = f", gearRatio={held.ratio!r}" if held.ratio else ""
    more += f", gearAuxLink={held.record.aux[1] - 1}" if held.record.aux else ""
    if held.kind == c.JOINT_GEAR and held.erp:
        more += f", erp={held.erp!r}, relativePositionTarget={held.target!r}"
    yield f"p.changeConstraint(cid, maxForce={held.max_force!r}{more})"
