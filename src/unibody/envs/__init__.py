"""Gymnasium environments on the engine: one base, a task a file, any number of worlds.

Importing this registers all tasks with Gymnasium. ``registry`` names them, ``task`` is what a task
writes, ``vector`` and ``single`` are the environments that Gymnasium gets, ``bullet_envs`` has the
names of ``pybullet_envs``. Needs the extra ``envs``.
"""

from unibody.envs import bullet_envs, registry

registry.register_all()
bullet_envs.register_all()
