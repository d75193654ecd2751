"""The command line: its contract, and one sentence with status 2 for every bad input."""

import errno
import json
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

from synth.domain import read_schema
from synth.private.counting import codes
from synth.private.table import open_table
from tests.bundle.bundles import FILES
from tests.cli.conftest import Files, Line
from tests.tables import MIXED, ROOT, SHARED


def test_release_compare_and_forecast(files: Files, tmp_path: Path, cli: Line) -> None:
    """`release`, `compare` and `forecast` report the same measures of error by the same
    names.

    The table has 220 rows. Under replace-one a row moves two cells, so epsilon 1 is noise of
    scale 2.
    """
    table, domain = files
    out = tmp_path / "out"
    options = ("--epsilon", "1", "--method", "dense", "--out", out, "--json", "--no-ledger")
    status, text, progress = cli("release", table, "--domain", domain, *options)
    assert status == 0
    assert progress == "", "a pipe stays silent"
    summary = json.loads(text)
    assert (summary["rows"], summary["cells"], summary["noise_scale"]) == (
        220,
        MIXED.size,
        2.0,
    )
    assert {path.name for path in out.iterdir()} == FILES == set(summary["files"])

    options = ("--domain", out / "domain.json")
    # "floor" holds the error that chance alone explains.
    report = cli.report("compare", table, out / "synthetic.csv", *options)
    expected = cli.report("forecast", "--epsilon", "1", "--rows", "220", *options)
    assert {"cells", "noise_scale"} <= set(expected) - set(report)
    for key in ("one_way", "two_way", "three_way"):
        assert (
            set(report[key])
            == set(expected[key])
            == {"mean", "max"}
            <= set(report["floor"][key])
        )
        assert (
            0 < report[key]["mean"] <= report[key]["max"] * (1 + 1e-12) <= 1 + 1e-12
        )  # an ulp
    # The k-marginal score is 1000 for no error of pairs, and 0 for the largest possible.
    assert report["k_marginal"] == pytest.approx(1000 * (1 - report["two_way"]["mean"]))
    assert 0 < report["subsample_percent"] <= 100


def test_a_folder_has_the_rows_in_both_formats(
    files: Files, tmp_path: Path, cli: Line
) -> None:
    """`release --out` writes the rows as CSV and as Parquet, beside the other files of a
    release.

    The command lists the first files, one a line, and then says how many more there are.
    """
    table, domain = files
    options = (
        "--domain",
        domain,
        "--epsilon",
        "1",
        "--out",
        tmp_path / "o",
        "--formats",
        "parquet",
    )
    status, text, _ = cli("release", table, *options)
    assert status == 0

    # These are the listed files and the line "and ... more files", hence the 1 below.
    names = [Path(line.strip()).name for line in text.splitlines() if line.startswith("  ")]
    assert {"synthetic.csv", "synthetic.parquet", "certificate.json"} < {*names}
    assert f"  and {len(FILES) - len(names) + 1} more files in {tmp_path / 'o'}" in text

    assert open_table(tmp_path / "o" / "synthetic.csv").header == MIXED.names
    assert open_table(tmp_path / "o" / "synthetic.parquet").header == MIXED.names


def test_the_chosen_columns_and_number_of_rows_are_written(
    files: Files, tmp_path: Path, cli: Line
) -> None:
    """--columns and --rows decide the columns and the number of rows: 31 rows
    below a header.
    """
    table, domain = files
    chosen = ("--columns", "smoker, sex", "--rows", "31", "--neighbors", "add-remove")
    text = cli.output(
        "release",
        table,
        "--domain",
        domain,
        "--epsilon",
        ".5",
        "--out",
        tmp_path / "out",
        *chosen,
    )
    assert text.startswith("31 rows, epsilon 0.5. Expected error: columns ")
    lines = (tmp_path / "out" / "synthetic.csv").read_text().splitlines()
    assert (lines[0], len(lines)) == ("smoker,sex", 32)


def test_text_output_warns_that_a_comparison_is_private(files: Files, cli: Line) -> None:
    """The text of a comparison begins with a warning, since it depends on the confidential
    rows.

    A table that is compared with itself has no error, so it is as accurate as all of its
    rows.
    """
    table, domain = files
    _, text, _ = cli("compare", table, table, "--domain", domain)
    assert text.startswith("PRIVATE - do not share.")
    assert "Pairs: as accurate as a random 100 % of the rows." in text


def test_a_forecast_for_persons_is_that_of_less_epsilon(files: Files, cli: Line) -> None:
    """Four rows of each person at epsilon 4 get the noise of one row at epsilon 1.

    So the error that is wanted needs more epsilon for persons than for rows.
    """
    options = (
        "forecast",
        "--domain",
        files[1],
        "--rows",
        "1000",
        "--error",
        "0.05",
        "--json",
    )
    options += (
        "--neighbors",
        "add-remove",
    )  # the number of rows is private, with persons or not
    persons = ("--person", "pid", "--max-rows", "4")
    of_rows, of_persons = (
        json.loads(cli(*options, *extra_words)[1])
        for extra_words in (("--epsilon", "1"), ("--epsilon", "4", *persons))
    )
    assert of_persons["noise_scale"] == of_rows["noise_scale"]
    assert of_persons["methods"] == of_rows["methods"]
    assert float(of_persons["needed"]["epsilon"]) > float(of_rows["needed"]["epsilon"])

    said = cli(*(word for word in options if word != "--json"), "--epsilon", "4", *persons)[1]
    assert "Noise is then 4 times as large, as with epsilon 1 instead of 4" in said
    assert "Expected error with each person protected: columns" in said

    status, _, errors = cli(*options, "--epsilon", "1", "--max-rows", "4")
    assert (status, errors) == (2, "max_rows above 1 needs a person column.\n")


def test_a_forecast_reads_no_table_and_answers_at_once(files: Files, cli: Line) -> None:
    """A forecast works although the table is deleted, and takes less than 2 seconds of this
    process.
    """
    files[0].unlink()
    arguments = ("forecast", "--domain", files[1], "--epsilon", "1", "--rows", "1000")
    cli(*arguments)  # the first call imports modules, which is not measured
    start = time.process_time()
    text = cli.output(*arguments)
    assert text.startswith("1,000 rows, epsilon 1. Expected error: columns ")
    assert time.process_time() - start < 2  # 100 ms on a quiet machine


def test_the_error_of_a_mean_date_is_in_days(tmp_path: Path, cli: Line) -> None:
    """The forecast of a mean date gives its error in days, here below one day."""
    visit = {"minimum": "2020-01-01", "maximum": "2024-12-31"}
    field = {"name": "visit", "type": "date", "synth:bins": 12, "constraints": visit}
    path = tmp_path / "domain.json"
    path.write_text(json.dumps({"fields": [field]}), encoding="utf-8")
    means = ("--epsilon", "1", "--rows", "20000", "--moments", "means")
    output = cli.output("forecast", "--domain", path, *means)
    assert re.search(r"means, by the noise: visit 0\.\d+ days\.", output)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"table": "none.csv"}, "There is no file"),
        ({"--epsilon": "0"}, "epsilon must be above 0, but it is 0."),
        ({"--rows": "-3"}, "--rows must be a whole number from 1"),
        ({"--rows": "many"}, "--rows must be a whole number from 1"),
        *[
            (
                {"--rows": text},
                "--rows must be a whole number from 1 to 1,000,000,000, such as 1000.",
            )
            for text in ("1_000", "\uff15", "1e-3", "+5", "1.0", "1,00", "1.5e0", "1e99", "")
        ],
        ({"--max-rows": "1_0", "--person": "sex"}, "such as 4."),
        (
            {"--max-rows": "0", "--person": "sex"},
            "--max-rows must be a whole number from 1 to",
        ),
        ({"--max-model-mb": "1e-2"}, "--max-model-mb must be a whole number from 1 to"),
        ({"--delta": "1e-9,1e-6"}, "delta must be a number such as 1, 0.1 or 1/3"),
        ({"--columns": "sex,x"}, "The domain has no column 'x'; it has sex, age"),
        ({"--columns": "sex,height"}, "has no column 'height'; did you mean 'weight'?"),
        ({"--columns": "sex,sex"}, "declares the column 'sex' twice"),
        ({"--neighbors": "friends"}, "--neighbors must be one of replace-one, add-remove, "),
        ({"--repair": "clam"}, "but it is 'clam'; did you mean clamp?"),
        ({"--domain": "none.json"}, "'none.json' cannot be read: there is no such file."),
        ({"--out": "/proc/nowhere"}, "Nothing can be written to the folder '/proc'."),
    ],
)
def test_bad_input_is_one_sentence_and_status_2(
    files: Files, tmp_path: Path, cli: Line, change: dict[str, str], message: str
) -> None:
    """A wrong option of `release` ends with one sentence and status 2, and writes no file.

    Each case changes one option of a valid command, and gives a part of the sentence.
    """
    arguments = {"table": str(files[0]), "--domain": str(files[1]), "--epsilon": "1"}
    arguments |= {"--out": str(tmp_path / "out")} | change
    table = arguments.pop("table")
    status, text, errors = cli("release", table, *[f"{k}={v}" for k, v in arguments.items()])

    sentence = errors.splitlines()[-1]
    assert (status, text) == (2, "")
    assert message in sentence
    assert sentence.endswith((".", "?"))
    assert not (tmp_path / "out").is_dir() or not list((tmp_path / "out").iterdir())


def test_an_option_is_given_once(files: Files, cli: Line) -> None:
    """An option that is given twice is refused, in either spelling, instead of one being
    ignored.
    """
    words = (
        "release",
        files[0],
        "--domain",
        files[1],
        "--out",
        "nowhere",
        "--formats",
        "csv",
    )
    for repeated in (
        ("--epsilon=1", "--epsilon", "2"),
        ("--epsilon", "1", "--formats", "parquet"),
    ):
        assert "is given twice; leave one" in cli.refusal(*words, *repeated)


@pytest.mark.parametrize("error", ["0", "-1", "5", "5 %", "0,05"])
def test_a_wanted_error_is_a_share(files: Files, cli: Line, error: str) -> None:
    """--error of a forecast must be a number between 0 and 1 in plain digits."""
    words = ("forecast", "--domain", files[1], "--epsilon", "1", "--rows", "9")
    assert cli.refusal(*words, f"--error={error}").startswith("--error must be a ")


def test_a_plan_says_each_thing_once(files: Files, tmp_path: Path, cli: Line) -> None:
    """A plan file that names an entry twice is refused, instead of one value
    being ignored.
    """
    plan = tmp_path / "plan.json"
    plan.write_text('{"epsilon": "1", "neighbors": "add-remove", "epsilon": "2"}')
    refusal = cli.refusal("release", files[0], "--plan", plan, "--out", tmp_path / "out")
    assert refusal == "The plan 'plan.json' says 'epsilon' twice; leave one."


def test_an_unexpected_failure_shows_its_kind_only(
    files: Files, cli: Line, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An unexpected error prints its type only, since its message might hold a value of the
    table.
    """

    def fail(*_: object) -> None:
        message = "cell value 4711"  # what an error of a library could quote
        raise RuntimeError(message)

    monkeypatch.setattr("synth.private.comparison.read_values", fail)
    refusal = cli.refusal("compare", files[0], files[0], "--domain", files[1])
    assert refusal == "Synth failed in a way it did not expect (RuntimeError)."


def test_an_unexpected_failure_of_the_system_is_named(
    files: Files, cli: Line, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the system refused is said in its own words, which follow from the error's number.
    The error's message and file could be private.
    """

    def fail(*_: object) -> None:
        raise OSError(errno.EIO, "cell value 4711", "secret.csv")

    monkeypatch.setattr("synth.private.comparison.read_values", fail)
    refusal = cli.refusal("compare", files[0], files[0], "--domain", files[1])
    expected = "Synth failed in a way it did not expect (OSError: Input/output error)."
    assert refusal == expected


def test_as_a_module_without_arguments() -> None:
    """`python -m synth` without a command prints the help, which lists the commands."""
    done = subprocess.run(
        [sys.executable, "-m", "synth"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("usage: python -m synth COMMAND")
    assert "make a synthetic table and its certificate" in done.stdout


shared = pytest.mark.skipif(not SHARED.is_dir(), reason="the shared tables are not here")


@shared
@pytest.mark.parametrize(
    ("table", "domain", "epsilon", "rows", "worst"),
    [
        ("adult/adult_train.csv", "adult/domain_5col.schema.json", "1", 32_561, 0.045),
        ("sdnist_ma/ma2019.csv", "sdnist_ma/domain_6col.schema.json", "1", 7_634, 0.23),
        ("sdnist_ma/ma2019.csv", "sdnist_ma/domain_6col.schema.json", "10", 7_634, 0.015),
        *[
            pytest.param(table, domain, "1", rows, 1, marks=pytest.mark.slow)
            for table, domain, rows in (
                ("pums/PUMS.csv", "pums/domain.schema.json", 1_000),
                ("titanic/titanic.csv", "titanic/domain.schema.json", 891),
                ("penguins/penguins.csv", "penguins/domain.schema.json", 344),
                ("taxis/taxis.csv", "taxis/domain.schema.json", 6_433),
                ("sdnist_ma/ma2019.csv", "sdnist_ma/domain_10col.schema.json", 7_634),
            )
        ],
    ],
)
def test_real_tables_are_released(
    tmp_path: Path, cli: Line, table: str, domain: str, epsilon: str, rows: int, worst: float
) -> None:
    """A real table is released, and the mean error of its pairs of columns is at most
    `worst`.

    `worst` is 1 where no accuracy is promised. The floor is the error that chance alone
    explains.
    """
    words = (SHARED / table, "--domain", SHARED / domain, "--epsilon", epsilon, "--anyway")
    words += ("--no-ledger",)
    assert cli.report("release", *words, "--out", tmp_path)["rows"] == rows
    synthetic = tmp_path / "synthetic.csv"
    report = cli.report("compare", SHARED / table, synthetic, "--domain", SHARED / domain)
    assert report["two_way"]["mean"] <= worst

    assert report["floor"]["two_way"]["mean"] < (0.03 if worst < 1 else 1)


@pytest.mark.slow
@shared
@pytest.mark.parametrize(
    ("table", "domain"),
    [
        ("penguins/penguins_raw.csv", "penguins/domain_raw.schema.json"),
        ("teacher_survey/teacher_survey.csv", "teacher_survey/domain.schema.json"),
        ("adult/adult_train.csv", "adult/domain.schema.json"),
    ],
)
def test_universes_that_do_not_fit_are_refused_or_released_by_marginals(
    tmp_path: Path, cli: Line, table: str, domain: str
) -> None:
    """A table with too many cells for a dense histogram is refused with advice, and released
    by auto.

    The method auto then counts some marginals, which -v lists.
    """
    options = ("--domain", SHARED / domain, "--epsilon", "1", "--out", tmp_path, "--json")
    status, text, errors = cli("release", SHARED / table, *options, "--method", "dense")
    cells = json.loads((SHARED / domain).read_text())["synth:universe_cells"]
    assert (status, text) == (2, "")
    assert f"The universe has {cells:,} cells; a dense histogram" in errors
    assert "the limit is 67,108,864 cells. Coarsen or leave out" in errors
    assert "Or choose the method auto" in errors

    status, text, errors = cli("release", SHARED / table, *options, "--method", "auto", "-v")
    summary = json.loads(text)
    assert status == 0
    assert summary["cells"] == cells
    assert summary["strategy"] in ("independent", "one-shot")
    assert all(f"  Measured {' and '.join(m)}\n" in errors for m in summary["marginals"])
    with (tmp_path / "synthetic.csv").open() as file:
        assert sum(1 for _ in file) == summary["rows"] + 1


@shared
@pytest.mark.slow
def test_a_huge_universe_releases_where_the_histogram_is_asked_for(
    tmp_path: Path, cli: Line
) -> None:
    """A universe too large to list is released with the cells whose noisy count reaches 48.

    Adult has 3.1e15 cells. The public threshold is such that noise of scale 2 alone lifts
    about 100,000 empty cells to it.
    """
    table = SHARED / "adult/adult_train.csv"
    domain = SHARED / "adult/domain.schema.json"
    options = ("--domain", domain, "--epsilon", "1", "--out", tmp_path, "--json")
    status, text, _ = cli("release", table, *options, "--method", "histogram")

    summary = json.loads(text)
    declared = read_schema(domain)
    assert (status, summary["rows"], summary["cells"]) == (0, 32_561, declared.size)
    certificate = json.loads((tmp_path / "certificate.json").read_text())
    assert certificate["noisy_counts"] == "cells with a count of 48 or more"
    assert certificate["number_of_rows"] == "32561, public"
    assert len(codes(open_table(tmp_path / "synthetic.csv"), declared)[0]) == 32_561


# A program that runs five commands.
COMMANDS = """
import sys
from synth.cli.main import main
table, domain, out = sys.argv[1:]
declared = ["--domain", domain, "--epsilon", "1"]
columns, bundle = ["--columns", "sex,smoker"], out + "/b.zip"
for words in (
    ["release", table, *declared, *columns, "--no-ledger", "--out", out, "--out", bundle],
    ["release", table, *declared, "--no-ledger", "--method", "tree", "--out", out + "/model"],
    ["forecast", *declared, "--rows", "1000"],
    ["compare", table, bundle],
    ["verify", bundle],
):
    assert main(words) == 0, words
"""


@pytest.mark.slow
def test_commands_leave_without_a_word_of_their_libraries(files: Files) -> None:
    """A process that runs the usual commands prints nothing on stderr, not even when it ends.

    At the interpreter's end a binding in C++ would list objects that were not freed.
    """
    done = subprocess.run(
        [sys.executable, "-c", COMMANDS, *files, files[0].parent / "out"],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
    )
    assert done.stderr == ""


@pytest.mark.parametrize("chosen", [{}, {"ARROW_DEFAULT_MEMORY_POOL": "mimalloc"}])
def test_a_command_takes_memory_from_the_system_unless_it_is_told_otherwise(
    chosen: dict[str, str],
) -> None:
    """Arrow gets its memory from the system in a command, as its own allocator keeps more.

    A variable of the environment, which Arrow reads, still decides.
    """
    script = (
        "import sys; from synth.cli.main import run"
        "\nsys.argv = ['synth', 'example', '--help']"
        "\ntry: run()\nexcept SystemExit: pass"
        "\nimport pyarrow; print(pyarrow.default_memory_pool().backend_name)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        env={"PYTHONPATH": str(ROOT), "PATH": "/usr/bin", **chosen},
        capture_output=True,
        text=True,
        check=True,
    )
    expected = chosen.get("ARROW_DEFAULT_MEMORY_POOL", "system")
    assert done.stdout.split()[-1] == expected
