"""ModelBuilder: the table of its methods, one topic a module."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import NoReturn

from unibody.newton import exceptions
from unibody.newton.attributes import CustomAttribute, CustomFrequency
from unibody.newton.builder import (
    absent,
    approximation,
    arguments,
    attachments,
    bodies,
    collapse,
    coloring,
    constraints,
    custom,
    deformables,
    elements,
    finalize,
    joints,
    later_rods,
    mimics,
    pairs,
    particles,
    rods,
    shapes,
    soft_bodies,
    tendons,
    validation,
    worlds,
)
from unibody.newton.builder.tables import Tables
from unibody.newton.configs import JointDofConfig, MeshApproximationConfig, ShapeConfig
from unibody.newton.dialect import is_after_first_of_1
from unibody.newton.enums import ColoringAlgorithm
from unibody.newton.importers import mjcf, urdf, usd
from unibody.newton.state import Contacts, State


class ModelBuilder(Tables):
    """A description of particles, bodies, joints and shapes that becomes a `Model`.

    Its properties are lists, one entry an entity. Entities belong to `current_world`; -1 is all
    worlds.

    Args:
        up_axis: Which axis points up.
        gravity: Along it [m/s^2].
    """

    ColoringAlgorithm = ColoringAlgorithm
    CustomAttribute = CustomAttribute
    CustomFrequency = CustomFrequency
    JointDofConfig = JointDofConfig
    MeshApproximationConfig = MeshApproximationConfig
    ShapeConfig = ShapeConfig

    add_link = bodies.add_link
    set_joint_mimic = mimics.set_joint_mimic
    add_body = joints.add_body
    add_articulation = bodies.add_articulation

    add_joint = joints.add_joint
    add_joint_ball = joints.add_joint_ball
    add_joint_cable = joints.add_joint_cable
    add_joint_rod = later_rods.add_joint_rod
    add_joint_d6 = joints.add_joint_d6
    add_joint_distance = joints.add_joint_distance
    add_joint_fixed = joints.add_joint_fixed
    add_joint_free = joints.add_joint_free
    add_joint_prismatic = joints.add_joint_prismatic
    add_joint_revolute = joints.add_joint_revolute

    add_attachment_particle_body = attachments.add_attachment_particle_body
    add_constraint_mimic = constraints.add_constraint_mimic
    add_equality_constraint = constraints.add_equality_constraint
    add_equality_constraint_connect = constraints.add_equality_constraint_connect
    add_equality_constraint_joint = constraints.add_equality_constraint_joint
    add_equality_constraint_weld = constraints.add_equality_constraint_weld
    add_muscle = constraints.add_muscle
    add_tendon = tendons.add_tendon

    add_ground_plane = shapes.add_ground_plane
    add_shape = shapes.add_shape
    add_shape_box = shapes.add_shape_box
    add_shape_capsule = shapes.add_shape_capsule
    add_shape_cone = shapes.add_shape_cone
    add_shape_convex_hull = shapes.add_shape_convex_hull
    add_shape_cylinder = shapes.add_shape_cylinder
    add_shape_ellipsoid = shapes.add_shape_ellipsoid
    add_shape_mesh = shapes.add_shape_mesh
    add_shape_heightfield = shapes.add_shape_heightfield
    add_shape_plane = shapes.add_shape_plane
    add_shape_sdf = shapes.add_shape_sdf
    add_shape_sphere = shapes.add_shape_sphere
    add_site = shapes.add_site
    add_shape_collision_filter_pair = pairs.add_shape_collision_filter_pair
    find_shape_contact_pairs = pairs.find_shape_contact_pairs

    add_particle = particles.add_particle
    add_particles = particles.add_particles
    add_particle_grid = particles.add_particle_grid
    add_spring = particles.add_spring
    add_edge = elements.add_edge
    add_edges = elements.add_edges
    add_tetrahedron = elements.add_tetrahedron
    add_triangle = elements.add_triangle
    add_triangles = elements.add_triangles
    add_cloth_grid = deformables.add_cloth_grid
    add_cloth_mesh = deformables.add_cloth_mesh
    add_soft_grid = soft_bodies.add_soft_grid
    add_soft_mesh = soft_bodies.add_soft_mesh
    add_rod = rods.add_rod
    add_rod_graph = rods.add_rod_graph
    color = coloring.color
    set_coloring = coloring.set_coloring

    add_builder = worlds.add_builder
    add_world = worlds.add_world
    begin_world = worlds.begin_world
    end_world = worlds.end_world
    replicate = worlds.replicate
    collapse_fixed_joints = collapse.collapse_fixed_joints

    add_custom_attribute = custom.add_custom_attribute
    add_custom_frequency = custom.add_custom_frequency
    add_custom_values = custom.add_custom_values
    add_custom_values_batch = custom.add_custom_values_batch
    get_custom_attributes_by_frequency = custom.get_custom_attributes_by_frequency
    get_custom_frequency_keys = custom.get_custom_frequency_keys
    has_custom_attribute = custom.has_custom_attribute

    add_mjcf = mjcf.add_mjcf
    add_urdf = urdf.add_urdf
    add_usd = usd.add_usd
    approximate_meshes = approximation.approximate_meshes
    plot_articulation: Callable[..., NoReturn] = absent.method("plot_articulation")

    finalize = finalize.finalize
    validate_joint_ordering = validation.validate_joint_ordering

    def request_state_attributes(self, *attributes: str) -> None:
        """Let states of the model have attributes that exist only when asked for."""
        if is_after_first_of_1():
            exceptions.warn(
                "ModelBuilder.request_state_attributes() is deprecated since Newton 1.7:"
                " observables() of a solver has them",
                exceptions.NewtonDeprecationWarning,
            )
        State.validate_extended_attributes(attributes)
        self._requested_state_attributes.update(attributes)

    def request_contact_attributes(self, *attributes: str) -> None:
        """Let contacts of the model have attributes that exist only when asked for."""
        Contacts.validate_extended_attributes(attributes)
        self._requested_contact_attributes.update(attributes)


for _name, _function in list(vars(ModelBuilder).items()):
    if inspect.isfunction(_function):
        setattr(ModelBuilder, _name, arguments.telling(_function))
