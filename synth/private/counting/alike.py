"""Similar columns, declared in the same way: one stem, and nearly the same values. PRIVATE."""

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from synth.domain import constraints
from synth.estimate import DraftColumn
from synth.private.counting.settling import ordered_texts

COMMON_KEYS = ("type", "format", "synth:outside")


def alike(found: Sequence[DraftColumn]) -> list[DraftColumn]:
    # Similar columns get the values that any of them has.
    groups = defaultdict(list)
    for place, one in enumerate(found):
        if stem := _stem(one.name):
            groups[(stem, *(one.field.get(key) for key in COMMON_KEYS))].append(place)
    joined = list(found)
    for places in groups.values():
        for place, one in zip(places, _join_group([found[i] for i in places]), strict=True):
            joined[place] = one
    return joined


def _stem(name: str) -> str:
    stem = re.sub(r"[ _.-]?\d+[A-Za-z]?$", "", name)
    return "" if stem in (name, "column") or not stem.strip("_.-?# ") else stem.casefold()


def _join_group(group: Sequence[DraftColumn]) -> Sequence[DraftColumn]:
    fields: list[Any] = [one.field for one in group]
    if len(group) < 2 or any(one.left_out for one in group):
        return group
    lists = [constraints(field).get("enum") for field in fields]
    if all(isinstance(listed, list) for listed in lists):
        return _of_lists(group, lists)
    plain = all("minimum" in constraints(f) and "synth:edges" not in f for f in fields)
    if plain and all(f["type"] in ("integer", "number") for f in fields):
        return _of_numbers(group, fields)
    return group


def _of_lists(group: Sequence[DraftColumn], lists: Sequence[Any]) -> Sequence[DraftColumn]:
    union = list(dict.fromkeys(text for listed in lists for text in listed))
    shared = max(map(len, lists))
    if len(union) > 1.25 * shared or any(len(listed) * 2 < shared for listed in lists):
        return group
    texts, _ = ordered_texts(union)
    return _with_constraints(group, {"enum": texts}, {})


def _of_numbers(group: Sequence[DraftColumn], fields: Sequence[Any]) -> Sequence[DraftColumn]:
    held = [field["constraints"] for field in fields]
    ends = [(float(one["minimum"]), float(one["maximum"])) for one in held]
    low, high = min(a for a, _ in ends), max(b for _, b in ends)
    if any((b - a) * 2 < high - low for a, b in ends):
        return group
    texts = [text for one in held for text in one.values() if isinstance(text, str)]
    spelled = {float(text): text for text in texts}
    limiting = {"minimum": spelled[low], "maximum": spelled[high]}
    keys: dict[str, Any] = {}
    if spikes := {text for f in fields for text in f.get("synth:spikes", [])}:
        keys["synth:spikes"] = sorted(spikes, key=float)
    if all("synth:bins" in f for f in fields):
        keys["synth:bins"] = int(high - low) + 1
    return _with_constraints(group, limiting, keys)


def _with_constraints(
    group: Sequence[DraftColumn], limiting: dict[str, Any], keys: dict[str, Any]
) -> list[DraftColumn]:
    required = all(constraints(one.field).get("required") for one in group)
    limiting = {"required": required, **limiting}
    return [replace(one, field={**one.field, **keys, "constraints": limiting}) for one in group]
