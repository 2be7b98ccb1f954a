"""What short functions do, for arguments of scripts: see ``machine_code.calls.argument_forms``.

What these cannot tell is right they leave to the functions themselves.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from unibody.bullet import constants as c
from unibody.bullet.bodies import dynamics, loading, states, user_data
from unibody.bullet.clients.client import Client
from unibody.bullet.connection import connect as connection
from unibody.bullet.debug import items as debug_items
from unibody.bullet.debug import visualizer as debug
from unibody.bullet.handles.body import Body
from unibody.bullet.state.serial_order import SerialOrder
from unibody.bullet.state.user_data import UserDataStore
from unibody.bullet.worlds import settings
from unibody.core.assets.description import Vec3
from unibody.machine_code.calls.argument_forms import Form

_CLIENT = ("physicsClientId",)
_BODY = ("physicsClientId", "bodyUniqueId")
_BASE = ("physicsClientId", "objectUniqueId")
_SINGLE_STEP = c.COV_ENABLE_SINGLE_STEP_RENDERING


def _switch_visualizer(client: Client, flag: int, enable: int) -> Any:
    if flag < 0 or flag == _SINGLE_STEP:
        return NotImplemented
    client.visualizer[flag] = enable
    return None


def _set_up_visualizer(
    client: Client, resolution: int, size: int, interval: float, intensity: float,
    light: Vec3 | None, background: Vec3 | None,
) -> None:  # fmt: skip
    debug.keep_shadows(client, resolution, size, interval, intensity)
    if light is not None:
        client.camera["lightPosition"] = light
    if background is not None:
        client.camera["rgbBackground"] = background


def _body_at(client: Client, serial: int) -> int:
    ids = client.body_order.ids
    return ids[serial] if 0 <= serial < len(ids) else -1


def _note_id(client: Client, body: int, link: int, shape: int, key: str) -> Any:
    return client.user_data.numbers.get((body, link, shape, key), NotImplemented)


def _note(client: Client, number: int) -> bytes | None:
    return client.user_data.values.get(number)


def _set_filter(body: Body, link: int, group: int, mask: int) -> None:
    if -1 <= link < body.joint_count:
        body.scene.set_filter(body.record, link + 1, group, mask)


def _put_joint(body: Body, joint: int, position: float, velocity: float) -> Any:
    if not 0 <= joint < body.joint_count:
        return NotImplemented
    return body.set_joint(joint, position, velocity)


def _draw_nothing(client: Client, *item: Any) -> Any:
    """A window that is not there shows nothing, of what can be shown."""
    return NotImplemented if client.method == c.GUI else -1


FORMS: dict[Callable[..., Any], tuple[Form, ...]] = {
    loading.getNumBodies: (Form(None, (), _CLIENT, counts=(Client, "bodies")),),
    loading.getBodyUniqueId: (
        Form(
            _body_at, ("serialIndex",), _CLIENT,
            looks_up=((Client, "body_order"), (SerialOrder, "ids"), list),
        ),
    ),
    loading.getBodyInfo: (Form(None, (), _BODY, returns=(Body, "info")),),
    states.getNumJoints: (Form(None, (), _BODY, returns=(Body, "joint_count")),),
    user_data.getUserDataId: (
        Form(_note_id, ("bodyUniqueId", "linkIndex", "visualShapeIndex", "key"), _CLIENT),
    ),
    user_data.getUserData: (
        Form(
            _note, ("userDataId",), _CLIENT,
            looks_up=((Client, "user_data"), (UserDataStore, "values"), dict),
        ),
    ),
    dynamics.setCollisionFilterGroupMask: (
        Form(_set_filter, ("linkIndexA", "collisionFilterGroup", "collisionFilterMask"), _BODY),
    ),
    states.applyExternalForce: (
        Form(Body.add_force, ("linkIndex", "forceObj", "posObj", "flags"), _BASE),
    ),
    states.applyExternalTorque: (
        Form(Body.add_link_torque, ("linkIndex", "torqueObj", "flags"), _BASE),
    ),
    states.resetJointState: (
        Form(_put_joint, ("jointIndex", "targetValue", "targetVelocity"), _BODY, finite=True),
    ),
    states.resetBasePositionAndOrientation: (Form(Body.place_base, ("posObj", "ornObj"), _BODY),),
    states.resetBaseVelocity: (
        Form(Body.write_base_velocity, ("linearVelocity", "angularVelocity"), _BASE),
    ),
    connection.isConnected: (Form(None, (), _CLIENT, answer=1),),
    connection.isNumpyEnabled: (Form(None, ("physicsClientId",), answer=1),),
    dynamics.getDynamicsInfo: (Form(dynamics.link_dynamics, ("linkIndex",), _BODY),),
    settings.stepSimulation: (Form(Client.step, (), _CLIENT),),
    settings.setTimeStep: (Form(settings.set_time_step, ("timeStep",), _CLIENT),),
    settings.setGravity: (
        Form(settings.set_gravity, ("gravX", "gravY", "gravZ"), _CLIENT, finite=True),
    ),
    debug.configureDebugVisualizer: (
        Form(_switch_visualizer, ("flag", "enable"), _CLIENT),
        Form(
            _set_up_visualizer,
            (
                "shadowMapResolution", "shadowMapWorldSize", "remoteSyncTransformInterval",
                "shadowMapIntensity", "lightPosition", "rgbBackground",
            ),
            _CLIENT,
            {"lightPosition": 3, "rgbBackground": 3},
        ),
    ),
    debug.resetDebugVisualizerCamera: (
        Form(
            debug.look_from,
            ("cameraDistance", "cameraYaw", "cameraPitch", "cameraTargetPosition"),
            _CLIENT,
            {"cameraTargetPosition": 3},
        ),
    ),
    debug_items.addUserDebugLine: (
        Form(
            _draw_nothing,
            (
                "lineFromXYZ", "lineToXYZ", "lineColorRGB", "lineWidth", "lifeTime",
                "parentObjectUniqueId", "parentLinkIndex", "replaceItemUniqueId",
            ),
            _CLIENT,
            {"lineFromXYZ": 3, "lineToXYZ": 3},
        ),
    ),
    debug_items.addUserDebugText: (
        Form(
            _draw_nothing,
            (
                "text", "textPosition", "textColorRGB", "textSize", "lifeTime",
                "textOrientation", "parentObjectUniqueId", "parentLinkIndex",
                "replaceItemUniqueId",
            ),
            _CLIENT,
            {"textPosition": 3, "textColorRGB": 3, "textOrientation": 4},
        ),
    ),
    debug_items.addUserDebugParameter: (
        Form(_draw_nothing, ("paramName", "rangeMin", "rangeMax", "startValue"), _CLIENT),
    ),
}  # fmt: skip
