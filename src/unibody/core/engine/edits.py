"""Changing parameters of bodies in a scene, in place wherever the compiled model allows it."""

from __future__ import annotations

from unibody.core.assets.description import JointType, Pose, Vec3
from unibody.core.engine import carry
from unibody.core.engine.record import BodyRecord, LinkRecord
from unibody.core.engine.rows import table as t
from unibody.core.engine.scene import Scene
from unibody.core.engine.writer import (
    body_mass,
    body_user,
    condim,
    joint_range,
    surface_numbers,
    write_inertial,
)

_INERTIAL, _FRICTION = 1, 2  # bits of ``LinkRecord.waits``


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
        _write_inertial(scene, record, index)
    else:
        scene.later(_write_inertial, record, index)
    return True


def set_mass(scene: Scene, record: BodyRecord, index: int, mass: float, inertia: Vec3) -> bool:
    """Set mass [kg] and principal inertia [kg m^2] of a link; see `set_inertial`."""
    state = record.links[index]
    if state.mass == mass and state.inertia == inertia:
        return False
    state.mass, state.inertia = mass, inertia
    if not state.waits & _INERTIAL:
        state.waits |= _INERTIAL
        scene.later(_write_inertial, record, index)
    return True


def _write_inertial(scene: Scene, record: BodyRecord, index: int) -> None:
    state = record.links[index]
    state.waits &= ~_INERTIAL
    mass, inertia = body_mass(record, index)
    if state.spec_body is not None:
        write_inertial(state, mass, inertia)
    world = scene.compiled
    if world is not None:
        model, body = world.model, state.body
        model.body_mass[body], model.body_inertia[body] = mass, inertia
        model.body_ipos[body], model.body_iquat[body] = state.com
        world.constants_changed(body)


def set_friction(
    scene: Scene, record: BodyRecord, index: int, friction: tuple[float, float, float]
) -> None:
    """Set sliding, spinning [m] and rolling [m] friction of a link's shapes."""
    state = record.links[index]
    if state.friction != friction:
        state.friction = friction
        if not state.waits & _FRICTION:
            state.waits |= _FRICTION
            scene.later(_write_friction, record, index)


def _write_friction(scene: Scene, record: BodyRecord, index: int) -> None:
    state = record.links[index]
    state.waits &= ~_FRICTION
    friction, dimension = state.friction, condim(state.friction)
    for geom in state.spec_geoms:
        geom.friction = friction
        geom.condim = dimension
    world = scene.compiled
    if world is not None and state.ngeom:
        geoms = _geoms(state)
        world.model.geom_friction[geoms] = friction
        world.model.geom_condim[geoms] = dimension


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
        scene.later(_write_contact, record, index)


def _write_contact(scene: Scene, record: BodyRecord, index: int) -> None:
    state = record.links[index]
    numbers = surface_numbers(state)
    for geom in state.spec_geoms:
        geom.userdata = numbers
    world = scene.compiled
    if world is not None and state.ngeom:
        world.model.geom_user[_geoms(state)] = numbers


def set_anisotropy(scene: Scene, record: BodyRecord, index: int, factors: Vec3) -> None:
    """Set how friction differs along the axes of a link's inertial frame."""
    state = record.links[index]
    if state.anisotropy != factors:
        state.anisotropy = factors
        scene.later(_write_contact, record, index)
    if not scene.options.anisotropic_friction:
        scene.options.anisotropic_friction = True
        scene.apply_options()


def set_speed_limit(scene: Scene, record: BodyRecord, limit: float) -> None:
    """Set the largest speed of every coordinate of a body [rad/s or m/s]."""
    if record.options.speed_limit != limit:
        record.options.speed_limit = limit
        scene.later(_write_body_numbers, record, 0)


def set_body_damping(scene: Scene, record: BodyRecord, linear: float, angular: float) -> None:
    """Set linear and angular damping of all links of a body (see rows.damping)."""
    options = record.options
    if (options.linear_damping, options.angular_damping) != (linear, angular):
        options.linear_damping, options.angular_damping = linear, angular
        scene.later(_write_body_numbers, record, 0)


def _write_body_numbers(scene: Scene, record: BodyRecord, index: int) -> None:
    numbers = body_user(record.options)
    for state in record.links:
        if state.spec_body is not None:
            state.spec_body.userdata = numbers
    world = scene.compiled
    if world is not None:
        world.model.body_user[record.body : record.body + len(record.links)] = numbers


def set_joint_damping(scene: Scene, record: BodyRecord, index: int, damping: float) -> None:
    """Set the viscous damping of a joint [Nms/rad or Ns/m]."""
    joint = record.joints[index]
    if joint.damping != damping:
        joint.damping = damping
        scene.later(_write_joint_dampings, record, 0)


def _write_joint_dampings(scene: Scene, record: BodyRecord, index: int) -> None:
    world = scene.compiled
    for joint in record.joints:
        if joint.damping is None:
            continue
        for spec_joint in joint.spec_joints:
            spec_joint.damping = [joint.damping, 0.0, 0.0]  # linear, then the higher powers
        if world is not None and joint.nv:
            world.joint_damping[joint.dof : joint.dof + joint.nv] = joint.damping
    if world is not None:
        world.place_damping()


def set_joint_limits(
    scene: Scene, record: BodyRecord, index: int, lower: float, upper: float
) -> None:
    """Set the limits of a joint with one axis [rad or m]; ``lower > upper`` takes them away."""
    joint = record.joints[index]
    if joint.nv != 1 or record.links[index].link.joint.type is JointType.FLOATING:
        return
    if joint.limits != (lower, upper):
        joint.limits = lower, upper
        scene.later(_write_joint_limits, record, index)


def _write_joint_limits(scene: Scene, record: BodyRecord, index: int) -> None:
    joint = record.joints[index]
    lower, upper = joint.limits or (1.0, -1.0)
    limited = lower <= upper
    spec_joint = joint.spec_joints[0]
    spec_joint.limited = limited
    if limited:
        spec_joint.range = joint_range(lower, upper)
    world = scene.compiled
    if world is not None:
        world.model.jnt_limited[joint.joint] = limited
        if limited:
            world.model.jnt_range[joint.joint] = joint_range(lower, upper)


def _geoms(state: LinkRecord) -> slice:
    return slice(state.geom, state.geom + state.ngeom)


def scale_motor_limits(scene: Scene, factor: float) -> None:
    """Multiply the force limits of all motors, those of ball joints among them."""
    world = scene.world
    numbers, model = world.data.userdata, world.model
    drives = int(model.numeric_data[t.N_DRIVES]) * t.DRIVE_SIZE
    numbers[t.D_LIMIT : drives : t.DRIVE_SIZE] *= factor
    balls = int(model.numeric_data[t.N_BALLS])
    rules = numbers[carry.ball_slice(numbers, 0, balls)].reshape(balls, t.BALL_SIZE)
    rules[:, t.S_LIMIT : t.S_LIMIT + 3] *= factor
