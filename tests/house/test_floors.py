"""The boxes of `synth.questions` stand on floors: each imports from lower floors only."""

from itertools import chain

from tests.house.test_circles import graph

ROOM = "synth.questions"

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


def box(module: str) -> str:
    """Return the file or folder of the room that a module belongs to."""
    return module.removeprefix(f"{ROOM}.").split(".")[0]


def test_every_box_of_questions_has_a_floor() -> None:
    boxes = {box(module) for module in graph() if module.startswith(f"{ROOM}.")}
    assert sorted(chain(*FLOORS)) == sorted(boxes)
    assert len(FLOORS) <= 10


def test_no_import_in_questions_goes_up_or_stays_on_its_floor() -> None:
    heights = {
        name: height for height, floor in enumerate(reversed(FLOORS)) for name in floor
    }
    upward = {
        f"{module} -> {imported}"
        for module, imports in graph().items()
        for imported in imports
        if module.startswith(f"{ROOM}.") and imported.startswith(f"{ROOM}.")
        if box(module) != box(imported)
        if heights[box(module)] <= heights[box(imported)]
    }
    assert upward == set()
