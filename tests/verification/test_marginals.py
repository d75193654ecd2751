"""Bundles of releases by marginals verify, and say what was checked."""

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from synth.bundle import CONDITIONS
from synth.domain import Domain
from synth.door import Ledger
from synth.errors import LedgerError, ReleaseError
from synth.plans import Method, Plan
from synth.privacy import ROW, Guarantee, Neighbors, RowReading, Unit, to_rho
from synth.private.counting import codes
from synth.private.table import open_table
from synth.rows import decode, write_parquet
from synth.spending import synthesize
from synth.verification import open_bundle, verify
from synth.verification.marginals import check_plan
from tests.bundle.bundles import change_date, read_bundle, rezip
from tests.verification.models import DELTA, DOMAIN, RULES, make_bundle


@pytest.mark.slow
@pytest.mark.parametrize(
    ("neighbors", "delta"),
    [(Neighbors.REPLACE_ONE, DELTA), (Neighbors.ADD_REMOVE, Fraction(0))],
)
@pytest.mark.parametrize("unit", [ROW, Unit("pid", 2)], ids=["row", "person"])
@pytest.mark.parametrize("method", [m for m in Method if m not in ("dense", "histogram")])
def test_every_strategy_makes_bundles_that_verify(
    tmp_path: Path, neighbors: Neighbors, delta: Fraction, method: Method, unit: Unit
) -> None:
    """`verify` accepts a release of each strategy, with and without a delta, of rows or of
    persons.

    The table has three rows of each of 1,000 persons. With at most two rows of a person 2,000
    of the 3,000 count, up to the noise. Only under replace-one of one row is the number of
    rows public.
    """
    groups = (("age", "kin"), ("marital", "income")) if method == Method.GROUPS else ()
    plan = {"neighbors": neighbors, "delta": delta, "method": method, "groups": groups}

    path = make_bundle(
        tmp_path, **plan, rules=RULES if method == Method.AUTO else None, unit=unit
    )

    checked = verify(path, Ledger(tmp_path / "b.db", readonly=True))
    # `verify` says one sentence for each of its ten checks.
    assert len(checked.checks) == 10, "no check was left out"
    strategy = "histogram" if method == Method.AUTO else method.value
    assert checked.certificate.mechanism.strategy == strategy
    assert checked.synthetic.rows == checked.certificate.rows
    assert checked.certificate.privacy_unit == str(unit)

    public = 3_000 if unit is ROW and neighbors is Neighbors.REPLACE_ONE else None
    assert checked.certificate.released.rows == public
    assert checked.synthetic.rows == pytest.approx(2_000 if unit.person else 3_000, rel=0.1)


def test_what_was_checked_is_said_and_what_was_not(bundle_of_a_model: Path) -> None:
    """`verify` lists what it checked and what it left open; the statement for readers has the
    guarantee only.
    """
    checks = " ".join(verify(bundle_of_a_model).checks)
    assert "spends add up to the guarantee exactly" in checks
    assert "all rules hold" in checks
    assert (
        "Whether these rows follow from the noisy counts and the seed was not checked"
        in checks
    )

    text = read_bundle(bundle_of_a_model)["statement.txt"].decode()
    assert "a probability of at most 1e-09 (delta), the guarantee fails" in " ".join(
        text.split()
    )
    assert "rows follow from the noisy counts" not in text


@pytest.mark.slow
def test_where_noise_is_all_there_is_a_delta_is_not_claimed(tmp_path: Path) -> None:
    """If noisy counts decide that a delta is not needed, the certificate says so as a caveat.

    At epsilon 1/100 the noise drowns the counts of so many cells, and `auto` measures columns
    alone. A certificate without that caveat is refused, also of another version.
    """
    # 100 cells for each of the two numbers.
    (*others, age, income) = DOMAIN.columns
    domain = Domain((*others, replace(age, bins=100), replace(income, bins=100)))
    options = {"epsilon": Fraction(1, 100), "delta": DELTA, "neighbors": Neighbors.ADD_REMOVE}
    path = make_bundle(tmp_path, method=Method.AUTO, rules=RULES, domain=domain, **options)

    certificate = verify(path).certificate
    assert certificate.guarantee.delta == 0
    assert certificate.mechanism.strategy == "independent"

    sentence = (
        "A delta of 1e-09 was allowed but not used, as the noisy counts decided. The stated "
        "guarantee covers these files. The procedure before that decision has (0.01, "
        "1e-09)-differential privacy."
    )
    assert certificate.caveats[-1] == sentence
    assert sentence in " ".join(read_bundle(path)["statement.txt"].decode().split())

    # The first two caveats, without the sentence.
    silent = replace(certificate, caveats=certificate.caveats[:2])
    plan = open_bundle(path).result.plan
    for forged_certificate in (silent, replace(silent, versions={"synth": "0.3.0"})):
        with pytest.raises(ReleaseError, match="does not describe the delta of"):
            check_plan(plan, forged_certificate)


@pytest.mark.slow
def test_public_numbers_that_decide_against_a_delta_leave_nothing_to_say(
    tmp_path: Path,
) -> None:
    """Under replace-one the number of rows is public and decides that a delta is not needed.

    No noisy count was used for that, so the certificate has only the caveats of every
    release.
    """
    options = {"epsilon": Fraction(1, 100), "delta": DELTA}
    certificate = verify(
        make_bundle(tmp_path, method=Method.AUTO, rules=RULES, **options)
    ).certificate

    assert certificate.guarantee.delta == 0
    assert certificate.caveats == (*CONDITIONS, RowReading.LINES.caveat)


def test_rows_are_read_back_in_their_order(tmp_path: Path) -> None:
    """Rows of a Parquet file are read back in the order in which they were written.

    Engines with several threads give rows in any order unless they are asked not to. 300,000
    rows are enough for several threads.
    """
    generator = np.random.default_rng(6)
    drawn_codes = [generator.integers(0, n, 300_000).astype(np.int32) for n in DOMAIN.shape]

    path = tmp_path / "rows.parquet"
    write_parquet(decode(DOMAIN, drawn_codes, seed=3).parts(), path)

    back = codes(open_table(path), DOMAIN, ordered=True)
    assert all(np.array_equal(a, b) for a, b in zip(drawn_codes, back, strict=True))


@pytest.mark.slow
def test_a_rho_budget_is_charged_the_rho_of_epsilon_and_delta(tmp_path: Path) -> None:
    """Epsilon 1 with a delta costs a rho, which a budget of exactly that rho pays once."""
    charged = to_rho(Guarantee.approximate(1, DELTA))
    rho = charged.rho
    options = {"epsilon": Fraction(1), "delta": DELTA, "budget": f"rho={rho},delta=1e-9"}
    path = make_bundle(tmp_path, method=Method.ONE_SHOT, **options)

    ledger = Ledger(tmp_path / "b.db")
    assert [entry.guarantee for entry in ledger.entries()] == [charged]
    assert ledger.balance("survey").left == 0

    certificate = verify(path, ledger).certificate
    assert certificate.guarantee.epsilon == 1
    assert certificate.guarantee.delta == DELTA

    # Nothing is left for a second release.
    plan = Plan(
        domain=DOMAIN, epsilon=Fraction(1), dataset="survey", method=Method.TREE, delta=DELTA
    )
    with pytest.raises(LedgerError, match="left"):
        synthesize(plan, tmp_path / "t.csv", ledger=ledger)


def test_a_board_reads_whom_a_release_protects(bundle_of_persons: Path) -> None:
    """The statement of a release by persons says that all rows of a person are protected
    together.

    It also says how many rows of a person were used and which were left out.
    """
    text = " ".join(read_bundle(bundle_of_persons)["statement.txt"].decode().split())
    assert (
        "(10, 1e-09)-differentially private for tables that differ in all rows of one "
        "replaced person (by the column 'pid', with at most 2 rows used); the number of rows "
        "is private. All rows of a person are protected together, not each row alone. The "
        "privacy unit is one person by the column 'pid', with at most 2 rows. If a person "
        "has more than 2 rows, Synth used 2 of them, chosen by a rule that looks at this "
        "person's rows only. Rows without a person were left out."
    ) in text


def test_only_the_ledger_knows_that_a_model_has_another_time(
    bundle_of_a_model: Path, tmp_path: Path
) -> None:
    """Another time of the spend, in all files that name it, is found by the ledger alone.

    The time follows from nothing else in the bundle.
    """
    files = read_bundle(bundle_of_a_model)
    change_date(files, "1999-01-01T00:00:00+00:00")
    forged = rezip(tmp_path / "t.zip", files)

    verify(forged)

    with pytest.raises(ReleaseError, match="does not know this certificate"):
        verify(forged, Ledger(bundle_of_a_model.with_suffix(".db"), readonly=True))
