"""Three ropes that hang over a beam: Newton's API (1.x), rods of capsules."""

import math
import sys

import newton
import warp as wp
from PIL import Image

builder = newton.ModelBuilder()
builder.add_ground_plane()
along = wp.quat_from_axis_angle(wp.vec3(1.0, 0.0, 0.0), math.pi / 2)
builder.add_shape_cylinder(
    -1, xform=wp.transform(wp.vec3(0.0, 0.0, 0.7), along), radius=0.08, half_height=0.7
)
for rope in range(3):
    points = [wp.vec3(-0.6 + 0.04 * k, 0.35 * (rope - 1), 0.85) for k in range(31)]
    builder.add_rod(
        points, radius=0.018, bend_stiffness=0.05, bend_damping=0.02, stretch_stiffness=1e5
    )
builder.color()
model = builder.finalize()
solver = newton.solvers.SolverVBD(model, iterations=10)
state, following, control = model.state(), model.state(), model.control()
for _ in range(600):
    state.clear_forces()
    contacts = model.collide(state)
    solver.step(state, following, control, contacts, 1.0 / 600.0)
    state, following = following, state

viewer = newton.viewer.ViewerGL(960, 600)
viewer.set_model(model)
viewer.set_camera(wp.vec3(1.7, -1.7, 1.3), -18.0, 135.0)
viewer.log_state(state)
Image.fromarray(viewer.get_frame().numpy()).save(sys.argv[1])
viewer.close()
