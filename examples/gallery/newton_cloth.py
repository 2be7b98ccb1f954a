"""A cloth on a box: Newton's API, solved by vertex block descent."""

import sys

import newton
import warp as wp
from PIL import Image

builder = newton.ModelBuilder()
builder.add_ground_plane()
box = wp.transform(wp.vec3(0.0, 0.0, 0.3), wp.quat_identity())
builder.add_shape_box(-1, xform=box, hx=0.3, hy=0.3, hz=0.3)
builder.add_cloth_grid(
    pos=wp.vec3(-0.75, -0.75, 0.75), rot=wp.quat_identity(), vel=wp.vec3(0.0, 0.0, 0.0),
    dim_x=30, dim_y=30, cell_x=0.05, cell_y=0.05, mass=0.002,
    tri_ke=1.0e3, tri_ka=1.0e3, tri_kd=1.0e-4, edge_ke=0.05, edge_kd=1.0e-3, particle_radius=0.02,
)  # fmt: skip
builder.color()
model = builder.finalize()
model.soft_contact_ke, model.soft_contact_kd, model.soft_contact_mu = 1.0e4, 1.0e-2, 0.5
solver = newton.solvers.SolverVBD(model, iterations=10)
state, following, control = model.state(), model.state(), model.control()
for _ in range(300):
    state.clear_forces()
    contacts = model.collide(state)
    solver.step(state, following, control, contacts, 1.0 / 240.0)
    state, following = following, state

viewer = newton.viewer.ViewerGL(960, 600)
viewer.set_model(model)
viewer.set_camera(wp.vec3(1.7, -1.7, 1.4), -26.0, 135.0)
viewer.log_state(state)
Image.fromarray(viewer.get_frame().numpy()).save(sys.argv[1])
viewer.close()
