"""Answers from noisy totals, with intervals from the exact law of the noise. PUBLIC.

Anyone with the noisy numbers can compute them again. Each interval alone holds the true
answer with probability 95 % or more, before the noise is drawn."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from synth.domain import Column
from synth.estimate import WayName, project_to_simplex
from synth.noise import LEVEL, law_of
from synth.questions.answers.answer import HIDDEN, Answer, group_labels, shown_units
from synth.questions.answers.numbers import Numbers
from synth.questions.answers.ratio import pair_noise, ratios
from synth.questions.answers.totals import (
    NoisyPortion,
    Totals,
    noise_of_portion,
    range_of_ratio,
)
from synth.questions.way.arrangement import Arrangement
from synth.questions.way.way import Portion
from synth.questions.wording.question import Question
from synth.questions.workloads.grains import summable
from synth.questions.workloads.workload import Readout
from synth.util import (
    Floats,
    Ints,
    one_thread,
)


@one_thread
def read_answers(
    arrangement: Arrangement, noisy: Sequence[Ints], rows: int | None
) -> list[Answer]:
    """Return the answers to all questions, in their order.

    Args:
        arrangement: The blocks of questions that are measured together, each with its way.
        noisy: The noisy numbers of each block; for a choice the index of the chosen
            candidate.
        rows: The public number of rows; None if it is private.
    """
    answers: dict[int, Answer] = {}
    for portion, values in zip(arrangement.portions, noisy, strict=True):
        noisy_portion = NoisyPortion(portion, values)
        for reading in portion.block.readings:
            answers[reading.question] = _read_answer(noisy_portion, reading, rows)
    return [answers[number] for number in sorted(answers)]


@dataclass(frozen=True, eq=False, kw_only=True)
class _Measured:
    # A measured question, which reads its answer by its kind: a `KindReader`.
    question: Question
    noisy_portion: NoisyPortion
    reading: Readout
    rows: int | None

    @property
    def portion(self) -> Portion:
        return self.noisy_portion.portion

    @property
    def totals(self) -> Totals:
        return self.noisy_portion.totals

    @property
    def way(self) -> WayName:
        return self.portion.way.name

    @property
    def labels(self) -> tuple[str, ...]:
        return group_labels(self.question, self.portion.block.workload.domain)

    def read_counts(self) -> Answer:
        return _read_counts(self)

    def read_top(self) -> Answer:
        if self.portion.way.candidates is not None:
            return _read_choice(self)
        return _read_top(self)

    def read_best(self) -> Answer:
        return _read_choice(self)

    def read_check(self) -> Answer:
        from synth.questions.answers.figure_checks import read_check

        chosen = int(self.noisy_portion.values[0])
        return read_check(self.question, self.portion, chosen, rows=self.rows)

    def read_ranks(self) -> Answer:
        return _read_ranks(self)

    def read_shares(self) -> Answer:
        if self.reading.denominators == (None,):
            return _read_share(self)
        return _read_ratios(self)

    def read_totals(self) -> Answer:
        return _read_sums(self)

    def read_means(self) -> Answer:
        return _read_ratios(self)

    def read_products(self) -> Answer:
        from synth.questions.answers.moments import read_moments

        numbers = read_moments(self.totals, self.reading, self.rows, level=LEVEL)
        return Answer.from_numbers(self.question, self.labels, numbers, way=self.way)


def _read_answer(noisy_portion: NoisyPortion, reading: Readout, rows: int | None) -> Answer:
    """Return the answer to one question.

    Without a cost only the public number of rows is asked for, which is the answer.

    Args:
        noisy_portion: The block of questions to which it belongs, with its noisy numbers.
        reading: From which sums the answer is computed, and how.
        rows: The public number of rows; None if it is private.
    """
    portion = noisy_portion.portion
    question = portion.block.workload.questions[reading.question]
    if portion.way.cost is None:
        value = np.array([float(rows or 0)])
        return Answer(
            question=question,
            way=portion.way.name,
            labels=(),
            value=value,
            low=value,
            high=value,
            expected_error=0.0,
        )
    return question.kind.read_with(
        _Measured(question=question, noisy_portion=noisy_portion, reading=reading, rows=rows)
    )


def _nothing(numbers: int) -> tuple[Floats, Floats, Floats]:
    """Return the value, the low and the high ends of numbers that are not shown: all NaN."""
    none = np.full(numbers, np.nan)
    return none, none, none


def _read_choice(measured: _Measured) -> Answer:
    """Return the answer that names the chosen candidate, without its number of rows.

    The single noisy value of the measurement is the index of the candidate.
    """
    portion = measured.portion
    chosen_place = int(measured.noisy_portion.values[0])
    remarks: tuple[str, ...] = ()
    if measured.question.candidates:
        from synth.questions.answers.quantiles import read_best

        remarks = (read_best(portion.block, portion.way),)
    value, low, high = _nothing(1)
    return Answer(
        question=measured.question,
        way=measured.way,
        labels=(),
        value=value,
        low=low,
        high=high,
        expected_error=portion.way.score,
        chosen=(measured.labels[chosen_place],),
        remarks=remarks,
    )


def _read_ranks(measured: _Measured) -> Answer:
    """Return quantiles, from a noisy tree of counts or as chosen candidates.

    The error is in rows: how far the rank of a quantile may be from the requested rank.
    """
    portion = measured.portion
    from synth.questions.answers.quantiles import read_off_tree, read_quantiles_off

    read_quantiles = read_off_tree if portion.way.candidates is None else read_quantiles_off
    quantiles = read_quantiles(
        portion.block, portion.way, measured.noisy_portion.values, rows=measured.rows
    )
    numbers = replace(quantiles, error=np.array([portion.way.score]))
    columns = (portion.block.workload.domain[measured.question.columns[0]],)
    return Answer.from_numbers(
        measured.question, measured.labels, numbers, columns=columns, way=measured.way
    )


def _read_counts(measured: _Measured, level: float = LEVEL) -> Answer:
    """Return noisy numbers of rows with their intervals, within 0 and the public number of
    rows.

    If the groups together hold all rows of a public number, the counts are projected to that
    sum, as far as their intervals allow.

    Args:
        measured: The question with its noisy totals.
        level: The probability with which each interval holds the true count.
    """
    rows = measured.rows
    (number,) = measured.reading.numerators
    raw = measured.totals.of_tally(number)
    # Half the widths of the intervals, from the law of the noise.
    half = measured.totals.halves(number, level)
    most_rows = float(rows) if rows is not None else np.inf
    low = np.clip(raw - half, 0, most_rows)
    high = np.clip(raw + half, 0, most_rows)
    value = np.clip(raw, 0, most_rows)
    # A place of -1 is one whose rows count in no group.
    has_all_cells = (measured.portion.block.workload.tallies[number].place >= 0).all()
    if rows is not None and len(raw) > 1 and has_all_cells:
        value = np.clip(project_to_simplex(raw, float(rows)), low, high)
    return Answer(
        question=measured.question,
        way=measured.way,
        labels=measured.labels,
        value=value,
        low=low,
        high=high,
        expected_error=float(measured.totals.sizes(number).mean()),
    )


def _read_top(measured: _Measured) -> Answer:
    """Return the most frequent values by their noisy counts, and these counts if asked
    for.
    """
    (number,) = measured.reading.numerators
    raw = measured.totals.of_tally(number)
    # Which counts are shown depends on their noise. So intervals of all counts must hold at
    # once: by Bonferroni, each misses with 1 / len(raw) of the probability. The cap keeps
    # the level within what the laws of noise can compute.
    counts = _read_counts(measured, min(1 - 1e-7, 1 - (1 - LEVEL) / len(raw)))
    best = np.argsort(-raw, kind="stable")[: measured.question.k]
    best_labels = tuple(counts.labels[i] for i in best)
    if measured.question.counts:
        return replace(
            counts,
            labels=best_labels,
            value=counts.value[best],
            low=counts.low[best],
            high=counts.high[best],
        )
    value, low, high = _nothing(len(best))
    return replace(
        counts,
        labels=(),
        value=value,
        low=low,
        high=high,
        expected_error=measured.portion.way.score,
        chosen=best_labels,
    )


def _read_share(measured: _Measured) -> Answer:
    """Return noisy counts with their intervals as shares of the public number of rows."""
    counted = _read_counts(measured)
    n = max(1, measured.rows or 0)
    return Answer(
        question=measured.question,
        way=measured.way,
        labels=measured.labels,
        value=counted.value / n,
        low=counted.low / n,
        high=counted.high / n,
        expected_error=counted.expected_error / n,
    )


def _read_sums(measured: _Measured) -> Answer:
    """Return the totals of a column, by group, with their intervals and average errors.

    A noisy total is a number of grid steps. If it adds every row of a public number
    (``centred``), steps count from the middle of the column's range. So the sum is middle *
    rows + total * grid. Otherwise steps count from 0. The interval has a part for the noise.
    With a public number of rows it has one for the rounding of each row to the grid, too.
    """
    portion = measured.portion
    totals = measured.totals
    rows = measured.rows  # None if the number of rows is not public
    (number,) = measured.reading.numerators  # of the one tally
    grid = totals.grid(number)
    start = totals.middle(number) * (rows or 0) if measured.reading.centred else 0.0
    column = portion.block.workload.summed_column(number)
    assert column is not None
    bounds = summable(column)
    value = start + totals.of_tally(number) * grid
    # How far the grid may be from the value of one row.
    off = rounding_reach(portion, number, totals)
    half = totals.halves(number, LEVEL) * grid + (rows or 0) * off
    # A sum lies between its least and its greatest value times the number of rows.
    most_rows = np.inf if rows is None else rows
    lowest = 0.0 if bounds.low >= 0 else bounds.low * most_rows
    highest = 0.0 if bounds.high <= 0 else bounds.high * most_rows
    error = np.array([float(totals.sizes(number).mean()) * grid])
    numbers = Numbers(value, value - half, value + half, error).clip(lowest, highest)
    return Answer.from_numbers(
        measured.question, measured.labels, numbers, columns=(column.base,), way=measured.way
    )


def _read_ratios(measured: _Measured) -> Answer:
    """Return means or shares over a counted number of rows, as one answer with all numbers.

    Each number is a pair: a noisy sum or count, over a noisy or the public number of rows.
    """
    reading = measured.reading
    pairs = zip(reading.numerators, reading.denominators, strict=True)
    summed = map(measured.portion.block.workload.summed_column, reading.numerators)
    # The declared column of each sum; None for a count, whose ratio is a share.
    columns = tuple(column and column.base for column in summed)
    parts = [
        _read_ratio(measured, above, below, column=column)
        for (above, below), column in zip(pairs, columns, strict=True)
    ]
    return Answer.from_numbers(
        measured.question,
        measured.labels,
        Numbers.join(parts),
        columns=columns,
        way=measured.way,
    )


def _read_ratio(
    measured: _Measured, above: int, below: int | None, *, column: Column | None
) -> Numbers:
    """Return a total over a number of rows, such as a mean, with its intervals.

    A total is a number of grid steps from the middle of the column's range. So the value is
    middle + total * grid / rows, within the range. The average error joins that of the total
    with that of the rows times the mean's distance from the middle. That distance is unknown;
    a quarter of the range stands for it.

    Args:
        measured: The question with its noisy totals.
        above: The number of the tally (a sum over the rows) that is the numerator.
        below: That of the tally of the rows; None if the public number of rows divides.
        column: The column whose numbers are added, None for a share. Errors are shown in its
            unit.
    """
    portion = measured.portion
    totals = measured.totals
    unit = shown_units(column)
    grid = totals.grid(above)
    middle = totals.middle(above)
    rounding = rounding_reach(portion, above, totals)
    sums = totals.of_tally(above)
    low, high = range_of_ratio(portion, above)
    if below is None:
        n = max(1, measured.rows or 0)
        value = middle + sums * grid / n
        half = totals.halves(above, LEVEL) * grid / n + rounding
        error = totals.sizes(above) * grid / n / unit
        return Numbers(value, value - half, value + half, error).clip(low, high)
    # A row may count for several steps; this is the number of rows of a step.
    row = totals.grid(below)
    # One count may divide the sums of several groups.
    counted = np.broadcast_to(totals.of_tally(below) * row, sums.shape)
    mechanism = noise_of_portion(portion)
    noise = pair_noise(mechanism, mechanism, step=grid, count_step=row)
    ratio_numbers = ratios(sums * grid, counted, noise, ends=(low - middle, high - middle))
    usual_distance = (high - low) / 4
    error_size = law_of(mechanism).expected_size
    error = math.hypot(error_size * grid, usual_distance * error_size * row) / np.maximum(
        counted, 1.0
    )
    wide = (
        middle + ratio_numbers.value,
        middle + ratio_numbers.low - rounding,
        middle + ratio_numbers.high + rounding,
        error / unit,
    )
    numbers = Numbers(
        *(np.where(ratio_numbers.answered, values, np.nan) for values in wide)
    ).clip(low, high)
    return numbers if ratio_numbers.answered.all() else replace(numbers, remarks=(HIDDEN,))


def rounding_reach(portion: Portion, number: int, totals: Totals) -> float:
    """Return the largest difference of a row's value and the grid step that is added.

    It is in units of the column: 0 if the values of the column are on the grid, or if rows
    are counted; else half a step.

    Args:
        portion: A block of questions with its way.
        number: The number of the tally (a sum over the rows).
        totals: The noisy totals of the block, with their grids.
    """
    column = portion.block.workload.summed_column(number)
    if column is None:
        return 0.0
    low, _, unit, *_ = summable(column)
    grid = totals.grid(number)
    if unit is not None:
        # Nothing is rounded if a unit is a whole number of steps, but for float errors, and
        # step 0 is a whole number of units from the least value.
        steps_per_unit = unit / grid
        whole_steps = round(steps_per_unit)
        place = (totals.middle(number) - low) / unit
        if whole_steps and abs(steps_per_unit - whole_steps) < 1e-9 and place == round(place):
            return 0.0
    return grid / 2


@one_thread
def forecast_answers(arrangement: Arrangement, rows: int) -> list[Answer]:
    """Return the answers as before anything is asked: with average errors, without values.

    Answers are in the order of the questions. Groups are assumed to have equal size.

    Args:
        arrangement: The blocks of questions that are measured together, each with its way.
        rows: The approximate number of rows.
    """
    guessed = [guessed_totals(portion, rows) for portion in arrangement.portions]
    answers = list(map(_without_values, read_answers(arrangement, guessed, rows)))
    for portion in arrangement.portions:
        # A claimed figure is compared in a block of its own.
        if portion.block.question.claimed is not None:
            number = portion.block.readings[0].question
            answers[number] = _with_needed_epsilon(answers[number], portion, rows)
    return answers


def _with_needed_epsilon(answer: Answer, portion: Portion, rows: int) -> Answer:
    """Return the forecast of a yes or no, with the epsilon at which it is rarely wrong."""
    from synth.questions.answers.figure_checks import remark_needed_epsilon

    return replace(answer, remarks=(*answer.remarks, remark_needed_epsilon(portion, rows)))


def _without_values(answer: Answer) -> Answer:
    """Return an answer with NaN for its values and intervals, as before anything is asked."""
    # The names of chosen candidates are not known yet.
    if answer.question.kind.choices:
        none = np.full(answer.question.k, np.nan)
        return replace(answer, labels=(), chosen=(), value=none, low=none, high=none)
    none = np.full(len(answer.value), np.nan)
    remarks = answer.remarks
    if answer.question.kind.adds_products:
        from synth.questions.answers.moments import EVENLY_SPREAD

        remarks = (EVENLY_SPREAD,)
    return replace(answer, value=none, low=none, high=none, remarks=remarks)


def guessed_totals(portion: Portion, rows: int) -> Ints:
    """Return noisy numbers for a forecast: as without noise, and with groups of equal size.

    Only counts differ from 0, which is the middle of the range for sums, and the first
    candidate for a choice. Cells of a histogram and nodes of a tree are 0 too.

    Args:
        portion: A block of questions with its way.
        rows: The approximate number of rows.
    """
    way = portion.way
    # A choice has no noise; strategies and histograms measure other numbers than totals.
    if way.mechanism is None or way.strategy is not None or way.cells is not None:
        return np.zeros(way.size, np.int64)
    if portion.block.multiplies:
        from synth.questions.answers.moments import evenly_spread

        return evenly_spread(portion, rows)
    totals = []
    for number, grain in zip(portion.block.tallies, way.grains, strict=True):
        tally = portion.block.workload.tallies[number]
        steps = 0
        if grain.steps is None:  # a count, in which a row counts for `weight` steps
            rows_of_group = rows // tally.size
            steps = rows_of_group * grain.weight
        totals.append(np.full(tally.size, steps, dtype=np.int64))
    return np.concatenate(totals)
