"""Which properties of a model a script has changed."""

from __future__ import annotations

from enum import IntEnum


class SolverNotifyFlags(IntEnum):
    """Bits of `SolverBase.notify_model_changed`."""

    JOINT_PROPERTIES = 1 << 0
    JOINT_DOF_PROPERTIES = 1 << 1
    BODY_PROPERTIES = 1 << 2
    BODY_INERTIAL_PROPERTIES = 1 << 3
    SHAPE_PROPERTIES = 1 << 4
    MODEL_PROPERTIES = 1 << 5
    CONSTRAINT_PROPERTIES = 1 << 6
    TENDON_PROPERTIES = 1 << 7
    ACTUATOR_PROPERTIES = 1 << 8
    ALL = (1 << 9) - 1


class ModelFlags(IntEnum):
    """Their name of 1.x, which has parts of `JOINT_DOF_PROPERTIES`, too."""

    JOINT_PROPERTIES = 1 << 0
    JOINT_DOF_PROPERTIES = 1 << 1
    BODY_PROPERTIES = 1 << 2
    BODY_INERTIAL_PROPERTIES = 1 << 3
    SHAPE_PROPERTIES = 1 << 4
    MODEL_PROPERTIES = 1 << 5
    CONSTRAINT_PROPERTIES = 1 << 6
    TENDON_PROPERTIES = 1 << 7
    ACTUATOR_PROPERTIES = 1 << 8
    JOINT_DOF_FORCE_PROPERTIES = 1 << 9
    JOINT_DOF_INERTIAL_PROPERTIES = 1 << 10
    JOINT_REFERENCE_POSE_PROPERTIES = 1 << 11
    SHAPE_TYPE_AND_SOURCE = 1 << 12
    ALL = (1 << 13) - 1


class StateFlags(IntEnum):
    """Bits of `SolverBase.reset`: which arrays of a state are written."""

    NONE = 0
    JOINT_Q = 1 << 0
    JOINT_QD = 1 << 1
    BODY_Q = 1 << 2
    BODY_QD = 1 << 3
    PARTICLE_Q = 1 << 4
    PARTICLE_QD = 1 << 5
    BODY_F = 1 << 6
    PARTICLE_F = 1 << 7
    JOINT_F = 1 << 8
    BODY = BODY_Q | BODY_QD
    PARTICLE = PARTICLE_Q | PARTICLE_QD
    JOINT = JOINT_Q | JOINT_QD
    FORCE = BODY_F | PARTICLE_F | JOINT_F
    ALL = BODY | PARTICLE | JOINT | FORCE
