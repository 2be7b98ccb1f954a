"""Many bodies are written at once, as parts that are attached."""

import mujoco
import numpy as np

from unibody.core.assets.description import Asset, Inertial, Joint, JointType, Link, Pose, Shape
from unibody.core.assets.description import ShapeKind as Kind
from unibody.core.engine.records.options import BodyOptions, WorldOptions
from unibody.core.engine.spec.blank import new_spec
from unibody.core.engine.spec.geometry import MeshStore
from unibody.core.engine.spec.many import write_bodies
from unibody.core.engine.spec.writer import erase_body, make_record, write_body

COUNT = 700  # some parts, and a rest


def bodies():
    """Boxes and balls of their own sizes, held and free, with a pair of links in the middle."""
    records = []
    for number in range(COUNT):
        kind = Kind.BOX if number % 3 else Kind.SPHERE
        size = (0.1, 0.2, 0.3) if kind is Kind.BOX else (0.1 + 1e-4 * number,)
        inertial = Inertial(mass=1.0 + number, inertia=(0.1, 0.1, 0.1, 0.0, 0.0, 0.0))
        link = Link("base", inertial=inertial, collisions=[Shape(kind, size)])
        links = [link]
        if number == COUNT // 2:
            joint = Joint("turn", JointType.CONTINUOUS, axis=(0.0, 0.0, 1.0))
            links.append(Link("arm", parent=0, joint=joint, inertial=inertial))
        options = BodyOptions(pose=Pose((0.5 * number, 0.0, 1.0)), fixed=number % 5 == 0)
        records.append(make_record(number, Asset("thing", links), options))
    return records


def fields(model):
    return {
        name: value
        for name in dir(model)
        if isinstance(value := getattr(model, name), np.ndarray | bytes | int)
        and not name.startswith("_")
        and name != "signature"  # of the elements of the spec, frames among them
    }


def test_the_model_is_that_of_bodies_that_are_written_one_by_one():
    options = WorldOptions()
    single, many = new_spec(options), new_spec(options)
    store = MeshStore(single)
    for record in bodies():
        write_body(single, record, store)
    write_bodies(many, bodies(), MeshStore(many))
    expected, found = fields(single.compile()), fields(many.compile())
    different = [name for name in expected if not np.array_equal(expected[name], found[name])]
    assert expected["nbody"] == COUNT + 2
    assert not different


def test_bodies_that_were_written_at_once_are_changed_and_taken_out_one_by_one():
    spec = new_spec(WorldOptions())
    records, store = bodies(), MeshStore(spec)
    write_bodies(spec, records, store)
    records[7].links[0].spec_body.pos = (9.0, 9.0, 9.0)
    erase_body(spec, records[8], store)
    model = spec.compile()
    assert model.nbody == COUNT + 1
    names = [mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_BODY, k) for k in range(7, 11)]
    assert names == ["b6_0", "b7_0", "b9_0", "b10_0"]
    assert model.body("b7_0").pos.tolist() == [9.0, 9.0, 9.0]
