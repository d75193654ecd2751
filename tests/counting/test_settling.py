"""What becomes of one column: numbers in their order, lists, dates, and what is left out."""

from pathlib import Path
from typing import Any

import pytest

from synth.private.counting import profile_table
from synth.private.table import open_table
from tests.tables import write


def settled(folder: Path, cells: list[str], name: str = "c") -> tuple[dict[str, Any], bool]:
    path = write(folder / "t.csv", [name, "x"], [[cell, "1"] for cell in cells])
    found = profile_table(open_table(path), [name])
    field: dict[str, Any] = found.columns[0].field
    return {k: v for k, v in field.items() if k != "name"}, name in found.left_out


@pytest.mark.parametrize(
    ("cells", "kind", "parts"),
    [
        (["2", "10", "1"] * 9, "integer", {"minimum": "1", "maximum": "10"}),
        (["50", "0", "100"] * 9, "string", {"enum": ["0", "50", "100"]}),
        (["0.5", "10.25", "2"] * 9, "string", {"enum": ["0.5", "2", "10.25"]}),
        (["007", "010"] * 9, "string", {"enum": ["007", "010"]}),
        (["13"] * 30, "string", {"enum": ["13"]}),
        (["None", "Minor", "None"] * 9, "string", {"enum": ["Minor", "None"]}),
        (["1", "2", "3", "none"] * 9, "integer", {"required": False}),
        (["dec", "jan", "may"] * 9, "string", {"enum": ["jan", "may", "dec"]}),
        (["20140523", "20150131"] * 9, "date", {"minimum": "2014-05-23", "maximum": "2015-01-31"}),
        (["2014-05", "2014-06"] * 9, "date", {"minimum": "2014-05-01", "maximum": "2014-06-30"}),
        (["2014", "2015", "2016"] * 9, "integer", {"minimum": "2014", "maximum": "2016"}),
        (["2024-01-01", "2024-03-05", "2024-02-02", "n.a."] * 9, "date", {"required": False}),
    ],
)
def test_kinds_by_what_is_held(
    cells: list[str], kind: str, parts: dict[str, Any], tmp_path: Path
) -> None:
    field, out = settled(tmp_path, cells)
    assert field["type"] == kind
    assert parts.items() <= field["constraints"].items()
    assert not out


@pytest.mark.parametrize(
    "cells",
    [
        [f"name {i}" for i in range(40)],
        [f"2024-01-{1 + i % 28:02d} 10:{i:02d}:{i:02d}" for i in range(40)],
        [str(1_000 + i) for i in range(40)],
        [f"this is what person {i} wrote here" for i in range(40)],
    ],
)
def test_what_nearly_every_row_has_alone_is_left_out(cells: list[str], tmp_path: Path) -> None:
    assert settled(tmp_path, cells)[1]


def test_more_texts_than_are_listed_share_a_cell(tmp_path: Path) -> None:
    cells = [f"town {i // 3}" for i in range(900)] + ["town 0"] * 600
    field, out = settled(tmp_path, cells)
    assert (len(field["constraints"]["enum"]), field["synth:outside"], out) == (250, "cell", False)


def test_a_far_date_that_repeats_has_a_cell_of_its_own(tmp_path: Path) -> None:
    field, _ = settled(tmp_path, ["2024-01-01", "2024-03-05", "2024-02-02", "9999-12-31"] * 9)
    assert field["synth:spikes"] == ["9999-12-31"]
    assert field["constraints"]["maximum"] == "2024-03-05"


def test_texts_that_only_a_tab_tells_apart_are_listed_once(tmp_path: Path) -> None:
    field, _ = settled(tmp_path, ["a", "\ta", "b"] * 9)
    assert field["constraints"]["enum"] == ["a", "b"]


def test_texts_too_long_to_be_shown_are_left_out(tmp_path: Path) -> None:
    assert settled(tmp_path, ["a" * 400, "b"] * 20)[1]
