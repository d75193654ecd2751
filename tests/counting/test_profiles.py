"""Profiles count what plain Python counts."""

from collections import Counter
from pathlib import Path
from random import Random

from synth.private.counting import DuckDB
from synth.private.table import open_table
from tests.tables import write


def test_a_profile_is_what_plain_python_counts(tmp_path: Path) -> None:
    draw = Random(2)
    cells = [
        draw.choice(["", " 7", "7.0", "-1.25", "x", "inf", "08", "?", "5_0"])
        for _ in range(500)
    ]
    path = write(tmp_path / "t.csv", ["c", "d"], [[cell, "1"] for cell in cells])
    with DuckDB() as engine:
        (found,) = engine.profiles(open_table(path), ["c"], ["?"], dates={})
    kept = Counter(cell.strip() for cell in cells if cell.strip() not in ("", "?"))
    assert (found.rows, found.filled_rows, found.different) == (500, kept.total(), len(kept))
    assert dict(found.common) == kept
    assert set(found.sample) == set(kept)
    assert (found.zeros, found.decimals, found.longest) == (True, 2, 5)
    numbers = Counter({7.0: kept["7"] + kept["7.0"], -1.25: kept["-1.25"], 8.0: kept["08"]})
    numbers[50.0] = kept["5_0"]
    assert dict(found.numbers.lowest) == dict(found.numbers.highest) == numbers
    assert found.numbers.rows == numbers.total()
    assert set(found.numbers.others) == {("x", kept["x"]), ("inf", kept["inf"])}


def test_few_columns_at_a_time_give_the_same(tmp_path: Path) -> None:
    path = write(tmp_path / "t.csv", list("abcde"), [list("12345"), list("67890")])
    table = open_table(path)
    with DuckDB() as engine:
        whole = engine.profiles(table, list("abcde"), [], dates={})
    with DuckDB() as engine:
        apart = [engine.profiles(table, [name], [], dates={})[0] for name in "abcde"]
    assert [p.common for p in whole] == [p.common for p in apart]
