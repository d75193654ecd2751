"""The boxes of `synth.questions` stand on floors: each imports from lower floors only."""

from itertools import chain
from pathlib import Path

from tests.house.test_lanes import list_imports, list_modules

ROOM = "questions"

FLOORS = (
    ("alternatives", "least_costs"),
    ("inquiry",),
    ("arranging", "rebuilt_ways"),
    ("answers", "ways"),
    ("files", "quantiles"),
    ("moment_ways", "rewording", "strategies", "sum_ways"),
    ("checking", "moments", "way"),
    ("workloads",),
    ("wording",),
    ("kinds", "moves", "way_names"),
)
"""Files and folders of the room, the highest floor first."""


def box_of(module: str) -> str:
    """Return the file or folder of the room that a module, named within it, belongs to."""
    return module.split(".")[0]


def list_modules_of_room() -> dict[str, Path]:
    """Return the modules of the room by their names within it."""
    prefix = f"{ROOM}."
    return {
        name.removeprefix(prefix): path
        for name, path in list_modules().items()
        if name.startswith(prefix)
    }


def list_upward_imports() -> list[str]:
    """Return the imports between boxes that do not lead to a lower floor."""
    heights = {box: height for height, floor in enumerate(reversed(FLOORS)) for box in floor}
    upward = []
    for module, path in list_modules_of_room().items():
        for name in list_imports(path, list_modules()):
            imported = name.removeprefix(f"{ROOM}.")
            if imported == name or box_of(imported) == box_of(module):
                continue
            if heights[box_of(imported)] >= heights[box_of(module)]:
                upward.append(f"{module} -> {imported}")
    return upward


def test_every_box_of_questions_has_a_floor() -> None:
    boxes = {box_of(module) for module in list_modules_of_room()}
    assert sorted(chain(*FLOORS)) == sorted(boxes)
    assert len(FLOORS) <= 10


def test_no_import_in_questions_goes_up_or_stays_on_its_floor() -> None:
    assert list_upward_imports() == []
