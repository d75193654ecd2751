"""What a certificate says of its declaration, and what `verify` refuses where it does not."""

import json
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from synth.bundle.declaration import FITS_BY_ORIGIN, extend_sentence
from synth.domain import DECLARED, DRAFTED, LOOKED_UP, Decisions, Domain
from synth.door import Ledger, Preparation
from synth.errors import RefutedError, ReleaseError
from synth.estimate import FitCheck
from synth.plans import Method, Plan
from synth.privacy import ROW, Guarantee, Neighbors, parse_budget
from synth.spending import add_score, check_fit, synthesize
from synth.verification import verify
from tests.bundle.bundles import (
    describe_anew,
    edit_certificate,
    edit_text,
    read_bundle,
    rezip,
)
from tests.tables import MIXED, ROWS, write

DELTA = Fraction(1, 10**9)
DRAFT = Preparation(
    kind="draft",
    guarantee=Guarantee.approximate(Fraction(1, 4), DELTA),
    neighbors=Neighbors.REPLACE_ONE,
    unit=ROW,
    entry="ab" * 32,
    said={},
)
NOT_COVERED = "The declaration is not covered: it was taken from the confidential rows"


def make_with_check(
    folder: Path, domain: Domain = MIXED, *, check: bool = False, **options: Any
) -> Path:
    """A bundle with its ledger; the draft of its domain was paid elsewhere."""
    table = write(folder / "t.csv", list(MIXED.names), ROWS * 300)
    with Ledger(folder / "l.db") as ledger:
        ledger.set_budget("survey", parse_budget("9", Neighbors.REPLACE_ONE))
        plan = Plan(
            domain=domain,
            epsilon=Fraction(1),
            dataset="survey",
            **{"method": Method.DENSE, **options},
        )
        if check:
            fit_check = FitCheck(
                domain=domain,
                epsilon=Fraction(1, 8),
                neighbors=plan.neighbors,
                unit=ROW,
                dataset="survey",
            )
            check_fit(fit_check, table, ledger=ledger)
        result = synthesize(plan, table, ledger=ledger)
        if options.get("method") is None:
            result = add_score(result, table, Fraction(1, 2), ledger=ledger)
        return result.write_archive(folder / "b.zip", ledger)


def draft_domain() -> Domain:
    return replace(MIXED, origin=DRAFTED, drafts=(DRAFT.to_json(),))


@pytest.mark.parametrize("method", [None, Method.INDEPENDENT])
def test_the_guarantee_is_that_of_draft_check_and_release(
    tmp_path: Path, method: Method | None
) -> None:
    """The guarantee of a release adds up draft, check, release and score.

    Draft (1/4), check (1/8) and release (1) are 11/8; the histogram also has a score for 1/2.
    The delta is that of the draft.
    """
    chosen = {} if method is None else {"method": method}
    bundle = make_with_check(tmp_path, draft_domain(), check=True, **chosen)
    with Ledger(tmp_path / "l.db", readonly=True) as ledger:
        certificate = verify(bundle, ledger).certificate

    score = Fraction(1, 2) if method is None else 0
    claim = certificate.guarantee
    assert (claim.epsilon, claim.delta) == (Fraction(11, 8) + score, DELTA)
    assert (
        "counts the draft and the check of the declaration that were made" in claim.statement
    )
    assert certificate.rows_fit.startswith("Checked before the release: about ")

    files = read_bundle(bundle)
    assert b"This counts the draft and the check of the" in files["statement.txt"]
    assert b"Checked before the release" in files["open.html"]
    assert b"Paid for before" in files["open.html"]


@pytest.mark.parametrize(
    ("stamps", "sentence"),
    [
        ({"origin": LOOKED_UP}, NOT_COVERED),
        ({"origin": LOOKED_UP, "vouched": True}, "The steward vouches that it is public"),
        ({"looked": True}, "The declaration may depend on the table"),
    ],
)
def test_the_sentence_of_the_guarantee_says_where_the_declaration_is_from(
    tmp_path: Path, stamps: dict[str, Any], sentence: str
) -> None:
    """The guarantee says that the domain was taken from the rows, or may depend on them.

    `stamps` are marks of the domain: looked up in the table, vouched to be public, or
    declared after a look at exact numbers. Report and statement have the sentence too; lines
    may break, so a part of it is looked for.
    """
    bundle = make_with_check(tmp_path, replace(MIXED, **stamps))

    certificate = verify(bundle).certificate
    assert sentence in certificate.guarantee.statement
    assert sentence.split(":")[0].encode() in read_bundle(bundle)["open.html"]
    assert sentence.split()[1].encode() in read_bundle(bundle)["statement.txt"]


DECIDED = Decisions(
    left_out={"town": "was to decide, and nobody decided"},
    agreed={MIXED.names[0]: "values that are not listed come out as (other)"},
)


def test_what_stays_out_and_agreed_losses_are_named_everywhere(tmp_path: Path) -> None:
    """Certificate, statement, report and declaration name both, with the reasons."""
    bundle = make_with_check(tmp_path, replace(MIXED, decisions=DECIDED))

    declaration = verify(bundle).certificate.declaration
    assert [record.column for record in declaration.left_out] == ["town"]
    assert [record.column for record in declaration.agreed] == [MIXED.names[0]]
    files = read_bundle(bundle)
    for name in ("statement.txt", "open.html", "domain.json"):
        text = " ".join(files[name].decode().split())
        assert "was to decide, and nobody decided" in text
        assert "values that are not listed come out as (other)" in text


@pytest.mark.parametrize("key", ["left_out", "agreed"])
def test_a_certificate_that_hides_a_decision_is_refuted(tmp_path: Path, key: str) -> None:
    """A bundle is refuted if its certificate leaves out columns that the steward left out or
    agreed to.
    """
    bundle = make_with_check(tmp_path, replace(MIXED, decisions=DECIDED))
    files = read_bundle(bundle)
    edit_certificate(files, lambda certificate: certificate["declaration"].pop(key))
    with pytest.raises(RefutedError, match="does not name the left-out columns and agreed"):
        verify(rezip(tmp_path / "changed.zip", files))


def test_without_a_check_the_first_line_says_so(tmp_path: Path) -> None:
    """Statement and certificate begin with the sentence that nobody checked whether rows
    fit.
    """
    files = read_bundle(make_with_check(tmp_path))
    sentence = "The steward did not check before the release whether rows fit."

    assert files["statement.txt"].decode().startswith(sentence)
    assert list(json.loads(files["certificate.json"]))[:2] == ["format", "rows_fit"]
    assert json.loads(files["certificate.json"])["rows_fit"].startswith(sentence)


@pytest.mark.parametrize(
    ("domain", "sentence"),
    [
        (
            replace(MIXED, origin=LOOKED_UP),
            "Before the release, the description was taken from the confidential rows.",
        ),
        (
            replace(MIXED, origin=DRAFTED, drafts=(DRAFT.to_json(),)),
            "Before the release, the description was drafted from noisy counts of the rows.",
        ),
    ],
)
def test_a_drafted_description_counts_as_checked(
    tmp_path: Path, domain: Domain, sentence: str
) -> None:
    """The certificate says how its description came from the rows, and `verify` insists."""
    bundle = make_with_check(tmp_path, domain)
    files = read_bundle(bundle)
    assert files["statement.txt"].decode().startswith(sentence)
    assert "did not check" not in files["certificate.json"].decode()

    def claim_unseen(certificate: dict[str, Any]) -> None:
        unseen = FITS_BY_ORIGIN[DECLARED]
        certificate["rows_fit"] = certificate["rows_fit"].replace(sentence, unseen)

    edit_certificate(files, claim_unseen)
    with pytest.raises(RefutedError):
        verify(rezip(tmp_path / "changed.zip", files))


def forget_facts(certificate: dict[str, Any]) -> None:
    """Leave out of a certificate what it says of the declaration."""
    del certificate["rows_fit"], certificate["declaration"]


LEFT_OUT = "leaves out a paid draft of the declaration"


def check_of(certificate: dict[str, Any]) -> dict[str, Any]:
    """The check of the declaration, which was drafted before."""
    _, check = certificate["declaration"]["preparations"]
    return check


def another_number(certificate: dict[str, Any]) -> None:
    count = check_of(certificate)["said"]["counts"][0]
    count["noisy"] = 3 if count["noisy"] != 3 else 4


@pytest.fixture(scope="module")
def bundle_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A bundle whose declaration was drafted and checked."""
    return make_with_check(tmp_path_factory.mktemp("declared"), draft_domain(), check=True)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (forget_facts, "does not have the published form"),
        (lambda c: c.pop("rows_fit"), "does not have the published form"),
        (lambda c: c.update(rows_fit="All rows fit."), "does not match the certificate"),
        (lambda c: c["declaration"].update(preparations=[]), LEFT_OUT),
        (lambda c: c["declaration"]["preparations"].pop(0), LEFT_OUT),
        (lambda c: c["guarantee"].update(epsilon="1"), "guarantee"),
        (another_number, "does not follow from its numbers"),
        (
            lambda c: check_of(c)["said"].update(counts=[]),
            "check of the declaration does not have",
        ),
        (
            lambda c: check_of(c).update(person="pid"),
            "protects another unit than the release",
        ),
        (
            lambda c: c["declaration"].update(taken_is_public=True),
            "steward's looks and assurances",
        ),
        (
            lambda c: c.update(domain_origin="declared"),
            "does not say where the declaration comes",
        ),
    ],
)
def test_a_certificate_without_the_facts_is_refused(
    bundle_path: Path, tmp_path: Path, change: Callable[[dict[str, Any]], None], sentence: str
) -> None:
    """A certificate that changes or leaves out what was paid for its declaration is refused.

    The domain was drafted and then checked, both for a price. `change` alters the
    certificate.
    """
    files = read_bundle(bundle_path)
    edit_certificate(files, change)

    with pytest.raises(ReleaseError, match=sentence):
        verify(rezip(tmp_path / "forged.zip", files))


def test_no_version_that_a_certificate_names_spares_it_the_facts(
    bundle_path: Path, tmp_path: Path
) -> None:
    """A certificate without the facts on its declaration is refused, also if it names
    version 0.1.0.
    """
    files = read_bundle(bundle_path)

    def older(certificate: dict[str, Any]) -> None:
        forget_facts(certificate)
        certificate["versions"]["synth"] = "0.1.0"

    edit_certificate(files, older)
    with pytest.raises(
        RefutedError, match="does not have the published form: a part is missing"
    ):
        verify(rezip(tmp_path / "forged.zip", files))


@pytest.mark.slow
def test_a_check_that_the_ledger_lacks_is_seen(tmp_path: Path) -> None:
    """A certificate that names a check which the ledger does not have is refused with the
    ledger.

    Without it nothing shows that the check is another one.
    """
    bundle = make_with_check(tmp_path, check=True)
    files = read_bundle(bundle)
    certificate = json.loads(files["certificate.json"])
    entry = certificate["declaration"]["preparations"][0]["entry"]
    edit_certificate(
        files,
        lambda c: c["declaration"]["preparations"][0].update(entry="cd" * 32),
    )
    # The page that shows the certificate, and the files that list all others, follow.
    edit_text("open.html", entry.encode(), b"cd" * 32, count=-1)(files)
    describe_anew(files)

    forged = rezip(tmp_path / "forged.zip", files)

    verify(forged)

    with (
        Ledger(tmp_path / "l.db", readonly=True) as ledger,
        pytest.raises(ReleaseError, match="A check of the certificate is not recorded"),
    ):
        verify(forged, ledger)


def test_a_release_of_nothing_but_a_declaration_needs_no_more_words() -> None:
    assert extend_sentence([], taken=False, vouched=False, looked=False) == ""
