"""Free beside paid: which is expected to be nearer, and what is left to be asked."""

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from synth.analysis import Offer, put_together, still_asked, with_release
from synth.analysis.offers import NOT_ANSWERABLE
from synth.domain import Categorical, Domain
from synth.errors import ReleaseError
from synth.privacy import Guarantee
from synth.questions import Inquiry
from tests.analysis.test_linear import DOMAIN, histogram

QUESTIONS = ["count where age < 5 and sex = M", "count where age >= 17", "table sex"]


def test_a_free_answer_that_is_near_is_not_paid_for() -> None:
    """Only questions that the release is expected to answer worse than the table are asked
    and paid for; the answers are put together in order.

    The first question is a single cell of the release. The second cuts a bin of ages, which
    leaves its rows open, and the third sums four cells for each sex.
    """
    inquiry = Inquiry.read(QUESTIONS, DOMAIN, Guarantee.pure(1))
    offers = with_release(inquiry, histogram(rows=366))
    assert [offer.is_better for offer in offers] == [True, False, False]
    remaining = still_asked(inquiry, offers)
    assert remaining.questions == inquiry.questions[1:]
    assert replace(remaining, questions=inquiry.questions) == inquiry

    paid = remaining.forecast(366)
    answers = put_together(offers, paid)
    assert answers == [offers[0].free, *paid]


def test_nothing_is_left_where_the_release_is_better_everywhere() -> None:
    """Nothing is left to ask if the release has the lower average error for every
    question.

    Asking would cost an epsilon of only 1 / 10, so that its noise is larger than the
    release's.
    """
    inquiry = Inquiry.read(QUESTIONS[:1], DOMAIN, Guarantee.pure(Fraction(1, 10)))
    offers = with_release(inquiry, histogram(rows=366))
    assert still_asked(inquiry, offers) is None
    assert put_together(offers, []) == [offers[0].free]


def test_no_answer_is_never_better() -> None:
    """A release without an answer is never preferred, as its average error is unknown
    (NaN).

    It lists only counts from 5 up, of which no sum can be taken.
    """
    inquiry = Inquiry.read(["count where sex = F"], DOMAIN, Guarantee.pure(1))
    (offer,) = with_release(inquiry, histogram(threshold=5))
    assert np.isnan(offer.free.expected_error)
    assert not offer.is_better


def test_an_answer_is_better_than_none() -> None:
    """A free answer is preferred to asking only if asking would give no answer (NaN) at
    all.

    The condition cuts a bin, so that asking the table has the lower average error here.
    """
    inquiry = Inquiry.read(["count where age >= 17"], DOMAIN, Guarantee.pure(1))
    (offer,) = with_release(inquiry, histogram(rows=366))
    assert not offer.is_better
    without_answer = replace(offer.asked, expected_error=math.nan)
    assert Offer(offer.free, without_answer).is_better


def test_a_release_of_some_columns_answers_some_questions() -> None:
    """With `partly` a release answers the questions whose columns it has, and no others.

    The release has sex and age, so that it has no answer about jobs. Nor has it one about sex
    where that is declared with other missing values.
    """
    wider = Domain((*DOMAIN.columns, Categorical(name="job", categories=("a", "b"))))
    inquiry = Inquiry.read(
        ["table sex", "table job", "table sex by job"], wider, Guarantee.pure(1)
    )
    with pytest.raises(ReleaseError, match="other columns"):
        with_release(inquiry, histogram(rows=366))
    offers = with_release(inquiry, histogram(rows=366), partly=True)
    assert [np.isnan(offer.free.expected_error) for offer in offers] == [False, True, True]
    assert offers[1].free.remarks == (NOT_ANSWERABLE,)
    assert NOT_ANSWERABLE.startswith("no answer from this release")

    other_domain = Domain((DOMAIN["sex"],), ("?",))  # "?" counts as missing
    (offer,) = with_release(
        Inquiry.read(["table sex"], other_domain, Guarantee.pure(1)),
        histogram(rows=366),
        partly=True,
    )
    assert offer.free.remarks == (NOT_ANSWERABLE,)
