"""Changing parameters of bodies in a scene, in place wherever the compiled model allows it."""

from __future__ import annotations

from unibody.core.assets.description import JointType, Pose, Vec3
from unibody.core.engine.records import rule_table as t
from unibody.core.engine.records.body import BodyRecord, LinkRecord
from unibody.core.engine.scene.scene import Scene
from unibody.core.engine.spec.writer import (
    body_mass,
    body_user,
    condim,
    joint_range,
    surface_numbers,
    write_inertial,
)
from unibody.core.engine.states import transfer
from unibody.core.engine.world.link_numbers import LinkMemory
from unibody.core.engine.world.pending_edits import Edit

INERTIAL_WAITS, _FRICTION_WAITS = 1, 2  # bits of ``LinkRecord.waits``


def set_inertial(
    scene: Scene, record: BodyRecord, index: int, mass: float, inertia: Vec3, com: Pose
) -> bool:
    """Set mass [kg], principal inertia [kg m^2] and inertial frame of a link.

    Returns:
        True if one of them is another now.
    """
    state = record.links[index]
    moved = state.com != com
    if not moved and state.mass == mass and state.inertia == inertia:
        return False
    state.mass, state.inertia, state.com = mass, inertia, com
    if moved:
        scene.later(_FRAME, record, index)
    scene.later(_INERTIAL, record, index)
    if moved:
        scene.write_late()
    return True


def inertial_changed(scene: Scene, record: BodyRecord, index: int) -> None:
    """Have the mass and principal inertia of a link written, which its record has anew.

    Once for many changes: while `INERTIAL_WAITS` is among the link's ``waits``, there is nothing
    to say.
    """
    record.links[index].waits |= INERTIAL_WAITS
    scene.later(_INERTIAL, record, index)


def _frame_to_model(memory: LinkMemory, record: BodyRecord, index: int) -> None:
    state = record.links[index]
    memory.write_frame(state.body, state.com)


def _inertial_to_model(memory: LinkMemory, record: BodyRecord, index: int) -> None:
    state = record.links[index]
    mass, inertia = body_mass(record, index)
    memory.write_inertial(state.body, mass, inertia, state.com)


def _inertial_to_spec(record: BodyRecord, index: int) -> None:
    write_inertial(record.links[index], *body_mass(record, index))


_INERTIAL = Edit(_inertial_to_model, _inertial_to_spec)
_FRAME = Edit(_frame_to_model, _inertial_to_spec)


def set_friction(
    scene: Scene, record: BodyRecord, index: int, friction: tuple[float, float, float]
) -> None:
    """Set sliding, spinning [m] and rolling [m] friction of a link's shapes."""
    state = record.links[index]
    if state.friction != friction:
        state.friction = friction
        if not state.waits & _FRICTION_WAITS:
            state.waits |= _FRICTION_WAITS
            scene.later(_FRICTION, record, index)


def _friction_to_model(memory: LinkMemory, record: BodyRecord, index: int) -> None:
    state = record.links[index]
    memory.write_friction(_geoms(state), state.friction, condim(state.friction))


def _friction_to_spec(record: BodyRecord, index: int) -> None:
    state = record.links[index]
    friction, dimension = state.friction, condim(state.friction)
    for geom in state.spec_geoms:
        geom.friction = friction
        geom.condim = dimension


_FRICTION = Edit(_friction_to_model, _friction_to_spec)


def set_contact(
    scene: Scene,
    record: BodyRecord,
    index: int,
    *,
    restitution: float,
    stiffness: float,
    damping: float,
) -> None:
    """Set restitution, contact stiffness [N/m] and contact damping [Ns/m] of a link's shapes."""
    state = record.links[index]
    numbers = (restitution, stiffness, damping)
    if (state.restitution, state.stiffness, state.damping) != numbers:
        state.restitution, state.stiffness, state.damping = numbers
        scene.later(_CONTACT, record, index)


def _contact_to_model(memory: LinkMemory, record: BodyRecord, index: int) -> None:
    state = record.links[index]
    memory.write_surface(_geoms(state), surface_numbers(state))


def _contact_to_spec(record: BodyRecord, index: int) -> None:
    state = record.links[index]
    numbers = surface_numbers(state)
    for geom in state.spec_geoms:
        geom.userdata = numbers


_CONTACT = Edit(_contact_to_model, _contact_to_spec)


def set_anisotropy(scene: Scene, record: BodyRecord, index: int, factors: Vec3) -> None:
    """Set how friction differs along the axes of a link's inertial frame."""
    state = record.links[index]
    if state.anisotropy != factors:
        state.anisotropy = factors
        scene.later(_CONTACT, record, index)
    if not scene.options.anisotropic_friction:
        scene.options.anisotropic_friction = True
        scene.apply_options()


def set_farthest_contact(scene: Scene, record: BodyRecord, index: int, distance: float) -> None:
    """Set the distance [m] from which on contacts of a link's shapes have no force."""
    state = record.links[index]
    if state.farthest_contact != distance:
        state.farthest_contact = distance
        scene.later(_CONTACT, record, index)


def set_speed_limit(scene: Scene, record: BodyRecord, limit: float) -> None:
    """Set the largest speed of every coordinate of a body [rad/s or m/s]."""
    if record.options.speed_limit != limit:
        record.options.speed_limit = limit
        scene.later(_BODY_NUMBERS, record, 0)


def set_body_damping(scene: Scene, record: BodyRecord, linear: float, angular: float) -> None:
    """Set linear and angular damping of all links of a body (see rules.damping)."""
    options = record.options
    if (options.linear_damping, options.angular_damping) != (linear, angular):
        options.linear_damping, options.angular_damping = linear, angular
        scene.later(_BODY_NUMBERS, record, 0)


def _body_numbers_to_model(memory: LinkMemory, record: BodyRecord, index: int) -> None:
    bodies = range(record.body, record.body + len(record.links))
    memory.write_bodies(bodies, body_user(record.options))


def _body_numbers_to_spec(record: BodyRecord, index: int) -> None:
    numbers = body_user(record.options)
    for state in record.links:
        if state.spec_body is not None:
            state.spec_body.userdata = numbers


_BODY_NUMBERS = Edit(_body_numbers_to_model, _body_numbers_to_spec)


def set_joint_damping(scene: Scene, record: BodyRecord, index: int, damping: float) -> None:
    """Set the viscous damping of a joint [Nms/rad or Ns/m]."""
    joint = record.joints[index]
    if joint.damping != damping:
        joint.damping = damping
        scene.later(_JOINT_DAMPINGS, record, 0)


def _joint_dampings_to_model(memory: LinkMemory, record: BodyRecord, index: int) -> None:
    world = memory.world
    for joint in record.joints:
        if joint.damping is not None and joint.nv:
            world.joint_damping[joint.dof : joint.dof + joint.nv] = joint.damping
    world.place_damping()


def _joint_dampings_to_spec(record: BodyRecord, index: int) -> None:
    for joint in record.joints:
        if joint.damping is not None:
            for spec_joint in joint.spec_joints:
                spec_joint.damping = [joint.damping, 0.0, 0.0]  # linear, then the higher powers


_JOINT_DAMPINGS = Edit(_joint_dampings_to_model, _joint_dampings_to_spec)


def set_joint_limits(
    scene: Scene, record: BodyRecord, index: int, lower: float, upper: float
) -> None:
    """Set the limits of a joint with one axis [rad or m]; ``lower > upper`` takes them away."""
    joint = record.joints[index]
    if joint.nv != 1 or record.links[index].link.joint.type is JointType.FLOATING:
        return
    if joint.limits != (lower, upper):
        joint.limits = lower, upper
        scene.later(_JOINT_LIMITS, record, index)


def _joint_limits_to_model(memory: LinkMemory, record: BodyRecord, index: int) -> None:
    joint, model = record.joints[index], memory.world.model
    lower, upper = joint.limits or (1.0, -1.0)
    limited = model.jnt_limited[joint.joint] = lower <= upper
    if limited:
        model.jnt_range[joint.joint] = joint_range(lower, upper)


def _joint_limits_to_spec(record: BodyRecord, index: int) -> None:
    joint = record.joints[index]
    lower, upper = joint.limits or (1.0, -1.0)
    spec_joint = joint.spec_joints[0]
    spec_joint.limited = lower <= upper
    if spec_joint.limited:
        spec_joint.range = joint_range(lower, upper)


_JOINT_LIMITS = Edit(_joint_limits_to_model, _joint_limits_to_spec)


def _geoms(state: LinkRecord) -> range:
    return range(state.geom, state.geom + state.ngeom)


def scale_motor_limits(scene: Scene, factor: float) -> None:
    """Multiply the force limits of all motors, those of ball joints among them."""
    world = scene.world
    numbers, model = world.data.userdata, world.model
    drives = int(model.numeric_data[t.N_DRIVES]) * t.DRIVE_SIZE
    numbers[t.D_LIMIT : drives : t.DRIVE_SIZE] *= factor
    balls = int(model.numeric_data[t.N_BALLS])
    rules = numbers[transfer.ball_slice(numbers, 0, balls)].reshape(balls, t.BALL_SIZE)
    rules[:, t.S_LIMIT : t.S_LIMIT + 3] *= factor
