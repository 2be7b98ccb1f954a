"""MuJoCo models that are not of this package step as if it were not there, bit for bit."""

from __future__ import annotations

import json
from pathlib import Path

from tests.support.process import run_python

SETTLE = """
import hashlib, json, sys
import mujoco
import numpy as np
from mujoco.batch import Batch

def numbers(count):
    return " ".join(f"{np.sin(3.7 * k * k) :.4f}" for k in range(count))

def bodies():
    shapes = (
        'type="cylinder" size="0.1 0.15"', 'type="box" size="0.12 0.1 0.08"',
        'type="capsule" size="0.07 0.1"', 'type="mesh" mesh="hull"',
        'type="ellipsoid" size=".1 .2 .1"',
        'type="sphere" size="0.1"', 'type="mesh" mesh="wedge"',
    )
    for number in range(42):
        x, y, z = 0.4 * (number % 6) - 1.0, 0.4 * (number // 6) - 1.2, 0.2 + 0.05 * (number % 5)
        turn = "1 0 0 0" if number % 3 else f"1 {0.01 * number} 0.1 0"
        yield (
            f'<body pos="{x} {y} {z}" quat="{turn}"><freejoint/>'
            f'<geom {shapes[number % len(shapes)]} density="500"/></body>'
        )

XML = f'''
<mujoco>
  <option timestep="0.004" jacobian="JACOBIAN"/>
  <custom><numeric name="own" size="40" data="{numbers(40)}"/></custom>
  <asset>
    <mesh name="hull" vertex="{numbers(60)}" scale="0.15 0.15 0.15"/>
    <mesh name="wedge" vertex="0 0 0 .3 0 0 0 .3 0 0 0 .3 .3 .3 0"/>
    <hfield name="hills" nrow="8" ncol="8" size="1 1 0.2 0.1"
      elevation="{' '.join(f'{abs(np.sin(2.1 * k)):.4f}' for k in range(64))}"/>
  </asset>
  <worldbody>
    <geom type="plane" size="5 5 1" contype="1" conaffinity="1"/>
    <geom type="hfield" hfield="hills" pos="1 1 0.05"/>
    <geom type="box" size="0.3 0.3 0.05" pos="-0.6 -0.6 0.05"/>
    {''.join(bodies())}
    <body pos="0 0 1.2"><joint type="ball"/><geom type="cylinder" size="0.05 0.3" contype="2"/>
      <body pos="0 0 0.3"><joint axis="0 1 0" damping="0.1"/><geom size="0.1"/>
        <site name="s"/></body>
    </body>
  </worldbody>
  <sensor><accelerometer site="s"/><touch site="s"/></sensor>
</mujoco>'''

def noted(data):
    found = hashlib.sha256()
    for array in (data.qpos, data.qvel, data.qacc, data.efc_force, data.efc_aref, data.sensordata,
                  data.contact.pos, data.contact.frame, data.contact.dist, data.contact.geom,
                  data.cfrc_ext, data.cacc, data.qfrc_constraint, data.xfrc_applied):
        found.update(np.ascontiguousarray(array).tobytes())
    return found.hexdigest()

def stepped(jacobian):
    model = mujoco.MjModel.from_xml_string(XML.replace("JACOBIAN", jacobian))
    data = mujoco.MjData(model)
    notes, pairs = [], set()
    for _ in range(400):
        mujoco.mj_step(model, data)
        notes.append(noted(data))
        pairs |= {tuple(sorted(model.geom_type[g].tolist())) for g in data.contact.geom}
    boxes = [g for g in range(model.ngeom) if model.geom_type[g] == mujoco.mjtGeom.mjGEOM_BOX]
    distances = [mujoco.mj_geomDistance(model, data, a, b, 3.0, None).hex()
                 for a in boxes for b in boxes if a < b]
    timed = data.timer[mujoco.mjtTimer.mjTIMER_STEP].duration > 0.0
    return notes, sorted(str(p) for p in pairs), distances, timed

def batched():
    model = mujoco.MjModel.from_xml_string(XML.replace("JACOBIAN", "auto"))
    batch = Batch(model, nsim=3, nthread=2)
    qpos = batch.bind("qpos")
    qpos[:, 0] += np.arange(3) * 0.01
    for _ in range(150):
        batch.step()
    return hashlib.sha256(np.ascontiguousarray(qpos).tobytes()).hexdigest()

def result():
    return [stepped("dense"), stepped("sparse"), batched()]
"""
BEFORE = f"{SETTLE}\nprint(json.dumps(result()))"
BESIDE = f"""
import unibody.bullet as p
p.connect(p.DIRECT)
p.createMultiBody(0, p.createCollisionShape(p.GEOM_PLANE))
for kind, size in ((p.GEOM_BOX, {{}}), (p.GEOM_CYLINDER, {{}}), (p.GEOM_SPHERE, {{}})):
    more = {{"halfExtents": (0.1, 0.1, 0.1)}} if kind == p.GEOM_BOX else {{}}
    p.createMultiBody(1, p.createCollisionShape(kind, **more), basePosition=(0, 0, 1))
hills = p.createCollisionShape(p.GEOM_HEIGHTFIELD, numHeightfieldRows=3, numHeightfieldColumns=3,
    heightfieldData=[0.0, 0.1, 0.2] * 3)
p.createMultiBody(0, hills)
p.stepSimulation()
p.getClosestPoints(1, 2, 5.0)
{BEFORE}
p.stepSimulation()
"""


def test_a_model_of_somebody_else_steps_bit_for_bit_as_without_this_package(tmp_path: Path) -> None:
    runs: list[str] = []
    for program in (BEFORE, BESIDE):
        run = run_python(["-c", program], cwd=tmp_path)
        assert run.returncode == 0, run.stderr
        runs.append(run.stdout.splitlines()[-1])
    dense, _, _ = json.loads(runs[0])
    # what it is about is there: plane, hfield, sphere, capsule, ellipsoid, cylinder, box, mesh
    kinds = " ".join(dense[1])
    assert all(f"({a}, {b})" in kinds for a, b in ((0, 5), (0, 6), (0, 7), (1, 6), (6, 7)))
    assert json.loads(runs[0]) == json.loads(runs[1])
