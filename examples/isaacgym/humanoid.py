"""A humanoid that runs along x: nineteen motors of different strength.

unibody run examples/isaacgym/humanoid.py --num_envs 64 --headless
"""

import isaacgym  # noqa: F401 - before torch, as Isaac Gym wants it

from ant import Runner
from vec_env import run


class Humanoid(Runner):
    """Two legs, two arms, and joints with weak springs."""

    num_obs = 13 + 3 * 19
    num_actions = 19
    file = "humanoid.xml"
    height = 1.02
    fallen = 0.7
    cost = 0.01
    alive = 2.0
    camera = (3.0, 2.5, 1.6), (0.0, 0.0, 0.9)


if __name__ == "__main__":
    run(Humanoid)
