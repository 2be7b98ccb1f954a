"""A gripper squeezes soft blocks of different stiffness, and lifts them.

unibody run examples/isaacgym/soft_squeeze.py --picture squeeze.png
"""

import argparse
import os

from isaacgym import gymapi, gymtorch

import numpy as np

ASSETS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "assets")
STIFFNESS = 1e4, 2e4, 4e4  # Pa, one an environment
DT = 1.0 / 240.0
LOWEST = 0.03  # m: half of the block
OPEN = 0.1  # m: between the fingers


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--picture", default="")
    args = parser.parse_args()

    gym = gymapi.acquire_gym()
    sim, envs = make(gym)
    eye = gymapi.CameraProperties()
    eye.width, eye.height, eye.horizontal_fov = 320, 240, 50.0
    cameras = [gym.create_camera_sensor(env, eye) for env in envs]
    for env, camera in zip(envs, cameras):
        position, target = gymapi.Vec3(0.14, -0.36, 0.24), gymapi.Vec3(0.0, 0.0, 0.12)
        gym.set_camera_location(camera, env, position, target)

    gym.prepare_sim(sim)
    particles = gymtorch.wrap_tensor(gym.acquire_particle_state_tensor(sim))
    for step in range(args.steps):
        share = step / args.steps
        closed = 0.028 * min(share / 0.4, 1.0)  # m
        raised = 0.08 * min(max(share - 0.5, 0.0) / 0.3, 1.0)
        for env in envs:
            gym.set_actor_dof_position_targets(env, 1, np.array([raised, closed, closed], "f"))
        gym.simulate(sim)
        gym.fetch_results(sim, True)
    report(gym, sim, envs, particles)
    if args.picture:
        gym.render_all_camera_sensors(sim)
        gym.step_graphics(sim)
        save(gym, sim, envs, cameras, args.picture)


def make(gym):
    """A simulation with a block and a gripper in each environment."""
    params = gymapi.SimParams()
    params.dt, params.substeps = DT, 1
    params.up_axis = gymapi.UP_AXIS_Z
    params.gravity = gymapi.Vec3(0.0, 0.0, -9.81)
    params.flex.shape_collision_distance = 5e-4
    params.flex.dynamic_friction = 0.9
    sim = gym.create_sim(0, 0, gymapi.SIM_FLEX, params)
    plane = gymapi.PlaneParams()
    plane.normal = gymapi.Vec3(0.0, 0.0, 1.0)
    gym.add_ground(sim, plane)

    block = gym.load_asset(sim, ASSETS, "soft_block.urdf", gymapi.AssetOptions())
    options = gymapi.AssetOptions()
    options.fix_base_link = True
    options.disable_gravity = True
    gripper = gym.load_asset(sim, ASSETS, "squeezer.urdf", options)
    envs = []
    for number, youngs in enumerate(STIFFNESS):
        env = gym.create_env(sim, gymapi.Vec3(-0.3, -0.3, 0.0), gymapi.Vec3(0.3, 0.3, 0.6), 3)
        envs.append(env)
        on_ground = gymapi.Transform(p=gymapi.Vec3(0.0, 0.0, LOWEST + 1e-3))
        actor = gym.create_actor(env, block, on_ground, "block", number, 0)
        (material,) = gym.get_actor_soft_materials(env, actor)
        material.youngs = youngs
        gym.set_actor_soft_materials(env, actor, [material])
        above = gymapi.Transform(p=gymapi.Vec3(0.0, 0.0, 0.11))
        hand = gym.create_actor(env, gripper, above, "gripper", number, 1)
        drives = gym.get_actor_dof_properties(env, hand)
        drives["driveMode"].fill(gymapi.DOF_MODE_POS)
        drives["stiffness"] = 4000.0, 2000.0, 2000.0
        drives["damping"] = 200.0, 50.0, 50.0
        gym.set_actor_dof_properties(env, hand, drives)
    return sim, envs


def report(gym, sim, envs, particles):
    """Say how far each block is squeezed and lifted, by which force, and how it is stressed."""
    gym.refresh_particle_state_tensor(sim)
    contacts = gym.get_soft_contacts(sim)
    _, stresses = gym.get_sim_tetrahedra(sim)
    count = len(particles) // len(envs)
    for number, (env, youngs) in enumerate(zip(envs, STIFFNESS)):
        finger = gym.find_actor_rigid_body_index(env, 1, "left_finger", gymapi.DOMAIN_SIM)
        force = contacts["lambda"][contacts["bodyIndex"] == finger].sum()
        places = particles[number * count : (number + 1) * count, :3].numpy()
        _, left, right = gym.get_actor_dof_states(env, 1, gymapi.STATE_POS)["pos"]
        width = OPEN - left - right
        span = gym.get_actor_tetrahedra_range(env, 0, 0)
        stress = max(von_mises(one) for one in stresses[span.start : span.start + span.count])
        print(
            f"{youngs:.0f} Pa: squeezed to {1e3 * width:.1f} mm by {force:.2f} N, "
            f"lifted {1e3 * places[:, 2].min():.1f} mm, stress at most {stress:.0f} Pa"
        )


def von_mises(s):
    """The equivalent stress of a tensor [Pa]."""
    normal = (s.x.x - s.y.y) ** 2 + (s.y.y - s.z.z) ** 2 + (s.z.z - s.x.x) ** 2
    return np.sqrt(0.5 * (normal + 6.0 * (s.x.y**2 + s.y.z**2 + s.z.x**2)))


def save(gym, sim, envs, cameras, file):
    """Write what the cameras see side by side."""
    from PIL import Image

    kind = gymapi.IMAGE_COLOR
    images = [
        gym.get_camera_image(sim, env, camera, kind).reshape(240, 320, 4)
        for env, camera in zip(envs, cameras)
    ]
    Image.fromarray(np.concatenate(images, axis=1)[..., :3]).save(file)


if __name__ == "__main__":
    main()
