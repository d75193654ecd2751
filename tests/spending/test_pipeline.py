"""The whole flow: what it writes, what neighbours change in it, and what bad input costs."""

import csv
import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest

from synth import limits
from synth.domain import Domain, Integer
from synth.door import Ledger
from synth.errors import ArgumentError, LimitError, SynthError, TableError
from synth.estimate import Repair
from synth.noise import bits
from synth.plans import Method, Plan
from synth.privacy import Neighbors
from synth.rows import draw as drawing
from synth.spending import RELEASE_STAGES, synthesize
from tests.ledger.ledgers import ledger_with_budget
from tests.tables import MIXED, ROWS, write, write_plain

FILES = ["certificate.json", "domain.json", "noisy_counts.csv", "synthetic.csv"]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A CSV table of the 11 odd rows of `ROWS`, twenty times each."""
    return write(tmp_path / "table.csv", list(MIXED.names), ROWS * 20)


def make_plan(**changes: object) -> Plan:
    """A plan for the declaration `MIXED`: a histogram of all cells at epsilon 1."""
    return replace(
        Plan(domain=MIXED, epsilon=Fraction(1), dataset="mixed", method=Method.DENSE),
        **changes,
    )


def read_contents(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in sorted(folder.iterdir())}


def test_the_files_and_the_certificate_agree(path: Path, tmp_path: Path) -> None:
    """The files of a release hold what its certificate says, and their digests match.

    A row that is replaced moves two counts by 1 each, so epsilon 1/3 needs noise of scale 2 /
    (1/3) = 6. The budget is entry 1 of the ledger, so the spend is entry 2.
    """
    ledger = ledger_with_budget(tmp_path / "ledger.sqlite", "1", "mixed")
    result = synthesize(make_plan(epsilon="1/3", rows=50), path, ledger=ledger)
    files = write_plain(result, tmp_path / "out")

    certificate = json.loads(files["certificate.json"].read_text())
    assert certificate["guarantee"]["epsilon"] == "1/3"
    assert certificate["mechanism"]["scale"] == "6"
    assert certificate["ledger"] == {"entry": 2, "head": ledger.head}
    assert certificate["domain_origin"] == "declared"

    for name, digest in certificate["sha256"].items():
        assert sha256(files[name].read_bytes()).hexdigest() == digest
    # All files but the certificate itself.
    assert len(certificate["sha256"]) == 3
    # 50 rows and a header.
    assert len(files["synthetic.csv"].read_text().splitlines()) == 51

    with files["noisy_counts.csv"].open(newline="") as file:
        rows = list(csv.reader(file))

    assert rows[0] == [*MIXED.names, "noisy_count"]
    assert [int(row[-1]) for row in rows[1:]] == result.record.noisy.values.tolist()
    # The cells are listed in order, from the first label of every column on.
    assert tuple(rows[1][:-1]) == tuple(column.cells[0] for column in MIXED.columns)


def test_without_a_ledger_the_certificate_says_so(path: Path) -> None:
    assert synthesize(make_plan(), path).certificate.ledger == "not recorded in a ledger"


def test_two_releases_differ(path: Path) -> None:
    """Without a ledger every release draws fresh noise."""
    first, second = (synthesize(make_plan(), path) for _ in range(2))

    assert (first.record.noisy.values != second.record.noisy.values).any()
    assert not first.synthetic.table.equals(second.synthetic.table)


@pytest.fixture
def frozen(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], None]]:
    """Restart all randomness from the same point, for tests that compare two runs."""
    generator = np.random.default_rng

    def restart() -> None:
        monkeypatch.setattr(bits, "bits", generator(7).bytes)
        rng = generator(7)
        monkeypatch.setattr(drawing.np.random, "default_rng", lambda _seed=None: rng)

    return restart


@pytest.mark.parametrize("neighbors", list(Neighbors))
def test_neighbours_change_noisy_values_only(
    tmp_path: Path, frozen: Callable[[], None], neighbors: Neighbors
) -> None:
    """Releases of neighbouring tables differ only in noisy counts and in rows drawn from
    them.

    All randomness starts at the same point for both. File names, the domain, the listed
    cells, the types of columns and the certificate's other facts are equal. Noisy counts
    differ by the sensitivity in L1.
    """
    changed = ["M", "99", "2.4", "2024-12-31", "no"]
    neighbour_rows = (
        [changed, *ROWS[1:]] if neighbors is Neighbors.REPLACE_ONE else [*ROWS, changed]
    )

    outputs = []
    for name, rows in (("a", ROWS), ("b", neighbour_rows)):
        frozen()
        table = write(tmp_path / f"{name}.csv", list(MIXED.names), rows)
        result = synthesize(make_plan(neighbors=neighbors, rows=40), table)
        outputs.append(
            (result, read_contents(write_plain(result, tmp_path / name)[FILES[0]].parent))
        )

    (first, first_files), (second, second_files) = outputs
    assert (
        np.abs(first.record.noisy.values - second.record.noisy.values).sum()
        == neighbors.sensitivity
    )

    assert list(first_files) == list(second_files) == FILES
    assert first_files["domain.json"] == second_files["domain.json"]

    certificates = [
        json.loads(files["certificate.json"]) for files in (first_files, second_files)
    ]
    for certificate in certificates:
        # The time and the digests may differ, as rows do.
        del certificate["created"], certificate["sha256"]
    assert certificates[0] == certificates[1]

    labels = [
        [line.rsplit(b",", 1)[0] for line in files["noisy_counts.csv"].splitlines()]
        for files in (first_files, second_files)
    ]
    assert labels[0] == labels[1]

    assert first.synthetic.table.schema == second.synthetic.table.schema
    assert (
        first_files["synthetic.csv"].splitlines()[0]
        == second_files["synthetic.csv"].splitlines()[0]
    )


def test_the_synthetic_schema_is_known_from_the_domain_alone(tmp_path: Path) -> None:
    """A table whose rows are all missing or all odd gives the same types as any other."""
    odd = write(tmp_path / "odd.csv", list(MIXED.names), [["", "", "", "", ""]] * 30)
    usual = write(tmp_path / "usual.csv", list(MIXED.names), ROWS)

    schemas = [
        synthesize(make_plan(), table).synthetic.table.schema for table in (odd, usual)
    ]

    assert schemas[0] == schemas[1]


def test_stages_are_reported_and_the_budget_goes_after_the_first(path: Path) -> None:
    """The spend is recorded after the first of four stages, the counting of rows.

    The numbers are the ledger's entries as each stage begins. The second stage, the drawing
    of noise, begins with the spend.
    """
    ledger = Ledger()
    spent = []

    synthesize(
        make_plan(),
        path,
        ledger=ledger,
        progress=lambda _: spent.append(len(ledger.entries())),
    )

    assert len(spent) == len(RELEASE_STAGES)
    assert spent == [0, 0, 1, 1]


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: make_plan(epsilon="0"), ArgumentError, "epsilon must be above 0"),
        (lambda: make_plan(epsilon="nan"), ArgumentError, "epsilon must be a number such as"),
        (
            lambda: make_plan(rows=0),
            ArgumentError,
            "rows must be a whole number of at least 1",
        ),
        (
            lambda: make_plan(rows=2 * 10**9),
            ArgumentError,
            "rows must be between 1 and 1000000000",
        ),
    ],
)
def test_wrong_plans_are_refused(
    make: Callable[[], Plan], error: type[SynthError], message: str
) -> None:
    """A plan with an impossible epsilon or number of rows is refused with a sentence."""
    with pytest.raises(error, match=message):
        make()


def test_bad_input_spends_nothing(tmp_path: Path, path: Path) -> None:
    """Missing files, rows or columns and too many cells (9,999^2) are refused before the
    spend.
    """
    ledger = Ledger()
    huge = Domain(tuple(Integer(name=n, minimum=0, maximum=9999, bins=9999) for n in "ab"))
    header = write(tmp_path / "header.csv", list(MIXED.names), [])
    other_path = write(tmp_path / "other.csv", ["sex", "age"], [["F", "1"]])

    for chosen, source, error, message in [
        (make_plan(), tmp_path / "none.csv", TableError, "no file"),
        (make_plan(), header, TableError, "'header.csv' has a header but no rows"),
        (make_plan(), other_path, TableError, "has no column"),
        (make_plan(domain=huge), path, LimitError, "has 99,980,001 cells"),
    ]:
        with pytest.raises(error, match=message):
            synthesize(chosen, source, ledger=ledger)

    assert ledger.entries() == []


def test_where_rows_are_private_an_empty_table_is_a_table(tmp_path: Path) -> None:
    """Under add-remove an empty table is released as any other.

    A refusal would tell that the table is empty, which add-remove promises to hide. The
    number of synthetic rows is the noisy one.
    """
    header = write(tmp_path / "header.csv", list(MIXED.names), [])
    result = synthesize(make_plan(neighbors=Neighbors.ADD_REMOVE), header)
    assert result.synthetic.rows == result.record.noisy.total


def test_large_universes_list_counts_from_a_public_threshold(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of very many cells only those above a threshold are listed, and the rows do not decide
    it.

    The threshold is the least count that fewer than about 20 empty cells exceed by noise
    alone. Two limits are lowered, so that this small table has too many cells to list all.
    """
    monkeypatch.setattr(limits, "LISTED_CELLS", 200)
    monkeypatch.setattr(limits, "SPURIOUS_CELLS", 20)

    result = synthesize(make_plan(), path)
    files = write_plain(result, tmp_path / "out")

    # Noise of scale 2 is at least t with probability exp(-t/2) / (1 + q), q = exp(-1/2). Of
    # all cells that is 20 for t = 2 ln(cells / (20 (1 + q))).
    cells = MIXED.size
    least = int(np.ceil(2 * np.log(cells / (20 * (1 + np.exp(-0.5))))))
    assert result.certificate.noisy_counts == f"cells with a count of {least} or more"

    listed_counts = [
        int(row.rsplit(",", 1)[1])
        for row in files["noisy_counts.csv"].read_text().splitlines()[1:]
    ]

    assert sorted(listed_counts) == sorted(
        count for count in result.record.noisy.values.tolist() if count >= least
    )


@pytest.mark.slow
def test_a_universe_beyond_machine_integers_under_both_relations(tmp_path: Path) -> None:
    """A table with far more cells than a machine integer counts is released under both
    relations.

    Thirty columns of 1,000 bins each have 10^90 cells, of which few are listed. Under
    add-remove a twentieth of epsilon 1 pays for the noisy number of rows. So Laplace noise of
    scale 1 / (19/20) is left for the counts.
    """
    names = [f"x{i}" for i in range(30)]
    domain = Domain(tuple(Integer(name=n, minimum=0, maximum=999, bins=1000) for n in names))
    # 5,001 rows: 5,000 of sevens only, and one of eights.
    path = write(tmp_path / "t.csv", names, [["7"] * 30] * 5000 + [["8"] * 30])

    for neighbors in Neighbors:
        wide = Plan(
            domain=domain, epsilon=Fraction(1), neighbors=neighbors, method=Method.HISTOGRAM
        )
        result = synthesize(wide, path)

        assert result.record.distribution.repair in (Repair.NEAREST, Repair.MOST_LIKELY)
        rows = result.certificate.number_of_rows
        if neighbors is Neighbors.ADD_REMOVE:
            assert (wide.total_epsilon, wide.scale) == (Fraction(1, 20), Fraction(20, 19))
            assert rows == f"about {result.synthetic.rows}, measured with noise"
            assert abs(result.synthetic.rows - 5001) < 20 * 20, "noise of scale 20"
        else:
            assert rows == "5001, public"

        write_plain(result, tmp_path / neighbors)
        lines = (tmp_path / neighbors / "synthetic.csv").read_text().splitlines()
        assert lines[0] == ",".join(names)
        assert len(lines) == result.synthetic.rows + 1
