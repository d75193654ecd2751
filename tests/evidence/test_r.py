"""What R and LibreOffice make of a table that went through Synth: the same kinds come back.

R writes a table with haven, or as text, and reads what a release wrote. Both programs come by
apt (r-base-core, r-cran-haven, libreoffice-calc); where they are not there, nothing is run.
"""

import shutil
import subprocess
from pathlib import Path

import pytest

from synth.cli.main import main

# Each case starts R or LibreOffice several times.
pytestmark = pytest.mark.slow

WRITE = r"""
set.seed(53); n <- 600
people <- data.frame(
  age = sample(18:90, n, TRUE), sex = sample(c("f", "m"), n, TRUE),
  income = round(rlnorm(n, 10, .5)), share = round(runif(n), 3),
  born = as.Date("1950-01-01") + sample(18000, n, TRUE),
  ok = sample(c(TRUE, FALSE), n, TRUE), stringsAsFactors = FALSE)
people$age[sample(n, 30)] <- NA
write.csv(people, "people.csv", row.names = FALSE, na = "")
write.csv2(people, "people2.csv", row.names = FALSE, na = "")
write.table(people, "people.tsv", sep = "\t", row.names = FALSE, na = "")
"""
READ = r"""
path <- commandArgs(TRUE)[1]
t <- switch(sub(".*[.]", "", path), csv = read.csv(path, stringsAsFactors = FALSE),
  sav = haven::read_sav(path, user_na = TRUE), dta = haven::read_dta(path))
if (!is.null(t$born)) t$born <- as.Date(t$born)
for (name in names(t)) {
  x <- t[[name]]
  kind <- if (inherits(x, "Date")) "date" else if (is.logical(x)) "logical"
    else if (is.numeric(x) && is.null(attr(x, "labels"))) {
      if (all(x == round(x), na.rm = TRUE)) "whole" else "number"
    } else "codes"
  values <- if (kind == "codes" && is.numeric(x)) names(attr(x, "labels")) else unique(x)
  cat(name, kind, anyNA(x), if (kind == "codes") paste(sort(values), collapse = " "),
    sep = "\t"); cat("\n")
}
"""
KINDS = {
    "age": ["whole", "TRUE", ""],
    "sex": ["codes", "FALSE", "f m"],
    "income": ["whole", "FALSE", ""],
    "share": ["number", "FALSE", ""],
    "born": ["date", "FALSE", ""],
    "ok": ["logical", "FALSE", ""],
}
"""For each column its kind in R, whether values are missing, and its codes."""

WRITE_LABELS = r"""
library(haven); set.seed(53); n <- 900
answers <- c(0:10, 77, 88)
trust <- labelled_spss(sample(answers, n, TRUE), na_values = c(77, 88), label = "Trust",
  labels = c(none = 0, full = 10, refused = 77, unknown = 88))
item <- labelled(sample(1:3, n, TRUE), c(agree = 1, neither = 2, disagree = 3))
write_sav(data.frame(trust, item), "labels.sav")
hours <- as.double(sample(0:40, n, TRUE))
hours[1:90] <- tagged_na("a"); hours[91:180] <- tagged_na("b")
hours <- labelled(hours, c(refused = tagged_na("a"), "not asked" = tagged_na("b")))
write_dta(data.frame(hours, item), "labels.dta")
"""
READ_LABELS = r"""
library(haven); path <- commandArgs(TRUE)[1]
t <- if (grepl("sav$", path)) read_sav(path, user_na = TRUE) else read_dta(path)
for (name in names(t)) {
  x <- t[[name]]; labels <- attr(x, "labels")
  codes <- ifelse(is.na(labels), paste0(".", na_tag(labels)), format(labels, trim = TRUE))
  reasons <- c(attr(x, "na_values"), unique(na_tag(as.double(unclass(x)))))
  cat(name, paste(sort(paste(codes, names(labels), sep = "=")), collapse = " "),
    paste(sort(reasons), collapse = " "), sep = "\t"); cat("\n")
}
"""
LABELS = {
    "sav": {
        "trust": ["0=none 10=full 77=refused 88=unknown", "77 88"],
        "item": ["1=agree 2=neither 3=disagree", ""],
    },
    "dta": {
        "hours": [".a=refused .b=not asked", "a b"],
        "item": ["1=agree 2=neither 3=disagree", ""],
    },
}
"""By format, for each column its codes with their labels, and its reasons of missing
values.
"""


def run_r(script: str, folder: Path, *arguments: str) -> str:
    """What a script of R prints; the test is skipped where there is no R with haven."""
    program = shutil.which("Rscript")
    if program is None:
        pytest.skip("R is not installed")
    checks = 'if (!requireNamespace("haven", quietly = TRUE)) quit(status = 77)\n'
    (folder / "script.R").write_text(checks + script)
    command = [program, "--vanilla", "script.R", *arguments]
    run = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if run.returncode == 77:
        pytest.skip("haven is not installed")
    assert run.returncode == 0, run.stderr
    return run.stdout


def convert_by_libreoffice(source: Path, ending: str) -> Path:
    """A CSV file as LibreOffice writes it in another format."""
    program = shutil.which("soffice")
    if program is None:
        pytest.skip("LibreOffice is not installed")
    profile = f"-env:UserInstallation=file://{source.parent / 'profile'}"
    command = [program, "--headless", profile, "--infilter=CSV:44,34,76,1,,1033,false,true"]
    command += ["--convert-to", ending, "--outdir", str(source.parent), str(source)]
    subprocess.run(command, capture_output=True, check=True, timeout=300)
    return source.with_suffix(f".{ending}")


def release_as(table: Path, output: str, *options: str, labels: Path | None = None) -> Path:
    """The rows of a release of a table, by a look, in a format.

    Args:
        table: The file.
        output: The format.
        options: How the file is read.
        labels: A file with labels of codes, which the look completes.
    """
    folder = table.parent
    domain = folder / "domain.json"
    codebook = ["--codebook", str(labels)] if labels else []
    main(["domain", "draft", str(table), "--look", "--out", str(domain), *codebook, *options])
    formats = [] if output == "csv" else ["--formats", output]
    ledger = ["--ledger", str(folder / "ledger.db"), "--dataset", "people"]
    budget = ["--epsilon", "50", "--budget", "50"]
    out = ["--out", str(folder / "out"), *formats]
    main(["release", str(table), "--domain", str(domain), *budget, *ledger, *out, *options])
    return folder / "out" / f"synthetic.{output}"


def describe_in_r(path: Path, folder: Path) -> dict[str, list[str]]:
    """For each column what R finds: its kind, whether values are missing, and its codes."""
    lines = [line.split("\t") for line in run_r(READ, folder, str(path)).splitlines()]
    return {name: [*facts, ""][:3] for name, *facts in lines}


@pytest.mark.parametrize("output", ["csv", "sav", "dta"])
def test_a_table_of_r_comes_back_in_the_same_kinds(tmp_path: Path, output: str) -> None:
    """A table written by R is released, and R reads the synthetic rows in the same types."""
    run_r(WRITE, tmp_path)
    assert describe_in_r(tmp_path / "people.csv", tmp_path) == KINDS
    rows = release_as(tmp_path / "people.csv", output)
    expected = KINDS
    if output != "csv":
        # These formats have no truth values, but numbers with labels.
        expected = {**KINDS, "ok": ["codes", "FALSE", "FALSE TRUE"]}
    assert describe_in_r(rows, tmp_path) == expected


@pytest.mark.parametrize("ending", LABELS)
def test_labels_and_reasons_come_back_in_r(tmp_path: Path, ending: str) -> None:
    """haven reads the labels, user-missing values and tagged missing values that it wrote."""
    run_r(WRITE_LABELS, tmp_path)
    table = tmp_path / f"labels.{ending}"
    rows = release_as(table, ending, labels=table)
    for path in (table, rows):
        lines = run_r(READ_LABELS, tmp_path, str(path)).splitlines()
        columns = {line.split("\t")[0]: line.split("\t")[1:] for line in lines}
        assert columns == LABELS[ending]


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("people2.csv", ["--read", "delimiter=;", "--read", "decimal=,"]),
        ("people.tsv", []),
    ],
)
def test_other_texts_of_r_come_back_in_the_same_kinds(
    tmp_path: Path, name: str, options: list[str]
) -> None:
    """Other text files of R are released, and R reads the synthetic rows in the same
    types.
    """
    run_r(WRITE, tmp_path)
    assert describe_in_r(release_as(tmp_path / name, "csv", *options), tmp_path) == KINDS


@pytest.mark.parametrize("ending", ["xlsx", "ods", "xls"])
def test_workbooks_of_libreoffice_come_back_in_the_same_kinds(
    tmp_path: Path, ending: str
) -> None:
    """A workbook of LibreOffice is released, and R reads the synthetic rows in the same
    types.
    """
    run_r(WRITE, tmp_path)
    table = convert_by_libreoffice(tmp_path / "people.csv", ending)
    # Truth values of cells are written in small letters, which this function of R takes as
    # texts.
    expected = {**KINDS, "ok": ["codes", "FALSE", "false true"]}
    assert describe_in_r(release_as(table, "csv"), tmp_path) == expected
