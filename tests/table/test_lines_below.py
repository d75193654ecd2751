"""Rows below the header that are no records are asked about, and left out once declared."""

from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

import synth
from synth.domain import Domain, Integer
from synth.private.counting import count
from synth.private.table import PrivateTable, look_through, open_table, parse_format

PEOPLE = "".join(
    f"{age},{sex},{age / 2 + 60}\n" for age, sex in zip(range(20, 40), "fm" * 10, strict=True)
)
QUALTRICS_LEGACY = (
    "StartDate,Finished,Q1,Q2\n"
    "Start Date,Finished,How old are you?,Your sex\n"
    '{"ImportId":"startDate"},True/False,QID1,QID2\n'
)
ANSWERS = "".join(
    f"2024-01-{day:02d} 10:00:00,1,{20 + day},{'fm'[day % 2]}\n" for day in range(1, 20)
)
SURVEY_MONKEY = (
    "Respondent ID,Collector ID,Which colours?,,,Your age\n"
    ",,Red,Green,Other (please specify),Open-Ended Response\n"
)
COLOURS = "".join(
    f"{118000 + n},4711,{'Red' * (n % 2)},{'Green' * (n % 3 == 0)},,{20 + n}\n"
    for n in range(20)
)
TWO_LEVELS = pd.DataFrame(
    [[n, n / 2, n + 0.25] for n in range(20)],
    columns=pd.MultiIndex.from_tuples([("size", "left"), ("size", "right"), ("age", "now")]),
)


def open_text(folder: Path, content: str, *options: str) -> PrivateTable:
    """Write a text as a CSV file and open it with some options of the format."""
    path = folder / "t.csv"
    path.write_text(content, encoding="utf-8")
    return open_table(path, parse_format(options))


CASES = {
    "units": (f"age,sex,weight\nyears,,kg\n{PEOPLE}", 1),
    "units in brackets": (f"age,sex,weight\n[years],[-],[kg]\n{PEOPLE}", 1),
    "texts of questions": (f"v1,v2,v3\nHow old?,Your sex,How heavy?\n{PEOPLE}", 1),
    "Qualtrics, older": (
        QUALTRICS_LEGACY.replace('{"ImportId":"startDate"}', "id") + ANSWERS,
        2,
    ),
    "SurveyMonkey": (SURVEY_MONKEY + COLOURS, 1),
    "SurveyMonkey, most numbers asked for": (
        SURVEY_MONKEY.replace(",,Red", ",Response,Red") + COLOURS,
        1,
    ),
    "SurveyMonkey, answers of one kind": (
        "Respondent ID,Name,Town\n,Open-Ended Response,Response\n"
        + "".join(f"{118000 + n},n{n},t{n}\n" for n in range(20)),
        1,
    ),
    "two levels of names": (TWO_LEVELS.to_csv(index=False), 1),
    "two levels of names beside an index": (TWO_LEVELS.to_csv(), 1),
    "two levels of names and one of an index": (TWO_LEVELS.rename_axis("id").to_csv(), 2),
}


@pytest.mark.parametrize("name", CASES)
def test_further_lines_of_a_header_are_asked_about(tmp_path: Path, name: str) -> None:
    """The question says how many rows it is about and which option leaves them out.

    The same option is what the app offers by one click. Nothing is left out before: the rows
    count as rows. Once they are declared, no question is left, and they count for nothing.
    """
    content, below = CASES[name]
    table = open_text(tmp_path, content)
    question = table.doubt_header()
    assert f"choose below={below} to leave" in question
    assert table.suggest_options() == (f"below={below}",)
    assert question in " ".join(synth.draft(table).notes)
    domain = Domain((Integer(name=table.header[0], minimum=0, maximum=1, outside="cell"),))
    rows = count(table, domain).rows

    chosen = open_text(tmp_path, content, f"below={below}")
    assert chosen.hint() == ""
    look_through(chosen)
    assert count(chosen, domain).rows == rows - below


@pytest.mark.parametrize(
    "content",
    [
        f"age,sex,weight\nNA,f,unknown\n{PEOPLE}",
        f"age,sex,weight\n,,\n{PEOPLE}",
        f"age,sex,weight\n<18,f,>100\n{PEOPLE}",
        f"age,sex,weight\n18 years,f,50 kg\n{PEOPLE}",
        f"age,sex,weight\nrefused,f,refused\n{PEOPLE}",  # f is a value of other rows
        f"age,sex,weight\n44,f,none\n{PEOPLE}",
        "a,b\n" + "".join(f"x{n},y{n % 3}\n" for n in range(20)),
        "age,weight\nyears,kg\n20,60\n",  # too few rows to say
        "age,weight\n",
    ],
)
def test_a_record_that_lacks_values_raises_no_question(tmp_path: Path, content: str) -> None:
    """Missing values, signs, units behind a number and values of a list are a record's."""
    assert "below=" not in open_text(tmp_path, content).hint()


def test_the_lines_are_those_below_the_chosen_header(tmp_path: Path) -> None:
    """With names on another line, or names of rows, the rows below these are asked about."""
    table = open_text(tmp_path, f"a title\nage,sex,weight\nyears,,kg\n{PEOPLE}", "header=2")
    assert "choose below=1" in table.doubt_header()
    numbered = "".join(f"{n},{line}\n" for n, line in enumerate(PEOPLE.splitlines(), 1))
    content = f"age,sex,weight\nunits,years,,kg\n{numbered}"
    assert "choose below=1" in open_text(tmp_path, content, "row_names=yes").doubt_header()


def test_a_question_over_several_lines_is_one_row(tmp_path: Path) -> None:
    """Where cells may hold line ends, rows are counted, and not lines."""
    content = f'age,sex,weight\n"How\nold?","Your\nsex","How\nheavy?"\n{PEOPLE}'
    table = open_text(tmp_path, content, "lines=span")
    assert "choose below=1" in table.doubt_header()


def write_sheet(path: Path) -> None:
    """Write a workbook with a row of units below its names."""
    frame = pd.DataFrame([("years", "kg"), *[(n, n / 2 + 60) for n in range(20, 40)]])
    frame.columns = ["age", "weight"]
    frame.to_excel(path, index=False)


@pytest.mark.parametrize(
    ("write", "below"),
    [
        (write_sheet, 1),
        (lambda path: TWO_LEVELS.rename_axis("id").to_excel(path, merge_cells=False), 0),
    ],
)
@pytest.mark.slow
def test_workbooks_are_asked_about_too(
    tmp_path: Path, write: Callable[[Path], None], below: int
) -> None:
    """A row of units in a sheet leads to the same question, answered by the same option."""
    path = tmp_path / "t.xlsx"
    write(path)
    table = open_table(path)
    below = below or int(table.suggest_options()[0].removeprefix("below="))
    assert f"choose below={below}" in table.doubt_header()
    assert table.suggest_options() == (f"below={below}",)
    chosen = open_table(path, parse_format([f"below={below}"]))
    assert (chosen.hint(), chosen.suggest_options()) == ("", ())
    domain = Domain((Integer(name=table.header[0], minimum=0, maximum=1, outside="cell"),))
    assert count(chosen, domain).rows == 20
