"""Gymnasium environments on the engine: one base, a task a file, any number of worlds.

Importing this registers all tasks with Gymnasium. ``registry`` names them, ``task`` is what a task
writes, ``vector`` and ``single`` are the environments that Gymnasium gets.
Needs the extra ``envs``.
"""

from unibody.envs.registry import register_all

register_all()
