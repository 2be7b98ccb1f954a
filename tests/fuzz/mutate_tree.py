"""JSON and YAML: values of another kind or size, keys that went or have another name."""

from __future__ import annotations

import copy
import json
from random import Random
from typing import Any

import yaml

from tests.fuzz import mutate_lines
from tests.fuzz.values import TEXTS, changed_number, changed_text


def mutate_json(data: bytes, random: Random) -> bytes:
    """A damaged JSON document."""
    text = json.dumps(mutated(json.loads(data), random)).encode()
    return mutate_lines.mutate(text, random) if random.random() < 0.1 else text


def mutate_json_lines(data: bytes, random: Random) -> bytes:
    """Lines of JSON of which one is damaged."""
    if random.random() < 0.3:
        return mutate_lines.mutate(data, random)
    lines = data.splitlines()
    at = random.randrange(len(lines))
    lines[at] = json.dumps(mutated(json.loads(lines[at]), random)).encode()
    return b"".join(line + b"\n" for line in lines)


def mutate_yaml(data: bytes, random: Random) -> bytes:
    """A damaged YAML document; now and then with aliases of aliases."""
    kind = random.randrange(10)
    if kind == 0:
        return mutate_lines.mutate(data, random)
    if kind == 1:
        return data + _bomb(random)
    return yaml.safe_dump(mutated(yaml.safe_load(data), random), allow_unicode=True).encode()


def _bomb(random: Random) -> bytes:
    merge = random.random() < 0.5
    lines = ["x0: &x0 {k: 1}" if merge else "x0: &x0 [1]"]
    for level in range(1, random.choice((3, 12))):
        names = ", ".join([f"*x{level - 1}"] * 9)
        lines.append(f"x{level}: &x{level} " + (f"{{<<: [{names}]}}" if merge else f"[{names}]"))
    return ("\n" + "\n".join(lines) + "\n").encode()


def mutated(value: Any, random: Random) -> Any:
    """The same value with a few changes anywhere in it."""
    value = copy.deepcopy(value)
    for _ in range(random.choice((1, 1, 1, 2, 4))):
        value = _changed(value, random)
    return value


def _changed(value: Any, random: Random) -> Any:
    inner = isinstance(value, dict | list) and len(value) > 0
    if inner and random.random() < 0.85:
        keys = list(value) if isinstance(value, dict) else range(len(value))
        key = random.choice(list(keys))
        kind = random.randrange(10)
        if kind == 0:
            del value[key]
        elif kind == 1 and isinstance(value, dict):
            value[random.choice((*TEXTS, "name"))] = value.pop(key)
        elif kind == 1:
            value[key:key] = [value[key]] * random.choice((1, 3, 300))
        else:
            value[key] = _changed(value[key], random)
        return value
    if isinstance(value, bool) or value is None:
        return random.choice((True, False, None, 3, "yes", [], {}))
    if isinstance(value, int | float) and random.random() < 0.7:
        return changed_number(value, random)
    if isinstance(value, str) and random.random() < 0.7:
        return changed_text(value, random)
    return random.choice((None, [], {}, [value], {"a": value}, "x", -1, 1e308, float("nan"), True))
