"""Words of a command line: spellings, misspellings, numbers, help, a table as a domain."""

import re
from pathlib import Path

import pytest

from synth.cli.main import main
from tests.cli.conftest import Files, Line
from tests.tables import write


def test_counts_are_typed_as_synth_prints_them(files: Files, cli: Line) -> None:
    """A number of rows may have commas, as Synth prints it, or a power of 10."""
    words = ("forecast", "--domain", files[1], "--epsilon", "1", "--rows")
    outputs = {cli.output(*words, number) for number in ("20000", "20,000", "2e4", "2.0E+4")}
    assert len(outputs) == 1
    assert outputs.pop().startswith("20,000 rows, epsilon 1.")


def test_options_have_both_spellings(files: Files, cli: Line) -> None:
    """Options and words of both spellings of English, and with "_" or "-", mean the same."""
    words = ("forecast", "--domain", files[1], "--epsilon", "1", "--rows", "2000", "-v")
    lines = [
        ("--neighbors", "add-remove"),
        ("--neighbours", "add_remove"),
        ("--neighbours=ADD_REMOVE",),
    ]
    outputs = {cli.output(*words, *line) for line in lines}
    assert len(outputs) == 1
    assert outputs.pop() != cli.output(*words)
    refusal = cli.refusal("release", files[0], "--favor", "counts")
    assert refusal.startswith(
        "--favour must be one of errors, associations, but it is 'counts'"
    )


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("release t.csv --eps 1", "There is no --eps; did you mean --epsilon? (see "),
        ("release t.csv --epsilno=1", "There is no --epsilno; did you mean --epsilon? (see "),
        ("forecast --dom d.json", "There is no --dom; did you mean --domain? (see "),
        (
            "release t.csv --overwrit",
            "There is no --overwrit; did you mean --overwrite? (see ",
        ),
        ("relaese t.csv", "There is no command relaese; did you mean release? (see "),
        ("lore", "There is no command lore (see "),
        ("help relaese", "There is no command relaese; did you mean release? (see "),
        ("domain drafts t.csv", "but it is 'drafts'; did you mean draft? (see "),
        ("--verison", "There is no option --verison; did you mean --version? (see "),
        ("release t.csv --epsilon", "--epsilon needs a value after it (see "),
        ("release t.csv --overwrite=yes", "--overwrite takes no value (see "),
        (
            "release t.csv u.csv --epsilon 1",
            "There is a word too many; put names with blanks",
        ),
    ],
)
def test_a_word_that_is_none_names_the_nearest(cli: Line, line: str, sentence: str) -> None:
    """A misspelt or abbreviated option, command or verb is refused, and the nearest named."""
    assert sentence in cli.refusal(*line.split())


@pytest.mark.parametrize(
    ("line", "usage"),
    [
        ("", "COMMAND"),
        ("help", "COMMAND"),
        ("help release", "release TABLE"),
        ("help domain draft", "domain draft TABLE"),
    ],
)
def test_help_is_a_word_too(
    capsys: pytest.CaptureFixture[str], line: str, usage: str
) -> None:
    """`synth` alone and `synth help COMMAND` show the help, as `--help` does."""
    with pytest.raises(SystemExit) as ended:
        main(line.split())
    assert ended.value.code == 0
    assert capsys.readouterr().out.startswith(f"usage: python -m synth {usage}")


def test_a_table_is_no_description(files: Files, tmp_path: Path, cli: Line) -> None:
    """A table given as --domain is recognised, and the sentence quotes nothing of it.

    It is the very table, a copy of it, one without a header, or one of another format.
    """
    rows = [["Anna", "1978"], ["Bert", "1980"], ["Anna", "1978"]]
    write(tmp_path / "no_header.csv", ["Carl", "1991"], rows)
    write(tmp_path / "copy.csv", ["first name", "year", "day", "town"], [["Anna", *"123"]])
    (tmp_path / "rows.json").write_text('[{"name": "Anna", "year": 1978}]')
    (tmp_path / "rows.jsonl").write_text('{"name": "Anna"}\n{"name": "Bert"}\n')
    (tmp_path / "rows.parquet").write_bytes(b"PAR1 Anna \xff")
    words = ("release", files[0], "--epsilon", "1", "--out", tmp_path / "out", "--domain")
    for name in ("no_header.csv", "copy.csv", "rows.json", "rows.jsonl", "rows.parquet"):
        refusal = cli.refusal(*words, tmp_path / name)
        assert refusal.startswith(
            f"'{name}' is no description of columns, and may be a table"
        )
        assert not re.search("Anna|Bert|Carl|19", refusal)
    assert cli.refusal(*words, files[0]).startswith("'table.csv' is the table itself")
