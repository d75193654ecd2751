"""Answers: the arithmetic of their guarantee, and the answers read again off the noisy numbers.

A later version may arrange the same questions in another way. So the arrangement of the certificate
is rebuilt and held against what it needs, not against today's choice.
"""

import math
from collections.abc import Sequence
from importlib.metadata import version
from typing import NoReturn, cast

import numpy as np

from synth.bundle.answers import DECLARATION, INQUIRY, writers_of
from synth.bundle.archive import Archive
from synth.bundle.certificate import AnswersCertificate
from synth.bundle.certificate_parts import (
    AnswerRecord,
    ChoiceNoise,
    MoveRecord,
    PortionRecord,
    ProductGrain,
    RowsGrain,
    SumGrain,
)
from synth.bundle.certify_answers import move_record, rows_in_words
from synth.bundle.claims import claim_of_answers
from synth.bundle.declaration import beyond_answers
from synth.bundle.strategies import strategy_of
from synth.bundle.typed_json import read, write
from synth.domain.domain import Domain
from synth.domain.steps import Steps
from synth.domain.table_schema import read_schema, write_schema
from synth.door.ledger.ledger import Ledger
from synth.errors import ArgumentError, ReleaseError, SynthError
from synth.foreign.folders import Folder
from synth.noise.floats.sums import FINE
from synth.noise.gaussian import DiscreteGaussian
from synth.noise.knorm import Norm
from synth.noise.known import mechanism_of
from synth.noise.laplace import DiscreteLaplace
from synth.noise.mechanism import Mechanism
from synth.privacy.composition import covers, enforced, in_zcdp
from synth.privacy.guarantee import Guarantee
from synth.privacy.sensitivity import Sensitivity
from synth.questions.answers import Answer, read_answers
from synth.questions.arrangement import Arrangement, Portion, block_of
from synth.questions.block import Block
from synth.questions.grains import summable
from synth.questions.inquiry import Inquiry
from synth.questions.joint import Joint
from synth.questions.quantiles.aims import aims_of
from synth.questions.quantiles.choices import best_law, choice_ways
from synth.questions.quantiles.trees import ValueTree, expected_ranks
from synth.questions.question import in_canonical_form
from synth.questions.strategies.offered import joint_of
from synth.questions.tallies import Grain
from synth.questions.way import HistogramCells, Way, move
from synth.questions.way_names import STRATEGIES, WayName
from synth.questions.ways import (
    choice_error,
    histogram_cells,
    histogram_moves,
    largest_by,
    largest_error,
)
from synth.questions.workload import Workload
from synth.util.arrays import Ints
from synth.util.version import __version__
from synth.verification.files import check_reading, recorded_in, refuse, same_bytes
from synth.verification.products import product_grains
from synth.verification.verdict import OpenClaim

_CLOSE = 1e-9
"""Numbers of answers are the same up to this part of them."""


def inquiry_of(archive: Archive, certificate: AnswersCertificate) -> Inquiry:
    """What was asked, if it is what the certificate is about."""
    try:
        inquiry = Inquiry.from_json(archive.json(INQUIRY))
        declared = write_schema(read_schema(archive.text(DECLARATION).encode()))
    except ReleaseError:
        raise
    except SynthError as error:
        refuse(f"'{INQUIRY}' or '{DECLARATION}' cannot be used. {error}")
    if declared != write_schema(inquiry.domain):
        refuse(f"'{INQUIRY}' is about another domain than '{DECLARATION}'.")
    questions = tuple(str(in_canonical_form(one)) for one in inquiry.questions)
    if questions != certificate.questions:
        refuse(f"'{INQUIRY}' asks other questions than the certificate answers.")
    _check_about(inquiry, certificate)
    return inquiry


def _check_about(inquiry: Inquiry, certificate: AnswersCertificate) -> None:
    """See that the inquiry's relation, unit, table and number of rows are the certificate's."""
    if inquiry.neighbors is not certificate.neighbors:
        refuse(f"'{INQUIRY}' is about other neighbours than the certificate.")
    protected = (certificate.privacy_unit, certificate.max_rows)
    if (str(inquiry.unit), inquiry.unit.max_rows) != protected:
        refuse(f"'{INQUIRY}' protects another privacy unit than the certificate says.")
    if (inquiry.dataset, inquiry.domain.origin) != (certificate.dataset, certificate.domain_origin):
        refuse(f"'{INQUIRY}' is about another table than the certificate.")
    check_reading(certificate, inquiry.reading, INQUIRY)
    rows = certificate.rows
    if (rows is not None) != inquiry.unit.shares_rows(inquiry.neighbors) or rows == 0:
        refuse("The number of rows is public under replace-one of one row, and under it only.")
    if certificate.number_of_rows != rows_in_words(rows):
        refuse("The certificate's words on the number of rows are not what it says of them.")


def arrangement_of(certificate: AnswersCertificate, inquiry: Inquiry) -> Arrangement:
    """The arrangement that the certificate tells of, if every part of it is sound."""
    workload, told = inquiry.workload, certificate.portions
    asked = [number for one in told for number in one.questions]
    if sorted(asked) != list(range(1, len(inquiry.questions) + 1)):
        refuse("The certificate's portions do not answer every question once.")
    portions = tuple(_portion(workload, one) for one in told)
    wanted = inquiry.way
    if any(wanted not in (None, p.way.name) and p.way.cost is not None for p in portions):
        refuse(f"The questions were to be answered by the way '{wanted}', and were not.")
    arrangement = Arrangement(workload, inquiry.guarantee, portions)
    _check_spent(certificate, arrangement, inquiry.domain)
    return arrangement


def _check_spent(certificate: AnswersCertificate, arrangement: Arrangement, domain: Domain) -> None:
    """See that the costs add up within what was spent, and that this is what is promised."""
    spent = certificate.spent
    if spent != arrangement.spent:
        refuse("What the certificate says was spent is not what the inquiry may cost.")
    neighbors, unit = certificate.neighbors, certificate.privacy_unit
    claim = claim_of_answers(spent, neighbors, unit, beyond=beyond_answers(domain))
    if certificate.guarantee != claim:
        refuse("The certificate's statement is not what was spent gives.")
    costs = [one.way.cost for one in arrangement.portions if one.way.cost is not None]
    total = enforced(costs)
    if costs and (spent is None or total is None or not covers(spent, total)):
        refuse("The costs of the portions add up to more than was spent.")


def _portion(workload: Workload, told: PortionRecord) -> Portion:
    """A portion with its way, if that is sound for its questions."""
    block = block_of(workload, [workload.readings[number - 1] for number in told.questions])
    if len({workload.questions[r.question].over for r in block.readings}) > 1:
        _unsound(told, "means over rows and means over persons are measured apart")
    known = told.way is WayName.KNOWN
    return Portion(block, _known(block, told) if known else _paid(block, told))


def _paid(block: Block, told: PortionRecord) -> Way:
    """A way that cost something, if it is sound."""
    if told.cost is None or told.sensitivity is None or told.noise is None:
        _unsound(told, "the noise, the sensitivity or the cost is missing")
    chosen = told.way is not WayName.HIERARCHY
    if block.question.kind.ranked and chosen:
        return _ranked(block, told, told.cost, told.sensitivity)
    if told.way in STRATEGIES:
        return strategic_way(block, told, told.sensitivity, told.cost)
    cells = _cells(block, told)
    grains, mechanism = _grains(block, told, cells), _mechanism(told)
    needed = _moves(block, grains, cells)
    if needed is None:
        _unsound(told, "the answer is public already, and nothing is to be spent")
    _check_moves(told, told.sensitivity, needed)
    size = block.size if cells is None else cells.tally.size
    if mechanism is None:
        score = _choice(block, told, needed)
    else:
        _check_price(told, told.sensitivity, mechanism, told.cost, size)
        score = 0.0 if block.sums else largest_error(mechanism, size, cells)
    _check_noisy(told, size)
    return Way(told.way, mechanism, grains, needed, told.cost, score, cells)


def _ranked(block: Block, told: PortionRecord, cost: Guarantee, said: MoveRecord) -> Way:
    """The way that quantiles were chosen, if it is sound."""
    if len(block.readings) > 1 or told.grains or _mechanism(told) is not None or cost.delta:
        _unsound(told, "quantiles are chosen, each question by itself")
    (way,) = choice_ways(block, cost)
    assert way.joint is not None
    _check_moves(told, said, way.joint)
    aims = aims_of(block, cost)
    inside = all(0 <= place < aims.candidates for place in told.noisy)
    if len(told.noisy) != len(aims.each) or not inside:
        _unsound(told, "the noisy numbers are not those that were asked for")
    return way


def strategic_way(block: Block, told: PortionRecord, said: MoveRecord, cost: Guarantee) -> Way:
    """A way that measured a strategy, if that is one for these questions and noisy enough."""
    pairs = any(None not in r.denominators and r.divided for r in block.readings)
    strategy = None if block.sums or pairs else strategy_of(told.way, told.strategy, block)
    if strategy is None:
        _unsound(told, "the strategy is none for these questions")
    grains, mechanism = (_rows_grain(told, one) for one in told.grains), _mechanism(told)
    needed = joint_of(strategy, block)
    if tuple(grains) != (Grain(),) or mechanism is None:
        _unsound(told, "the strategy is none for these questions")
    if mechanism.variance < FINE**2 * 0.99:
        _unsound(told, "the noise is too coarse for the intervals of a strategy")
    _check_moves(told, said, needed)
    _check_price(told, said, mechanism, cost, strategy.size)
    _check_noisy(told, strategy.size)
    if isinstance(strategy, ValueTree):
        score = expected_ranks(strategy, mechanism)
    else:
        score = largest_by(strategy, mechanism)
    return Way(told.way, mechanism, (Grain(),), needed, cost, score, strategy=strategy)


def _check_noisy(told: PortionRecord, size: int) -> None:
    """See that there are as many noisy numbers as were asked for; of a choice one of these."""
    noisy, chosen = told.noisy, isinstance(told.noise, ChoiceNoise)
    if len(noisy) != (1 if chosen else size) or (chosen and not 0 <= noisy[0] < size):
        _unsound(told, "the noisy numbers are not those that were asked for")


def _known(block: Block, told: PortionRecord) -> Way:
    """What is public already, if it is."""
    if block.sums or told != PortionRecord(told.questions, WayName.KNOWN):
        _unsound(told, "the answer is not public already")
    if move(block, [Grain() for _ in block.tallies]) is not None:
        _unsound(told, "the answer is not public already")
    return Way(WayName.KNOWN, None, (), None, None, 0.0)


def _cells(block: Block, told: PortionRecord) -> HistogramCells | None:
    """The cells of a histogram, where it is one."""
    if told.way is not WayName.HISTOGRAM:
        return None
    pairs = any(None not in r.denominators and r.divided for r in block.readings)
    cells = None if block.sums or pairs else histogram_cells(block)
    if cells is None:
        _unsound(told, "no histogram answers this")
    return cells


def _grains(block: Block, told: PortionRecord, cells: HistogramCells | None) -> tuple[Grain, ...]:
    """The grids, if they are of these totals and reach the bounds of their columns."""
    many = 1 if cells is not None else len(block.tallies)
    if len(told.grains) != many:
        _unsound(told, "the grids are not those of the totals")
    if cells is not None:
        found: tuple[Grain, ...] = (_rows_grain(told, told.grains[0]),)
        return found
    if block.multiplies:
        try:
            return product_grains(block, told.grains)
        except ArgumentError:
            _unsound(told, "the grids are not those of the totals")
    pairs = zip(block.tallies, told.grains, strict=True)
    return tuple(_grain(block, told, number, grain) for number, grain in pairs)


def _rows_grain(told: PortionRecord, grain: RowsGrain | SumGrain | ProductGrain) -> Grain:
    if not isinstance(grain, RowsGrain):
        _unsound(told, "rows are counted, and no numbers added up")
    return Grain(grain.weight)


def _grain(
    block: Block, told: PortionRecord, number: int, grain: RowsGrain | SumGrain | ProductGrain
) -> Grain:
    """The grid of one tally."""
    workload, summed = block.workload, block.workload.tallies[number].summed
    if summed is None:
        return _rows_grain(told, grain)
    if not isinstance(grain, SumGrain) or grain.column != workload.universe.names[summed]:
        _unsound(told, "the grids are not those of the totals")
    steps = Steps(summed, float(grain.middle), float(grain.grid), grain.most)
    bounds, reach = summable(workload.columns[summed]), (steps.most + 0.5) * steps.grid * (1 + 1e-9)
    if bounds.low < steps.middle - reach or bounds.high > steps.middle + reach:
        _unsound(told, f"the grid does not reach the bounds of '{grain.column}'")
    centred = all(r.centred for r in block.readings if number in r.numerators)
    if not centred and not _divided(block, number) and steps.middle:
        _unsound(told, "distances from a middle need a public number of rows")
    return Grain(steps=steps)


def _divided(block: Block, number: int) -> bool:
    """Whether a total is only divided by a noisy number of rows."""
    return all(r.divided for r in block.readings if number in r.numerators)


def _mechanism(told: PortionRecord) -> Mechanism | None:
    """The noise, if it is that of the way; None of a choice."""
    noise = told.noise
    if isinstance(noise, ChoiceNoise):
        pure = told.cost is not None and told.cost.rho is None
        right = "permute-and-flip" if pure else "exponential mechanism"
        if told.way is not WayName.CHOICE or noise.law != right:
            _unsound(told, "the noise is not that of the way")
        return None
    mechanism = mechanism_of(cast("dict[str, str]", write(noise)))
    if not _is_of(told.way, mechanism):
        _unsound(told, "the noise is not that of the way")
    return mechanism


_WAYS: dict[str, tuple[WayName, ...]] = {
    DiscreteLaplace.law: (WayName.LAPLACE, WayName.HISTOGRAM, WayName.HIERARCHY, WayName.FITTED),
    DiscreteGaussian.law: (WayName.GAUSSIAN, WayName.ELLIPTICAL, WayName.HISTOGRAM, *STRATEGIES),
    Norm.L1: (),
    Norm.L2: (WayName.BALL,),
    Norm.MAX: (WayName.CUBE,),
}
"""The ways that have each noise."""


def _is_of(way: WayName, mechanism: Mechanism) -> bool:
    """Whether a way has this noise."""
    return way in _WAYS[mechanism.describe().get("norm", mechanism.law)]


def _moves(block: Block, grains: Sequence[Grain], cells: HistogramCells | None) -> Joint | None:
    """How far one person moves the totals together, found again; None where nobody can."""
    if cells is not None:
        found = histogram_moves(block.unit, block.workload.neighbors, cells.tally.size)
        weight = grains[0].weight
        moves = Sensitivity(
            found.l1 * weight, found.squared_l2 * weight**2, found.l_infinity * weight
        )
        return Joint(moves, True, moves)
    return move(block, grains)


def _check_moves(told: PortionRecord, said: MoveRecord, needed: Joint) -> None:
    """See that no less is said than neighbours are apart, and nothing is called exact that is not.

    A bound that is found to be better by a later version is no reason to refuse.
    """
    right = move_record(needed)
    norms = ("l1", "squared_l2", "l_infinity")
    if any(getattr(said, norm) < getattr(right, norm) for norm in norms):
        _unsound(told, "neighbours are further apart than the sensitivity says")
    if any(getattr(said.least, norm) > getattr(right, norm) for norm in norms):
        _unsound(told, "neighbours are not as far apart as the sensitivity says")
    same = all(getattr(said.least, norm) == getattr(said, norm) for norm in norms)
    if said.exact != same:
        _unsound(told, "whether the sensitivity is exact is told wrongly")


def _choice(block: Block, told: PortionRecord, needed: Joint) -> float:
    """The expected error of a choice, if its one question is which of several is the best."""
    question = block.question
    chosen = question.is_bare and question.k == 1
    if not chosen or len(block.readings) > 1 or block.size == 1 or told.way is not WayName.CHOICE:
        _unsound(told, "no choice answers this")
    if told.cost is None or told.cost.delta:
        _unsound(told, "no choice costs this")
    if question.kind.compares:
        return best_law(block, needed, told.cost).expected
    return choice_error(block, needed, told.cost)


def _check_price(
    told: PortionRecord, said: MoveRecord, mechanism: Mechanism, cost: Guarantee, size: int
) -> None:
    """See that the noise is enough for what it cost."""
    moves = Sensitivity(said.l1, said.squared_l2, said.l_infinity)
    if not mechanism.fits(size):
        _unsound(told, "the noise is of another dimension")
    if size == 1 and mechanism.meets(cost, moves):
        return
    if not covers(cost, mechanism.price(moves)):
        _unsound(told, "there is less noise than the cost needs")


def read_again(
    certificate: AnswersCertificate, arrangement: Arrangement
) -> tuple[list[Answer], str]:
    """The answers, if they follow from the noisy numbers; and the sentence that says so."""
    noisy = tuple(_noisy(one) for one in certificate.portions)
    found = read_answers(arrangement, noisy, certificate.rows)
    again = [read(AnswerRecord, one.to_json()) for one in found]
    if len(again) == len(certificate.answers) and all(map(_same, again, certificate.answers)):
        return found, "The answers and their intervals are what the noisy numbers give."
    if _versions(certificate) == (__version__, version("numpy")):
        refuse("The answers are not what the noisy numbers give.")
    said = "The answers were read by another version of Synth and were not read again."
    return found, OpenClaim(said)


def _noisy(told: PortionRecord) -> Ints:
    return np.array(told.noisy or (0,), np.int64)


def _versions(certificate: AnswersCertificate) -> tuple[str | None, str | None]:
    return certificate.versions.get("synth"), certificate.versions.get("numpy")


def _same(one: object, other: object) -> bool:
    """Whether two answers are the same, numbers up to a billionth."""
    return _alike(write(one), write(other))


def _alike(one: object, other: object) -> bool:
    match one, other:
        case dict(), dict():
            return one.keys() == other.keys() and all(_alike(one[k], other[k]) for k in one)
        case list(), list():
            return len(one) == len(other) and all(map(_alike, one, other))
        case ((int() | float()), (int() | float())):
            return math.isclose(one, other, rel_tol=_CLOSE, abs_tol=1e-12)
    return one == other


def check_files(archive: Archive, certificate: AnswersCertificate, inquiry: Inquiry) -> str:
    """See that every file says what the certificate and the inquiry say; return the sentence."""
    with Folder() as folder:
        for name, writer in writers_of(certificate, inquiry).items():
            writer(folder / name)
            if not same_bytes(folder / name, archive.path(name)):
                refuse(f"'{name}' does not say what the certificate and the inquiry say.")
    return "The table, the statement and the other files say what the certificate says."


def check_spend(archive: Archive, certificate: AnswersCertificate, ledger: Ledger) -> str:
    """See that a spend of the ledger paid for the answers; return the sentence."""
    spent = certificate.spent
    if spent is None:
        return "Nothing was spent, so that no entry of the ledger is needed."
    return recorded_in(archive, certificate, ledger, lambda paid: paid in (spent, in_zcdp(spent)))


def _unsound(told: PortionRecord, why: str) -> NoReturn:
    numbers = ", ".join(map(str, told.questions))
    refuse(f"Question{'s' * (len(told.questions) > 1)} {numbers}: {why}.")
