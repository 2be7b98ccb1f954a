"""A cloth that has fallen over a ball: PyBullet's API."""

import sys

import numpy as np
import pybullet as p
import pybullet_data
from PIL import Image

p.connect(p.DIRECT)
p.resetSimulation(p.RESET_USE_DEFORMABLE_WORLD)
p.setAdditionalSearchPath(pybullet_data.getDataPath())
p.setGravity(0, 0, -9.81)
p.loadURDF("plane.urdf")
ball = p.createCollisionShape(p.GEOM_SPHERE, radius=0.4)
look = p.createVisualShape(p.GEOM_SPHERE, radius=0.4, rgbaColor=[0.95, 0.75, 0.2, 1])
p.createMultiBody(0, ball, look, [0, 0, 0.4])
cloth = p.loadSoftBody(
    "cloth_z_up.obj", [0, 0, 1.1], scale=1.0, mass=1, useMassSpring=1, useBendingSprings=1,
    springElasticStiffness=40, springDampingStiffness=0.1, frictionCoeff=0.5, useFaceContact=1,
    collisionMargin=0.08,
)  # fmt: skip
p.changeVisualShape(cloth, -1, rgbaColor=[0.25, 0.45, 0.85, 1], flags=p.VISUAL_SHAPE_DOUBLE_SIDED)
for _ in range(480):
    p.stepSimulation()

view = p.computeViewMatrix([2.0, -2.0, 1.3], [0, 0, 0.45], [0, 0, 1])
projection = p.computeProjectionMatrixFOV(45, 16 / 10, 0.05, 30)
image = p.getCameraImage(960, 600, view, projection, lightDirection=[3, -4, 8], shadow=True)
Image.fromarray(np.reshape(image[2], (600, 960, 4))[..., :3].astype(np.uint8)).save(sys.argv[1])
