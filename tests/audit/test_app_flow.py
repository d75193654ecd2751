"""The whole app on neighbouring tables with the noise frozen, from the table to the bundle.

The steward's own clicks lead from Data to Download. What leaves may differ where the noisy
values differ, and nowhere else; and it holds no exact count and no value that was not
declared."""

import io
import json
import re
import zipfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

from synth import noise
from synth.domain import Categorical, Date, Domain, Integer, Number, Outside, write_schema
from synth.noise import DiscreteLaplace, KNorm
from synth.plans import Method, Plan
from synth.privacy import Neighbors
from synth.spending import synthesize
from synth.verification import verify
from tests.app.steward import draft_of, go_to, press, text_of, visit
from tests.conftest import Report
from tests.tables import MIXED, ROWS, write

pytestmark = pytest.mark.slow

_SIZE = re.compile(r" · [0-9.,]+ [kM]?B\b")
"""The size of a file on the page Download."""
RARE = "ZEBRA-7731"
CHANGED = [RARE, "99", "2.4", "2024-12-31", "no"]
FINE = Domain(
    (
        Categorical(name="sex", categories=("F", "M"), missing=True),
        Integer(name="age", minimum=0, maximum=99, bins=100),
        Number(name="weight", minimum="0", maximum="2.5", bins=25, outside=Outside.CELL),
        Date(name="day", minimum="2024-01-01", maximum="2024-12-31", bins=12, missing=True),
        MIXED["smoker"],
    ),
    ("", "NA"),
)
"""So many cells that the automatic method measures pairs."""

FOLLOWS_FROM_VALUES = {
    "synthetic.csv",
    "synthetic.parquet",
    "open.html",
    "how_to_use.ipynb",
    "datapackage.json",
    "croissant.json",
    "ddi.xml",
}
NAMES_A_NOISY_TOTAL = {"certificate.json", "statement.txt"}


def neighbours(neighbors: Neighbors) -> list[list[list[str]]]:
    """Return a table of 220 rows, and its neighbour with the row CHANGED in it."""
    rows = ROWS * 20
    return [
        rows,
        [CHANGED, *rows[1:]] if neighbors is Neighbors.REPLACE_ONE else [*rows, CHANGED],
    ]


def walk_through_app(
    folder: Path, rows: Any, domain: Domain, method: Method, neighbors: Neighbors
) -> tuple[dict[str, bytes], list[str]]:
    """Data, Domain, Plan, Release, Download: the bundle's files, and what the pages said."""
    folder.mkdir()
    table = write(folder / "people.csv", list(domain.names), rows)
    app = visit()
    app.file_uploader[0].upload("people.csv", table.read_bytes(), "text/csv").run()
    pages = [text_of(app)]
    go_to(app, "domain")
    declaration = json.dumps(write_schema(domain)).encode()
    app.file_uploader[0].upload("domain.json", declaration, "application/json").run()
    pages.append(text_of(app))
    go_to(app, "plan")
    app.selectbox(key="choice_method").set_value(method).run()
    app.radio(key="choice_neighbors").set_value(neighbors).run()
    pages.append(text_of(app))
    go_to(app, "release")
    app.text_input(key="choice_budget").input("2").run()
    app.checkbox(key="agreed").check().run()
    press(app, "Release with epsilon 1")
    assert draft_of(app).release is not None, text_of(app)
    pages.append(text_of(app))
    go_to(app, "download")
    pages.append(text_of(app))
    assert not app.exception
    with zipfile.ZipFile(draft_of(app).release.files["bundle.zip"]) as archive:
        return {name: archive.read(name) for name in archive.namelist()}, pages


@pytest.fixture
def walked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, still: Callable[[], None]
) -> Callable[..., Any]:
    """The walk with each of two neighbouring tables, the noise the same both times."""

    def both(domain: Domain, method: Method, neighbors: Neighbors) -> Any:
        walks = []
        for name, rows in zip("ab", neighbours(neighbors), strict=True):
            monkeypatch.setenv("SYNTH_HOME", str(tmp_path / f"home-{name}"))
            still()
            walks.append(walk_through_app(tmp_path / name, rows, domain, method, neighbors))
        return walks

    return both


def counted_lines(content: bytes) -> list[tuple[bytes, int]]:
    """Labels and noisy count of every line."""
    lines = (line.rsplit(b",", 1) for line in content.splitlines()[1:])
    return [(labels, int(count)) for labels, count in lines]


def said_otherwise(first_files: dict[str, bytes], second_files: dict[str, bytes]) -> set[str]:
    """What two certificates say otherwise, the ledger's two parts apart."""
    first, second = (
        json.loads(files["certificate.json"]) for files in (first_files, second_files)
    )
    assert first["ledger"]["entry"] == second["ledger"]["entry"]
    for content in (first, second):  # a model's noisy total is named apart
        content |= {f"released {k}": v for k, v in content.pop("released").items()}
        for payment in content["mechanism"].get("marginals", ()):
            payment.pop("values", None)  # noisy sums
    return {key for key in first if first[key] != second[key]} - {"sha256", "ledger"}


def described(files: dict[str, bytes]) -> Any:
    """What the data package tells of the files, their sizes and digests apart."""
    package = json.loads(files["datapackage.json"])
    for resource in package["resources"]:
        del resource["bytes"], resource["hash"]
    return package


@pytest.mark.parametrize("neighbors", list(Neighbors))
def test_only_noisy_values_tell_two_histograms_apart(
    walked: Any, neighbors: Neighbors
) -> None:
    """Bundles and pages of two neighbouring tables differ only where noisy values do.

    The noise is the same both times, so counts differ by the rows alone, and in sum by the
    sensitivity. Under add-remove the number of rows is noisy, so what names it may differ,
    too.
    """
    # The files of both bundles by name, and the texts of the pages.
    (a, first_pages), (b, second_pages) = walked(MIXED, Method.DENSE, neighbors)
    assert set(a) == set(b)
    for name in set(a) - FOLLOWS_FROM_VALUES - NAMES_A_NOISY_TOTAL - {"noisy_counts.csv"}:
        assert a[name] == b[name], name

    lines, others = (counted_lines(files["noisy_counts.csv"]) for files in (a, b))
    assert [labels for labels, _ in lines] == [labels for labels, _ in others]
    moves = [abs(x - y) for (_, x), (_, y) in zip(lines, others, strict=True)]
    assert sum(moves) == neighbors.sensitivity

    if neighbors is Neighbors.ADD_REMOVE:  # the number of rows is noisy
        assert said_otherwise(a, b) <= {"rows", "number_of_rows", "rows_fit"}
    else:
        assert said_otherwise(a, b) == set()
        assert a["statement.txt"] == b["statement.txt"]
        assert described(a) == described(b)
        assert without_noisy_counts(first_pages) == without_noisy_counts(second_pages)


def without_noisy_counts(pages: list[str]) -> list[str]:
    """Return the pages without those that say how large the noise of shown counts is.

    Sizes of files are left out, too: noisy values and digests take more or less room.
    """
    return [_SIZE.sub("", page) for page in pages if "in 95 of 100." not in page]


@pytest.mark.parametrize("neighbors", list(Neighbors))
def test_only_noisy_values_tell_two_models_apart(walked: Any, neighbors: Neighbors) -> None:
    """Models of two neighbouring tables give bundles that differ only where noisy values do.

    FINE has so many cells that pairs of columns are measured. Each measured histogram moves
    by at most the sensitivity. Which pairs are measured may follow from noisy values; here
    the same ones are.
    """
    # The files of both bundles by name, and the texts of the pages.
    (a, _), (b, _) = walked(FINE, Method.AUTO, neighbors)
    assert json.loads(a["certificate.json"])["format"] == "synth-certificate-model-4"
    for name in set(a) - FOLLOWS_FROM_VALUES - NAMES_A_NOISY_TOTAL - {"noisy_counts.csv"}:
        assert a[name] == b[name], name

    lines, others = (counted_lines(files["noisy_counts.csv"]) for files in (a, b))
    assert [labels for labels, _ in lines] == [labels for labels, _ in others]
    moved: Counter[bytes] = Counter()
    for (labels, x), (_, y) in zip(lines, others, strict=True):
        moved[labels.split(b",")[0]] += abs(x - y)

    assert len(moved) == len(FINE.names)
    assert max(moved.values()) == neighbors.sensitivity

    if neighbors is Neighbors.ADD_REMOVE:  # the number of rows is noisy
        noisy_entries = {"rows", "number_of_rows", "rows_fit", "released total"}
        assert said_otherwise(a, b) <= noisy_entries
    else:
        assert said_otherwise(a, b) == set()


@pytest.mark.parametrize("neighbors", list(Neighbors))
def test_models_with_the_noisy_values_fixed_are_the_same_bytes(
    tmp_path: Path, still: Any, monkeypatch: pytest.MonkeyPatch, neighbors: Neighbors
) -> None:
    """If every noisy value is fixed, neighbouring tables give the same bundle, byte by byte.

    So all that a model's bundle knows of the rows went through the door, which adds the
    noise. The fixed values replace all noise and each private choice.
    """

    def fixed(_: Any, values: np.ndarray) -> np.ndarray:
        return np.random.default_rng(5).integers(-3, 60, np.shape(values))

    for law in (DiscreteLaplace, KNorm):
        monkeypatch.setattr(law, "release", fixed)
    monkeypatch.setattr(
        DiscreteLaplace, "reduce_noise", lambda law, values, *_: fixed(law, values)
    )
    monkeypatch.setattr(noise, "permute_and_flip", lambda *_, **__: 0)

    bundles = []
    for name, rows in zip("ab", neighbours(neighbors), strict=True):
        still()
        table = write(tmp_path / f"{name}.csv", list(FINE.names), rows)
        plan = Plan(domain=FINE, epsilon=1, neighbors=neighbors, method=Method.ADAPTIVE)  # type: ignore[arg-type]
        result = synthesize(plan, table)
        bundles.append(result.write_archive(tmp_path / f"{name}.zip").read_bytes())

    assert bundles[0] == bundles[1]


# The scan.

PLANTED = {"F": 1949, "M": 1733, RARE: 1621}
SECRETS = {RARE, "1949", "1733", "1621", "3682", "3354", "3570"}
FREE_OF_CHANCE = [513, 634, 702, 571]
"""Noise that leads to none of the secrets by accident."""


def scan(
    folder: Path, method: Method, neighbors: Neighbors, noise: list[int]
) -> dict[str, set[str]]:
    """What a walk gives away, by the place where it is found."""
    domain = Domain((Categorical(name="sex", categories=("F", "M"), missing=True),))
    rows = [[value] for value, count in PLANTED.items() for _ in range(count)]
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("SYNTH_HOME", str(folder / "home"))
        # The first rows and the size of the table are private, and hidden by this.
        patched.setenv("SYNTH_PREVIEW", "off")
        patched.setattr(
            DiscreteLaplace,
            "release",
            lambda _, values: values + np.array(noise)[: len(values)],
        )
        files, pages = walk_through_app(folder / "flow", rows, domain, method, neighbors)
    table = pq.read_table(io.BytesIO(files.pop("synthetic.parquet"))).to_pylist()
    places = {name: content.decode() for name, content in files.items()}
    places |= {"rows": repr(table), "pages": " ".join(pages)}
    for path in (folder / "home").rglob("*"):
        if path.is_file():
            places[path.name] = (
                path.read_bytes().decode("latin-1") if path.suffix != ".key" else ""
            )
    secrets = SECRETS | ({"5303"} if neighbors is Neighbors.ADD_REMOVE else set())
    return {name: hits for name, text in places.items() if (hits := found(text, secrets))}


def found(text: str, secrets: set[str]) -> set[str]:
    """The secrets in a text, numbers as whole numbers."""
    plain = re.sub(r"<script.*?</script>", "", text, flags=re.S).replace(",", "")
    numbers = set(re.findall(r"(?<![0-9a-f])[0-9]+(?![0-9a-f])", plain))
    return {s for s in secrets if s in (numbers if s.isdigit() else plain)}


@pytest.mark.parametrize("neighbors", list(Neighbors))
@pytest.mark.parametrize("method", [Method.DENSE, Method.INDEPENDENT])
def test_a_scan_finds_no_exact_count_and_no_unlisted_value(
    tmp_path: Path, still: Callable[[], None], method: Method, neighbors: Neighbors
) -> None:
    """No file, page or ledger of a release holds an exact count or a value that was not
    declared. `scan` goes through the app and returns the secrets that it finds, by place.
    FREE_OF_CHANCE is noise that leads to none of them by accident.
    """
    # Stop the clock and fix the randomness, so that no secret appears by accident.
    still()

    assert scan(tmp_path, method, neighbors, FREE_OF_CHANCE) == {}


@pytest.mark.mutant
def test_the_scan_sees_a_release_without_noise(
    tmp_path: Path, still: Callable[[], None], report: Report
) -> None:
    """The scan above notices a release without noise.

    It finds the three exact counts in the noisy counts. It finds their sum, 5,303, wherever
    the number of rows is named.
    """
    # Stop the clock and fix the randomness, so that no secret appears by accident.
    still()
    leaks = scan(tmp_path, Method.DENSE, Neighbors.ADD_REMOVE, [0, 0, 0])

    assert leaks["noisy_counts.csv"] == {"1949", "1733", "1621"}
    assert "5303" in leaks["certificate.json"] & leaks["statement.txt"] & leaks["pages"]

    report(f"{'counts without noise':45} caught by the scan of the app's flow")


def test_bundles_of_the_walk_verify(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The bundle that the app makes is verified, with at least five of its claims checked."""
    monkeypatch.setenv("SYNTH_HOME", str(tmp_path / "home"))
    files, _ = walk_through_app(
        tmp_path / "a", ROWS, MIXED, Method.AUTO, Neighbors.REPLACE_ONE
    )

    with zipfile.ZipFile(tmp_path / "b.zip", "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    assert len(verify(tmp_path / "b.zip").checks) >= 5
