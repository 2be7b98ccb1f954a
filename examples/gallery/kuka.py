"""A Kuka arm over a table with a heap of cubes and balls: PyBullet's API."""

import sys

import numpy as np
import pybullet as p
import pybullet_data
from PIL import Image

p.connect(p.DIRECT)
p.setAdditionalSearchPath(pybullet_data.getDataPath())
p.setGravity(0, 0, -9.81)
p.loadURDF("plane.urdf", [0, 0, -0.625])
p.loadURDF("table/table.urdf", [0.5, 0, -0.625], useFixedBase=True)
arm = p.loadURDF("kuka_iiwa/model.urdf", useFixedBase=True)
for joint, angle in enumerate([0.5, 0.5, 0.0, -1.4, 0.0, 1.0, 0.0]):
    p.resetJointState(arm, joint, angle)
    p.setJointMotorControl2(arm, joint, p.POSITION_CONTROL, angle, force=300)
for i in range(30):
    name = "sphere_small.urdf" if i % 3 == 2 else "cube_small.urdf"
    turn = p.getQuaternionFromEuler([0.3 * i, 0.2 * i, 0.1 * i])
    body = p.loadURDF(name, [0.6 + 0.07 * (i % 3), -0.25 + 0.06 * (i % 5), 0.2 + 0.05 * i], turn)
    color = [0.5 + 0.5 * np.sin(i), 0.5 + 0.5 * np.sin(i + 2), 0.5 + 0.5 * np.sin(i + 4), 1]
    p.changeVisualShape(body, -1, rgbaColor=color)
for _ in range(600):
    p.stepSimulation()

view = p.computeViewMatrix([1.9, -1.0, 0.9], [0.4, 0, 0.2], [0, 0, 1])
projection = p.computeProjectionMatrixFOV(45, 16 / 10, 0.05, 30)
image = p.getCameraImage(960, 600, view, projection, lightDirection=[3, -4, 8], shadow=True)
Image.fromarray(np.reshape(image[2], (600, 960, 4))[..., :3].astype(np.uint8)).save(sys.argv[1])
