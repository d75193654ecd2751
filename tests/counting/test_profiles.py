"""Profiles count what plain Python counts."""

from collections import Counter
from pathlib import Path
from random import Random

from synth.private.counting.profiler import Profiler
from synth.private.table import open_table
from tests.tables import write


def test_a_profile_is_what_plain_python_counts(tmp_path: Path) -> None:
    """The engine's profile of a column holds what plain Python counts in its 500 cells.

    "?" is declared as missing. Blanks around a text do not count, so " 7" is 7.
    """
    draw = Random(2)
    cells = [
        draw.choice(["", " 7", "7.0", "-1.25", "x", "inf", "08", "?", "5_0"])
        for _ in range(500)
    ]

    path = write(tmp_path / "t.csv", ["c", "d"], [[cell, "1"] for cell in cells])
    with Profiler() as engine:
        (profile,) = engine.profiles(open_table(path), ["c"], ["?"], dates={})

    filled = Counter(cell.strip() for cell in cells if cell.strip() not in ("", "?"))
    assert profile.rows == 500
    assert profile.filled_rows == filled.total()
    assert profile.different == len(filled)
    assert dict(profile.common) == filled
    assert set(profile.sample) == set(filled)
    assert profile.zeros, "08 begins with a zero"
    assert profile.decimals == 2, "-1.25 has two"
    assert profile.longest == len("-1.25")

    numbers = Counter(
        {7.0: filled["7"] + filled["7.0"], -1.25: filled["-1.25"], 8.0: filled["08"]}
    )
    numbers[50.0] = filled["5_0"]  # the engine reads it as 50

    assert dict(profile.numbers.lowest) == dict(profile.numbers.highest) == numbers
    assert profile.numbers.rows == numbers.total()
    assert set(profile.numbers.others) == {("x", filled["x"]), ("inf", filled["inf"])}


def test_few_columns_at_a_time_give_the_same(tmp_path: Path) -> None:
    """Profiles of five columns are the same, read together or one by one."""
    path = write(tmp_path / "t.csv", list("abcde"), [list("12345"), list("67890")])
    table = open_table(path)
    with Profiler() as engine:
        together = engine.profiles(table, list("abcde"), [], dates={})
    with Profiler() as engine:
        one_by_one = [engine.profiles(table, [name], [], dates={})[0] for name in "abcde"]

    assert [p.common for p in together] == [p.common for p in one_by_one]
