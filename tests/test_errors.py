"""Messages of errors: nothing in them moves a cursor or turns the direction of text."""

import json
from pathlib import Path

import pytest

import synth
from synth.cli.main import main
from synth.errors import MESSAGE_LENGTH, DomainError, SynthError

LONG = 100_000
HOSTILE = (
    "x" * LONG,
    "it's " * (LONG // 5),
    "\U000e0001" * LONG,
    "a\n" * LONG,
    "' " * LONG,
    "\x1b[2J" * (LONG // 4),
    "\ud800" * LONG,
)
"""Long names: without blanks, with quotes, unseen, of many lines, for a terminal."""


def test_a_message_spells_out_what_cannot_be_seen() -> None:
    """An error spells out characters of a name that would steer a terminal or turn text
    around.

    Visible ones, such as ö and ß, stay. The column is refused as its minimum is above its
    maximum.
    """
    name = "a\x1b[2J\r\u202e\x9b\u2066\x7f Größe"

    with pytest.raises(DomainError) as caught:
        synth.Domain(**{name: synth.Integer(97, 18)})

    sentence = str(caught.value)
    assert sentence.startswith(r"Column 'a\x1b[2J\r\u202e\x9b\u2066\x7f Größe': minimum 97")


@pytest.mark.parametrize("name", HOSTILE, ids=lambda name: repr(name[:3]))
def test_a_message_is_short_whatever_it_quotes(name: str) -> None:
    """A message that quotes a hostile name of 100,000 characters has at most 2,000 and is
    printable.

    It is cut in its middle, where " … " adds three characters; both ends stay.
    """
    sentence = str(SynthError(f"There is no column '{name}' in the table; choose another."))
    assert len(sentence) <= MESSAGE_LENGTH + 3
    assert sentence.isprintable()
    assert sentence.startswith("There is no column ")
    assert sentence.endswith("in the table; choose another.")


@pytest.mark.parametrize("name", HOSTILE, ids=lambda name: repr(name[:3]))
def test_commands_and_functions_quote_no_long_name(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Commands that are given a hostile name exit with 2, and no line of their errors is
    long.

    The name stands in a declaration, in the header of a table, or as a word of the command. A
    message has at most 2,000 characters and the three of " … ".
    """
    table, schema = tmp_path / "t.csv", tmp_path / "d.json"
    table.write_text("sex\nf\nm\n")
    schema.write_text(json.dumps({"fields": [{"name": "sex", "categories": ["f", "m"]}]}))

    # The name as a column, as a type and as keys that no schema has.
    key = tmp_path / "key.json"
    key.write_text(json.dumps({"fields": [{"name": name, "type": name, name: 1}], name: 1}))

    # Headers are bounded, and half a character (a lone surrogate) cannot be written to a
    # file.
    short = name[:900].replace("\ud800", "?")
    wide = tmp_path / "wide.csv"
    wide.write_text(f'"{short}"\nf\n')

    release = ("--epsilon", "1", "--out", str(tmp_path / "b.zip"))

    for words in (
        ("domain", "check", str(key)),
        ("check", str(wide), "--domain", str(schema)),
        ("release", str(table), "--domain", str(key), *release),
        ("release", str(table), "--domain", str(schema), "--columns", name, *release),
        ("release", str(table), "--domain", str(schema), "--method", name, *release),
        ("release", str(table), "--domain", str(schema), "--dataset", name, *release),
        ("release", str(table), "--domain", str(schema), "--person", name, *release),
        ("ask", str(table), "--domain", str(schema), "--epsilon", "1", "--question", name),
        (
            "ask",
            str(table),
            "--domain",
            str(schema),
            "--epsilon",
            name,
            "--question",
            "count",
        ),
        (name,),
        ("release", f"--{name}"),
    ):
        assert main(words) == 2, words[:1]
        for line in capsys.readouterr().err.splitlines():
            assert len(line) <= MESSAGE_LENGTH + 3, words[:1]
            assert line.isprintable(), words[:1]

    # Warnings about a key that is not used are as short.
    odd = {"name": "sex", "type": "string", "constraints": {"enum": ["f", "m"]}, name: 1}
    key.write_text(json.dumps({"fields": [odd]}))
    with pytest.warns(UserWarning, match="not used") as warnings:
        synth.Domain.from_schema(key)
    assert all(len(str(warning.message)) <= MESSAGE_LENGTH + 3 for warning in warnings)


def test_rows_in_place_of_a_name_are_not_shown() -> None:
    """Whoever gives rows in place of a name does not find them in the message."""
    rows = "age,name\n41,Zqx7\n42,Zqx8\n"
    assert str(SynthError(f"There is no rule '{rows}'; choose one.")) == (
        "There is no rule (a text of several lines); choose one."
    )
