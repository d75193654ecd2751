"""The bundle: what is in it, what is not, and that every tampering is found."""

import hashlib
import io
import json
import re
import zipfile
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from synth.bundle import archive as archives
from synth.bundle import writer
from synth.bundle.archive import read_archive
from synth.bundle.guard import Edition, guarded
from synth.bundle.writer import CERTIFICATE, Output
from synth.cli.main import main
from synth.domain.domain import Boolean, Categorical, Domain, Integer
from synth.domain.table_schema import write_schema
from synth.errors import ReleaseError
from synth.ledger.ledger import Ledger
from synth.noise.laplace import DiscreteLaplace
from synth.pipeline import synthesize
from synth.plan import Method, Plan
from synth.privacy.budget import parse_budget
from synth.privacy.guarantee import Neighbors, parse_epsilon
from synth.repair.histogram import Repair
from synth.rows.write import write_csv
from synth.verification import verify
from tests.tables import MIXED, ROWS, write

REPLACE = Neighbors.REPLACE_ONE
FILES = {
    "certificate.json",
    "certificate.schema.json",
    "dictionary.csv",
    "domain.json",
    "domain_sdv.json",
    "noisy_counts.csv",
    "plan.json",
    "report.html",
    "run_again.py",
    "run_again.txt",
    "statement.txt",
    "synthetic.csv",
    "synthetic.parquet",
}
ODD = Domain((Categorical(name="=sum", categories=("=1+1", "-5", "@a", 'F, "M"'), missing=True),))


def make(folder: Path, name: str = "b", rows: Any = ROWS, **options: Any) -> Path:
    """A bundle with its ledger."""
    options = {"domain": MIXED, "epsilon": parse_epsilon("1"), **options}
    plan = Plan(**options, dataset="survey")
    table = write(folder / f"{name}.csv", list(plan.domain.names), rows)
    ledger = Ledger(folder / f"{name}.db")
    ledger.set_budget("survey", parse_budget("9", plan.neighbors))
    result = synthesize(plan, table, ledger=ledger)
    return result.write_archive(folder / f"{name}.zip", ledger)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make(tmp_path_factory.mktemp("bundle"))


def contents(path: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_a_bundle_holds_its_files_and_verifies(whole: Path) -> None:
    assert set(contents(whole)) == FILES
    checked = verify(whole, Ledger(whole.with_suffix(".db"), readonly=True))
    assert len(checked.checks) == 6
    assert not [check for check in checked.checks if "not drawn again" in check]


@pytest.mark.parametrize("neighbors", list(Neighbors))
@pytest.mark.parametrize(
    "repair", ["none", "clamp", "rescale", "simplex", "bayes", "pooled", "auto"]
)
def test_every_kind_of_release_verifies(tmp_path: Path, neighbors: Any, repair: Any) -> None:
    verify(make(tmp_path, neighbors=neighbors, repair=Repair(repair)))


def test_a_universe_listed_from_a_threshold_up_verifies(tmp_path: Path) -> None:
    columns = tuple(Integer(name=n, minimum=1, maximum=10**4, bins=10**4) for n in "abc")
    rows = [["1", "1", "1"]] * 200
    for neighbors in Neighbors:
        path = make(
            tmp_path, neighbors.value, rows, domain=Domain(columns), method=Method.HISTOGRAM,
            neighbors=neighbors,
        )  # fmt: skip
        verify(path)


def test_the_zip_is_the_same_for_the_same_release(whole: Path, tmp_path: Path) -> None:
    folder = whole.parent
    plan = Plan(MIXED, parse_epsilon("1"), dataset="survey")
    ledger = Ledger(folder / "b.db")
    again = synthesize(plan, folder / "b.csv", ledger=ledger)
    assert again.repeated
    assert again.write_archive(tmp_path / "c.zip", ledger).read_bytes() == whole.read_bytes()


def test_no_spreadsheet_runs_a_cell_and_the_dictionary_says_so(tmp_path: Path) -> None:
    path = make(tmp_path, rows=[["=1+1"], ["-5"], ["@a"], ['F, "M"'], [""]] * 50, domain=ODD)
    files = contents(path)
    for name in ("synthetic.csv", "noisy_counts.csv", "dictionary.csv"):
        table = pa_csv.read_csv(io.BytesIO(files[name]))
        cells = [str(cell) for column in table.columns for cell in column.to_pylist()]
        for cell in [*table.column_names, *cells]:
            assert not re.match(r"[=@\t\r]|[+-](?![0-9.]+$)", cell), (name, cell)
    assert "'=1+1" in files["synthetic.csv"].decode()
    assert "an apostrophe stands before: '=sum" not in files["dictionary.csv"].decode()
    assert "an apostrophe stands before: =sum | =1+1 | @a" in files["dictionary.csv"].decode()
    exact = set(pq.read_table(io.BytesIO(files["synthetic.parquet"]))["=sum"].to_pylist())
    assert exact <= {"=1+1", "-5", "@a", 'F, "M"', None}
    assert verify(path).domain == ODD


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("+1", "+1"),
        ("-1e5", "-1e5"),
        ("+cmd", "'+cmd"),
        ("\t=1", "'\t=1"),
        ("a=1", "a=1"),
        ("", ""),
        ("\uff1d1+1", "'\uff1d1+1"),
        ("\uff0bcmd", "'\uff0bcmd"),
        ("\uff0dcmd", "'\uff0dcmd"),
        ("\uff20SUM(1)", "'\uff20SUM(1)"),
        ("\ufe66x", "'\ufe66x"),
        ("\u2212x", "'\u2212x"),
        (" =1", "' =1"),
        ("\u00a0=1", "'\u00a0=1"),
        ("\u3000@x", "'\u3000@x"),
        ("\u200b=1", "'\u200b=1"),
        ("\ufeff=1", "'\ufeff=1"),
        ("\n=1", "'\n=1"),
        ("\r\nx", "'\r\nx"),
        ("\x00=1", "'\x00=1"),
        ("'=1", "''=1"),
        ("|calc", "|calc"),
        ("%0A", "%0A"),
        ("''5", "''5"),
        ("'\t", "''\t"),
        ("''\r\nx", "'''\r\nx"),
    ],
)
def test_the_guard_spares_numbers(text: str, expected: str) -> None:
    assert guarded(text) == expected


@given(st.lists(st.text("=+-@'\uff1d\u200b \t1x", max_size=4), unique=True))
@example(["\t", "'\t"])
def test_no_two_texts_are_guarded_alike(texts: list[str]) -> None:
    assert len({guarded(text) for text in texts}) == len(texts)


HOSTILE = ("\uff1d1+1", "\u200b=1", "=1+1", "\u2212x", "'\tx", "F")


@pytest.mark.parametrize("method", [Method.DENSE, Method.TREE])
@pytest.mark.parametrize("edition", list(Edition))
def test_bundles_of_both_editions_verify(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, edition: Edition, method: Method
) -> None:
    column = Categorical(name="\uff1dsum", categories=HOSTILE)
    domain = Domain((column, Integer(name="n", minimum=0, maximum=2)), ("", "\uff1d"))
    rows = [[text, "1"] for text in HOSTILE] * 20
    monkeypatch.setattr(writer, "guarded", lambda text, _=None: guarded(text, edition))
    for module, name in ((writer, "guarded_table"), (archives, "texts"), (archives, "report")):
        monkeypatch.setattr(module, name, partial(getattr(module, name), edition=edition))
    options = {"method": Method.DENSE}
    if method is Method.TREE:
        options = {"method": method, "delta": Fraction("1.0000001e-9")}
    ledger = Ledger(tmp_path / "l.db")
    ledger.set_budget("s", parse_budget("epsilon=9,delta=1e-6", REPLACE))
    table = write(tmp_path / "t.csv", ["\uff1dsum", "n"], rows)
    plan = Plan(domain, parse_epsilon("1.7"), dataset="s", **options)
    bundle = synthesize(plan, table, ledger=ledger).write_archive(tmp_path / "b.zip", ledger)
    monkeypatch.undo()
    assert verify(bundle, ledger).domain == domain
    files = contents(bundle)
    latest = edition is not Edition.FIRST
    assert (b"'\xef\xbc\x9d1+1" in files["synthetic.csv"]) == latest
    assert (b"''\tx" in files["noisy_counts.csv"]) == (edition is Edition.THIRD)
    assert (b"rounded up" in files["statement.txt"]) == latest


SHARED = ("synthetic.csv", "noisy_counts.csv", "domain.json")


@pytest.mark.parametrize("method", [Method.DENSE, Method.INDEPENDENT])
def test_a_loose_file_is_the_bundles(tmp_path: Path, method: Method) -> None:
    """Byte for byte, with a category that begins with ``=``; the Parquet file has it as it is."""
    table = write(tmp_path / "t.csv", ["=sum"], [["=1+1"]] * 40)
    result = synthesize(Plan(ODD, parse_epsilon("9"), method=method), table)
    loose = result.write(tmp_path / "out", Output.BOTH)
    bundle = contents(result.write_archive(tmp_path / "b.zip"))
    for name in (*SHARED, "synthetic.parquet"):
        assert loose[name].read_bytes() == bundle[name], name
    listed = json.loads(loose[CERTIFICATE].read_text())["sha256"]
    whole = json.loads(bundle[CERTIFICATE])["sha256"]
    assert listed.items() < whole.items()
    assert "'=1+1" in loose["synthetic.csv"].read_text()
    assert "'=1+1" in loose["noisy_counts.csv"].read_text()
    assert "=1+1" in pq.read_table(loose["synthetic.parquet"])["=sum"].to_pylist()
    assert "'=1+1" not in loose["domain.json"].read_text()


@pytest.mark.parametrize("output", list(Output))
def test_beside_a_bundle_there_is_one_certificate(tmp_path: Path, output: Output) -> None:
    table = write(tmp_path / "t.csv", ["=sum"], [["=1+1"]] * 40)
    result = synthesize(Plan(ODD, parse_epsilon("9")), table)
    path = result.write_archive(tmp_path / "b.zip")
    loose, bundle = result.write(tmp_path / "out", output, bundle=path), contents(path)
    assert set(loose) == {*output.names, CERTIFICATE}
    assert {p.name for p in (tmp_path / "out").iterdir()} == set(loose)
    for name, file in loose.items():
        assert file.read_bytes() == bundle[name], name


def test_the_command_line_writes_one_certificate(tmp_path: Path) -> None:
    table = write(tmp_path / "t.csv", ["=sum"], [["=1+1"]] * 40)
    (tmp_path / "d.json").write_text(json.dumps(write_schema(ODD)))
    words = ["release", str(table), "--domain", str(tmp_path / "d.json"), "--epsilon", "9"]
    out, bundle = tmp_path / "out", tmp_path / "b.zip"
    assert main([*words, "--out", str(out), "--bundle", str(bundle)]) == 0
    files = contents(bundle)
    assert {path.name for path in out.iterdir()} == {*SHARED, CERTIFICATE}
    for name in (*SHARED, CERTIFICATE):
        assert (out / name).read_bytes() == files[name], name


HAZARDS = Domain(
    (
        Categorical(name="=sum", categories=("=1+1", "'=1", "F"), meanings={"F": "female"}),
        Boolean(name="-b", true_values=("+y", "y"), false_values=("@n",), missing=True),
        Integer(name="@i", minimum=-2, maximum=2, missing=True),
    ),
    ("--",),
)
HAZARDOUS = [["=1+1", "+y", "-1"], ["'=1", "@n", "--"], ["F", "--", "2"]]


def test_a_loose_table_is_compared_as_it_was_declared(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The CSV is guarded and the Parquet file is not; both are the same rows."""
    table = write(tmp_path / "t.csv", list(HAZARDS.names), HAZARDOUS * 40)
    result = synthesize(Plan(HAZARDS, parse_epsilon("9")), table)
    files = result.write(tmp_path / "out", Output.BOTH)
    header, rest = files["synthetic.csv"].read_text().split("\n", 1)
    assert header == "'=sum,'-b,'@i"
    assert {"'=1+1", "''=1", "'+y", "'@n", "'--"} < set(re.split("[,\n]", rest))
    plain = tmp_path / "plain.csv"
    write_csv(result.synthetic.pieces(), plain, missing="--")
    said = []
    for path in (files["synthetic.csv"], files["synthetic.parquet"], plain):
        words = ["compare", str(table), str(path), "--domain", str(files["domain.json"]), "--json"]
        assert main(words) == 0
        said.append(json.loads(capsys.readouterr().out))
    assert said[0] == said[1] == said[2]


def test_a_bundle_that_cannot_be_taken_out_is_refused(tmp_path: Path) -> None:
    table = write(tmp_path / "t.csv", ["=sum"], [["=1+1"]] * 40)
    result = synthesize(Plan(ODD, parse_epsilon("9")), table)
    path = result.write_archive(tmp_path / "b.zip")
    (tmp_path / "out" / CERTIFICATE).mkdir(parents=True)
    with pytest.raises(ReleaseError, match=r"certificate\.json' cannot be written"):
        result.write(tmp_path / "out", bundle=path)
    assert not [p.name for p in (tmp_path / "out").iterdir() if p.name.endswith(".part")]


# Nothing private.


def neighbours(neighbors: Neighbors) -> tuple[list[list[str]], list[list[str]]]:
    changed = ["M", "99", "2.4", "2024-12-31", "no"]
    rows = ROWS * 20
    return rows, [changed, *rows[1:]] if neighbors is REPLACE else [*rows, changed]


@pytest.mark.parametrize("neighbors", list(Neighbors))
def test_with_the_noisy_values_fixed_neighbours_give_the_same_bytes(
    tmp_path: Path, still: Any, monkeypatch: pytest.MonkeyPatch, neighbors: Neighbors
) -> None:
    """All that the bundle knows of the rows went through the door."""
    fixed = np.random.default_rng(5).integers(-3, 40, MIXED.size)
    monkeypatch.setattr(DiscreteLaplace, "release", lambda *_: fixed.copy())
    paths = []
    for name, rows in zip("ab", neighbours(neighbors), strict=True):
        still()
        paths.append(make(tmp_path, name, rows, neighbors=neighbors))
    assert paths[0].read_bytes() == paths[1].read_bytes()


@pytest.mark.parametrize("neighbors", list(Neighbors))
def test_with_the_noise_fixed_only_noisy_values_differ(
    tmp_path: Path, still: Any, neighbors: Neighbors
) -> None:
    bundles = []
    for name, rows in zip("ab", neighbours(neighbors), strict=True):
        still()
        bundles.append(contents(make(tmp_path, name, rows, neighbors=neighbors)))
    a, b = bundles
    made_of_values = {"synthetic.csv", "synthetic.parquet", "report.html"}
    for name in FILES - made_of_values - {"noisy_counts.csv", "certificate.json", "statement.txt"}:
        assert a[name] == b[name], name
    lines = zip(a["noisy_counts.csv"].splitlines(), b["noisy_counts.csv"].splitlines(), strict=True)
    different = [(x.rsplit(b",", 1), y.rsplit(b",", 1)) for x, y in lines if x != y]
    assert len(different) == neighbors.sensitivity
    for (labels, value), (others, other) in different:
        assert labels == others
        assert abs(int(value) - int(other)) == 1
    assert differing(a["certificate.json"], b["certificate.json"]) <= {
        "sha256",
        "ledger.head",
        *(("rows", "number_of_rows") if neighbors is Neighbors.ADD_REMOVE else ()),
    }


def differing(one: bytes, other: bytes) -> set[str]:
    first, second = json.loads(one), json.loads(other)
    found = {key for key in first if first[key] != second[key]}
    if "ledger" in found and first["ledger"]["entry"] == second["ledger"]["entry"]:
        found = found - {"ledger"} | {"ledger.head"}
    return found


@pytest.mark.parametrize("neighbors", list(Neighbors))
def test_no_exact_count_and_no_unlisted_value_is_in_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, neighbors: Neighbors
) -> None:
    domain = Domain((Categorical(name="sex", categories=("F", "M"), missing=True),))
    monkeypatch.setattr(DiscreteLaplace, "release", lambda *_: np.array([5, 6, 7]))
    rows = [["F"]] * 1949 + [["M"]] * 1733 + [["ZEBRA"]] * 1621
    path = make(tmp_path, "confidential", rows, domain=domain, neighbors=neighbors)
    for name, content in contents(path).items():
        text = content.decode() if not name.endswith("parquet") else repr(content)
        text = re.sub(r"<script.*?</script>", "", text, flags=re.S)
        assert "ZEBRA" not in text
        assert "confidential.csv" not in text
        secrets = {"1949", "1733", "1621", "3682", "3354", "3570"}
        if neighbors is Neighbors.ADD_REMOVE:
            secrets.add("5303")
        numbers = set(re.findall(r"(?<![0-9a-f])[0-9]+(?![0-9a-f])", text.replace(",", "")))
        assert not secrets & numbers, name


def test_the_report_needs_no_network_and_holds_plotly_once(whole: Path) -> None:
    page = contents(whole)["report.html"].decode()
    assert page.count("* plotly.js v") == 1
    outside = re.sub(r"<script>/\*\*.*?</script>", "", page, count=1, flags=re.S)
    assert not re.search(r"(src|href)=['\"]?(https?:)?//", outside)
    assert "default-src 'none'" in page
    assert page.count("role='img'") == page.count("The same as a table") == 1 + len(MIXED.columns)


def test_the_report_is_the_same_whatever_else_draws_charts(
    whole: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Streamlit sets a look of its own for all charts of the process as it is imported."""
    for look in ("plotly_dark", "plotly"):
        monkeypatch.setattr("plotly.io.templates.default", look)
        verify(whole)


def test_names_are_escaped_in_the_report(tmp_path: Path) -> None:
    domain = Domain((Categorical(name="<script>x</script>", categories=("<b>", "</script>")),))
    page = contents(make(tmp_path, rows=[["<b>"]] * 9, domain=domain))["report.html"].decode()
    outside = re.sub(r"<script>/\*\*.*?</script>", "", page, count=1, flags=re.S)
    assert "<script>x" not in outside
    assert "<b>" not in outside


# Tampering.


def rezip(path: Path, files: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return path


def certified(files: dict[str, bytes], change: Callable[[dict[str, Any]], Any]) -> None:
    certificate = json.loads(files["certificate.json"])
    change(certificate)
    files["certificate.json"] = json.dumps(certificate).encode()


def signed(files: dict[str, bytes], name: str, content: bytes) -> None:
    """A forger who knows that digests are checked."""
    files[name] = content
    digest = hashlib.sha256(content).hexdigest()
    certified(files, lambda c: c["sha256"].update({name: digest}))


def edited(name: str, old: bytes, new: bytes, count: int = 1) -> Callable[..., None]:
    def edit(files: dict[str, bytes]) -> None:
        assert old in files[name], old
        signed(files, name, files[name].replace(old, new, count))

    return edit


def claimed(**changes: Any) -> Callable[..., None]:
    def edit(files: dict[str, bytes]) -> None:
        def change(certificate: dict[str, Any]) -> None:
            for key, value in changes.items():
                place, _, field = key.partition("__")
                if field:
                    certificate[place][field] = value
                else:
                    certificate[place] = value

        certified(files, change)

    return edit


def changed_byte(files: dict[str, bytes]) -> None:
    files["synthetic.csv"] = files["synthetic.csv"][:-3] + b"X\r\n"


def other_rows(files: dict[str, bytes]) -> None:
    table = pq.read_table(io.BytesIO(files["synthetic.parquet"]))
    table = table.take(pa.array(range(table.num_rows - 1, -1, -1)))
    out = io.BytesIO()
    pq.write_table(table, out)
    signed(files, "synthetic.parquet", out.getvalue())
    lines = files["synthetic.csv"].splitlines(keepends=True)
    signed(files, "synthetic.csv", b"".join([lines[0], *reversed(lines[1:])]))


def other_columns(files: dict[str, bytes]) -> None:
    table = pq.read_table(io.BytesIO(files["synthetic.parquet"])).drop_columns(["smoker"])
    out = io.BytesIO()
    pq.write_table(table, out)
    signed(files, "synthetic.parquet", out.getvalue())


def own_rows(files: dict[str, bytes]) -> None:
    """Whichever answer came up among the few rows."""
    old, new = (b"yes", b"no") if b"yes" in files["synthetic.csv"] else (b"no", b"yes")
    edited("synthetic.csv", old, new)(files)


def one_count_more(files: dict[str, bytes]) -> None:
    lines = files["noisy_counts.csv"].splitlines(keepends=True)
    labels, value = lines[5].rsplit(b",", 1)
    lines[5] = labels + b",%d\n" % (int(value) + 4_000)  # pooling may take less for noise
    signed(files, "noisy_counts.csv", b"".join(lines))


def one_cell_less(files: dict[str, bytes]) -> None:
    lines = files["noisy_counts.csv"].splitlines(keepends=True)
    signed(files, "noisy_counts.csv", b"".join(lines[:-1]))


def unknown_cell(files: dict[str, bytes]) -> None:
    lines = files["noisy_counts.csv"].splitlines(keepends=True)
    lines[1] = b"Q" + lines[1][1:]
    signed(files, "noisy_counts.csv", b"".join(lines))


def more_rows(files: dict[str, bytes]) -> None:
    edited("statement.txt", b"11 synthetic rows", b"12 synthetic rows")(files)
    claimed(rows=12)(files)


def stricter(files: dict[str, bytes]) -> None:
    """A smaller epsilon wherever it is said, but not in the noise."""
    edited("plan.json", b'"epsilon": "1"', b'"epsilon": "1/2"')(files)
    statement = json.loads(files["certificate.json"])["guarantee"]["statement"]
    claimed(guarantee__epsilon="1/2", guarantee__statement=statement.replace("are 1-", "are 0.5-"))(
        files
    )


TAMPERINGS: dict[str, tuple[Any, str]] = {
    "a changed byte": (changed_byte, "'synthetic.csv' is not the file that the certificate"),
    "a file less": (lambda f: f.pop("statement.txt"), "lacks the file 'statement.txt'"),
    "a file more": (lambda f: f.update({"x.py": b""}), "does not list: 'x.py'"),
    "no certificate": (lambda f: f.pop("certificate.json"), "lacks the file 'certificate.json'"),
    "a broken certificate": (
        lambda f: f.update({"certificate.json": b"{"}),
        "'certificate.json' in the bundle is not a JSON object",
    ),
    "another form": (claimed(format="synth-certificate-9"), "form 'synth-certificate-9', which"),
    "another maker": (claimed(format="x"), "The certificate was not made by Synth"),
    "no digests": (claimed(sha256={}), "lists no digests"),
    "a field less": (lambda f: certified(f, lambda c: c.pop("mechanism")), "a part is missing"),
    "a claim more": (claimed(approved="by everybody"), "form: it claims more than it may"),
    "a claim more inside": (
        lambda f: certified(f, lambda c: c["mechanism"].update(strategy="none")),
        "'mechanism' claims more than it may",
    ),
    "a wrong type": (claimed(rows="many"), "'rows' is not as the published schema wants it"),
    "a path that climbs": (lambda f: f.update({"../x": b""}), "would leave its folder"),
    "an absolute path": (lambda f: f.update({"/etc/x": b""}), "would leave its folder"),
    "a smaller epsilon": (stricter, "not of the scale that the certificate's epsilon needs"),
    "an epsilon alone": (claimed(guarantee__epsilon="1/2"), "asks for another guarantee"),
    "a nicer statement": (claimed(guarantee__statement="Safe."), "statement is not what its"),
    "a delta": (claimed(guarantee__delta="1/9"), "statement is not what its epsilon"),
    "a larger scale": (claimed(mechanism__scale="20"), "not of the scale"),
    "a smaller sensitivity": (
        claimed(mechanism__sensitivity=1, mechanism__scale="1"),
        "The sensitivity of one row under replace-one is 2",
    ),
    "other neighbours": (claimed(neighbors="add-remove"), "asks for another guarantee"),
    "a private number of rows": (
        claimed(released__rows=None),
        "public under replace-one, and under it only",
    ),
    "fewer cells": (claimed(mechanism__cells=7), "number of cells is not that of the domain"),
    "more rows": (more_rows, "number of synthetic rows is not that of the table"),
    "another repair": (claimed(repair="magic"), "does not say what the certificate"),
    "another seed": (claimed(drawing__seed="5"), "are not what the noisy counts, the repair and"),
    "rows in another order": (other_rows, "rows are not what the noisy counts"),
    "a column less": (other_columns, "does not have the columns of the domain"),
    "a count changed": (one_count_more, "are not what the noisy counts, the repair and the seed"),
    "a cell less": (one_cell_less, "does not list the cells of the domain in their order"),
    "an unknown cell": (unknown_cell, "names a cell that the domain does not have"),
    "no Parquet": (lambda f: signed(f, "synthetic.parquet", b"x"), "is not a Parquet file"),
    "CSV rows of their own": (
        own_rows,
        "'synthetic.csv' and 'synthetic.parquet' do not hold the same rows",
    ),
    "another domain": (edited("domain.json", b'"M"', b'"N"'), "is about another domain"),
    "a broken domain": (
        lambda f: signed(f, "domain.json", b"{}"),
        "'domain.json' in the bundle cannot be used. This is no Table Schema",
    ),
    "a nicer page": (edited("statement.txt", b"No row", b"No row at all"), "'statement.txt' does"),
    "another script": (edited("run_again.txt", b"epsilon 1", b"epsilon 9"), "'run_again.txt' does"),
    "another dictionary": (edited("dictionary.csv", b"sex", b"sox"), "'dictionary.csv' does"),
    "another schema": (edited("certificate.schema.json", b"object", b"array"), "schema.json' does"),
    "a nicer report": (edited("report.html", b"<h1>", b"<h1>!"), "'report.html' does not show"),
    "no text": (lambda f: signed(f, "report.html", b"\xff"), "'report.html' in the bundle is not"),
}


def refused(bundle: Path, folder: Path, tamper: Callable[[dict[str, bytes]], None]) -> str:
    """What `verify` says of a bundle that was tampered with."""
    files = contents(bundle)
    tamper(files)
    with pytest.raises(ReleaseError) as caught:
        verify(rezip(folder / "t.zip", files))
    return str(caught.value)


@pytest.mark.parametrize("kind", TAMPERINGS)
def test_tampering_is_found(whole: Path, tmp_path: Path, kind: str) -> None:
    tamper, sentence = TAMPERINGS[kind]
    said = refused(whole, tmp_path, tamper)
    assert sentence in said
    assert said.endswith(".")


def test_only_the_ledger_knows_a_certificate_forged_to_the_last(
    whole: Path, tmp_path: Path
) -> None:
    """The time of the spend follows from nothing in the bundle."""
    files = contents(whole)
    claimed(created="1999-01-01")(files)
    forged = rezip(tmp_path / "t.zip", files)
    verify(forged)
    with pytest.raises(ReleaseError, match="is not one that this ledger has seen"):
        verify(forged, Ledger(whole.with_suffix(".db")))
    with pytest.raises(ReleaseError, match="is not recorded in this ledger"):
        verify(whole, Ledger(tmp_path / "other.db"))


def test_what_is_no_zip(tmp_path: Path, whole: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cut = tmp_path / "cut.zip"
    cut.write_bytes(whole.read_bytes()[:5000])
    for path, sentence in (
        (cut, "'cut.zip' is not a whole zip file."),
        (tmp_path / "a", "no file"),
    ):
        assert main(["verify", str(path)]) == 2
        assert sentence in capsys.readouterr().err
    with (
        pytest.raises(ReleaseError, match="two files of the same name"),
        pytest.warns(UserWarning, match="Duplicate"),
    ):
        twice(tmp_path / "twice.zip")


def twice(path: Path) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a", b"1")
        archive.writestr("a", b"2")
    read_archive(path)


def test_a_bomb_is_not_unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("synth.limits.BUNDLE_MB", 1)
    bomb = rezip(tmp_path / "bomb.zip", {"a": bytes(2 * 2**20)})
    with pytest.raises(ReleaseError, match="unpacks to more than 1 MB"):
        read_archive(bomb)


def test_the_command_line_says_what_was_checked(
    whole: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["verify", str(whole), "--ledger", str(whole.with_suffix(".db"))]) == 0
    assert capsys.readouterr().out.startswith("The bundle holds what it claims.\n  13 files, all")
    assert main(["verify", str(whole), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["valid"] is True


def test_a_release_must_be_told_where_to_go(tmp_path: Path, capsys: Any) -> None:
    domain = tmp_path / "d.json"
    domain.write_bytes(b'{"fields": [{"name": "a", "type": "boolean"}]}')
    assert main(["release", "t.csv", "--domain", str(domain), "--epsilon", "1"]) == 2
    assert capsys.readouterr().err == (
        "Say where the results go: --out DIR, --bundle FILE.zip, or both.\n"
    )
