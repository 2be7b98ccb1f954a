"""The engine: scenes that can be edited, and the worlds that run them on MuJoCo.

A caller starts with ``scene.scene.Scene`` (bodies, constraints and options of one world),
``records.options`` (what a surface decides) and ``worlds.make_worlds`` (many worlds of a scene).
Questions about a running world are in ``queries`` and ``contacts``, a body alone is in
``kinematics``, states to go back to are in ``snapshots``.

The rooms, each of which imports only rooms above it:

- ``library``: MuJoCo's library in this process.
- ``records``: options, records of bodies, numbers of rules in a model.
- ``kinematics``: kinematics and dynamics of one body alone.
- ``block_solver``: Newton's method on dense blocks.
- ``rules``: the rows of MuJoCo's constraint problem that drives, contacts and constraints get.
- ``solver``: what solves a world's constraint problem.
- ``mesh_contacts``: contacts of triangle meshes and height fields.
- ``spec``: what MuJoCo is told about a scene.
- ``world``: one running world.
- ``contacts``: its contacts as arrays.
- ``states``: what is carried over a compile.
- ``insertion``: bodies and constraints that enter and leave a compiled model.
- ``model_cache``: compiled models that are used again.
- ``scene``: the editable description of one world.
- ``soft``, ``queries``, ``snapshots``, ``worlds``: soft bodies among rigid ones; distances, rays
  and forces; saved states; many worlds.
- ``plain``: worlds of MuJoCo models as they are, without our rules.
"""
