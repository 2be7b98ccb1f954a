"""Six training tasks: Gymnasium's interface."""

import sys

import gymnasium
import numpy as np
from PIL import Image

import unibody.envs  # noqa: F401 - registers the tasks

NAMES = ("Ant", "Humanoid", "QuadrupedRough", "PickAndPlace", "Reach", "Navigation")
sheet = Image.new("RGB", (3 * 320, 2 * 240))
for place, name in enumerate(NAMES):
    env = gymnasium.make(f"unibody/{name}-v0", render_mode="rgb_array")
    env.reset(seed=1)
    for _ in range(5):
        env.step(np.zeros(env.action_space.shape, np.float32))
    tile = Image.fromarray(env.render()).resize((320, 240))
    sheet.paste(tile, (place % 3 * 320, place // 3 * 240))
    env.close()
sheet.save(sys.argv[1])
