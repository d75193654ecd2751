"""Certificates made again from the other files of their bundles. PUBLIC.

The code that wrote them makes them again. Only what `synth.verification.given` lists is taken
over from the bundle's certificate, and the cost and the noise of each measurement: other
checks compare each noise with its cost, and the sum of all costs with the guarantee."""

from dataclasses import replace
from functools import reduce
from typing import TYPE_CHECKING, TypeVar, cast

from synth.bundle import (
    AnswersCertificate,
    Certificate,
    LinkedCertificate,
    ReleaseCertificate,
    SpendOfRelease,
    SpendOfScore,
    make_certificate,
    preparations_in,
    record_score,
    scored_pairs,
    with_score,
)
from synth.door import Entry
from synth.estimate import Record
from synth.plans import Plan
from synth.privacy import Guarantee, Neighbors

if TYPE_CHECKING:
    from synth.estimate import HistogramRecord, MarginalsRecord
    from synth.linked import LinkedSpend
    from synth.plans import LinkedPlan
    from synth.questions import Inquiry

C = TypeVar("C", bound=Certificate)


def remake_release(
    signed: ReleaseCertificate, plan: Plan, record: Record, *, rows: int
) -> ReleaseCertificate:
    """Return the certificate of a release of one table, made again.

    Args:
        signed: The certificate of the bundle, from which only what no file shows is taken.
        plan: The plan of the release.
        record: The noisy counts of the release, and the error bars of a model.
        rows: The number of synthetic rows that the plan or the noisy counts ask for.
    """
    again = make_certificate(
        plan,
        cast("HistogramRecord | MarginalsRecord", record),
        rows,
        spend=SpendOfRelease(
            entry=_entry(signed, plan.dataset, plan.neighbors),
            head=None,  # the part about the ledger is taken over below
            preparations=preparations_in(signed),
        ),
        seed=int(signed.drawing.seed),
    )
    # Scores refer to the table's number of rows: public, or estimated from noisy counts.
    known_rows = round(record.total) if record.rows is None else record.rows
    # The largest L1 distance of the histograms of two neighbouring tables, in rows.
    sensitivity = plan.neighbors.sensitivity * plan.unit.max_rows
    scores = [
        record_score(
            len(scored_pairs(plan.domain)),
            score.noisy_distance,
            known_rows,
            spend=SpendOfScore(
                epsilon=score.epsilon, sensitivity=sensitivity, entry=score.entry
            ),
        )
        for score in signed.scores
    ]
    # Each score adds its cost to the guarantee.
    return _take_over(signed, reduce(with_score, scores, again))


def remake_linked(
    signed: LinkedCertificate, plan: "LinkedPlan", spends: "list[LinkedSpend]"
) -> LinkedCertificate:
    """Return the certificate of linked tables, made again, with the signed row counts.

    Args:
        signed: The certificate of the bundle.
        plan: The plan of the release.
        spends: The payments in order, each with the noisy counts that it bought.
    """
    from synth.bundle import certify_linked

    again = certify_linked(
        plan,
        spends,
        {},  # no tables: their numbers of rows are taken over below
        spend=SpendOfRelease(
            entry=_entry(signed, plan.dataset, plan.neighbors),
            head=None,
            preparations=preparations_in(signed),
        ),
        seed=int(signed.drawing.seed),
    )
    return _take_over(signed, replace(again, rows=signed.rows))


def remake_answers(signed: AnswersCertificate, inquiry: "Inquiry") -> AnswersCertificate:
    """Return the certificate of answers, made again, with the signed portions and answers.

    A portion is a block of questions that are measured together.
    """
    from synth.bundle import SpendOfAnswers, certify_portions
    from synth.questions import spending_of

    costs = [portion.cost for portion in signed.portions if portion.cost is not None]
    spent = spending_of(inquiry.guarantee, costs)
    entry = None if spent is None else _entry(signed, inquiry.dataset, inquiry.neighbors)
    again = certify_portions(
        inquiry,
        signed.portions,
        signed.answers,
        rows=signed.rows,
        spend=SpendOfAnswers(spent=spent, entry=entry, head=None),
    )
    return _take_over(signed, again)


def _entry(signed: Certificate, dataset: str, neighbors: Neighbors) -> Entry:
    """Return a ledger entry from which the certificate of a release can be made again.

    The makers of certificates read its number, time and dataset. The other fields are only
    placeholders, as an entry needs them.
    """
    recorded = signed.ledger_record
    # The certificate's part about the ledger is taken over later, so any number will do.
    number = 1 if recorded is None else recorded.entry
    placeholder = Guarantee.pure(signed.guarantee.epsilon)
    return Entry(
        number=number,
        time=signed.created,
        dataset=dataset,
        guarantee=placeholder,
        neighbors=neighbors,
        purpose="",
        hash="",
    )


def _take_over(signed: C, again: C) -> C:
    """Return the certificate made again, with the signed values that no file shows.

    These are the ledger's entry, the versions of the software and the digests of the files;
    and the number of the algorithm, which decides whether rows are drawn again.
    """
    if isinstance(again, ReleaseCertificate | LinkedCertificate):
        assert isinstance(signed, ReleaseCertificate | LinkedCertificate)
        again = replace(again, algorithm=signed.algorithm)
    return replace(
        again, ledger=signed.ledger, versions=signed.versions, sha256=signed.sha256
    )
