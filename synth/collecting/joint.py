"""The joint table of the true answers to several questions, and rows drawn from it. PUBLIC.

If noise is likely to outweigh the table, questions are treated as unrelated.
"""
# Answers are randomised independently, so the matrix that distorts a joint table is a
# Kronecker product of matrices pI + q(J - I). Its inverse exists for every epsilon, but noise
# grows with every question.

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from pathlib import Path

import numpy as np

from synth import limits
from synth.bundle import NOTHING_PROTECTED, guard_cell, write_guarded
from synth.collecting.answers import Collected
from synth.collecting.design import FormDesign
from synth.collecting.shares import debiased_shares, repair_shares
from synth.domain import Categorical, Domain
from synth.errors import LimitError
from synth.estimate import Distribution, Repair, project_to_simplex
from synth.rows import SyntheticTable, decode, draw_rows
from synth.util import Codes, Document, Floats, Protection, number_cells

# Largest likely error of a joint table from which rows are drawn.
MOST_NOISE = 0.25


@dataclass(frozen=True, eq=False, kw_only=True)
class JointShares:
    """Shares of people by their true answers to several questions, numbered from 0 up.

    Attributes:
        design: The form.
        questions: Numbers of the questions.
        debiased: In the shape of the questions' options: right on average, of sum 1, perhaps
            negative.
        errors: Their standard errors, same shape.
    """

    design: FormDesign
    questions: tuple[int, ...]
    debiased: Floats
    errors: Floats

    @cached_property
    def repaired_shares(self) -> Floats:
        """The nearest non-negative shares of sum 1, same shape."""
        return project_to_simplex(self.debiased.reshape(-1), 1.0).reshape(self.debiased.shape)

    @property
    def noise(self) -> float:
        """The total variation that noise alone is likely to cause, before the repair.

        The mean absolute value of a normal error is its standard error times sqrt(2 / pi).
        Total variation is half the sum of absolute errors.
        """
        return float(self.errors.sum()) * math.sqrt(2 / math.pi) / 2

    def cells(self) -> Iterator[tuple[tuple[str, ...], float, float, float]]:
        """Yield each cell's options, debiased share, standard error and repaired share.

        The options are one text per question, in the order of ``questions``. The last
        question's options change fastest.
        """
        options = product(
            *(self.design.questions[number].options for number in self.questions)
        )
        tables = (self.debiased, self.errors, self.repaired_shares)
        yield from zip(
            options, *(table.reshape(-1).tolist() for table in tables), strict=True
        )

    def to_json(self) -> Document:
        """Return the table as a JSON object, with each array as one flat list.

        The cells follow the options in order; the last question's options change fastest.
        """
        questions = [self.design.questions[number] for number in self.questions]
        return {
            "questions": [question.text for question in questions],
            "options": [list(question.options) for question in questions],
            "debiased": self.debiased.reshape(-1).tolist(),
            "standard_errors": self.errors.reshape(-1).tolist(),
            "repaired": self.repaired_shares.reshape(-1).tolist(),
            "repair": Repair.NEAREST.value,
        }


def joint_cells(design: FormDesign, questions: tuple[int, ...]) -> int:
    """Return the number of cells of the joint table of some questions."""
    return math.prod(design.shape[number] for number in questions)


def joint_shares(collected: Collected, questions: tuple[int, ...]) -> JointShares:
    """Estimate the joint table of the true answers to some questions.

    Args:
        collected: The randomised answers.
        questions: The positions of the questions in the form, from 0 up.

    Raises:
        LimitError: The table has too many cells.
    """
    design = collected.design
    cells = joint_cells(design, questions)
    if cells > limits.JOINT_CELLS:
        raise LimitError(
            f"The joint table has {cells:,} cells; the limit is {limits.JOINT_CELLS:,}, so "
            "choose fewer questions."
        )
    shape = [design.shape[number] for number in questions]
    codes = [collected.codes[:, number] for number in questions]
    counts = np.bincount(number_cells(codes, shape), minlength=cells).reshape(shape)
    observed = counts / collected.people
    # The estimate of a cell is a mean over people. Each person contributes a product over the
    # questions: of `hit` if the answer names the cell's option, otherwise of `miss`. So one
    # question after the other can be applied to the table of counts. Squared weights give the
    # mean square, and with it the variance of the contributions.
    mean = observed
    mean_square = observed
    for axis, number in enumerate(questions):
        gain = float(design.weights[number].gain)
        lie_chance = float(design.weights[number].other)
        # Their expectation is 1 if the true answer is the cell's option, otherwise 0.
        hit = (1 - lie_chance) / gain
        miss = -lie_chance / gain
        mean = _weight_axis(mean, axis, hit, miss=miss)
        mean_square = _weight_axis(mean_square, axis, hit**2, miss=miss**2)
    # Rounding could make a variance negative.
    errors = np.sqrt(np.maximum(mean_square - mean**2, 0) / collected.people)
    return JointShares(design=design, questions=questions, debiased=mean, errors=errors)


def _weight_axis(table: Floats, axis: int, hit: float, *, miss: float) -> Floats:
    """Return sums along an axis: a cell itself times `hit`, all others times `miss`.

    The shape stays the same: each cell gets its own weighted sum.
    """
    # hit * cell + miss * (sum - cell), rearranged.
    return np.asarray((hit - miss) * table + miss * table.sum(axis=axis, keepdims=True))


def answers_domain(design: FormDesign) -> Domain:
    """Return the domain of the answers: a categorical column for each question.

    It is named by the question's text. Every person answers, so no value can be missing.
    """
    columns = tuple(
        Categorical(name=question.text, categories=question.options)
        for question in design.questions
    )
    return Domain(columns, missing_values=())


@dataclass(frozen=True, eq=False)
class Drawn:
    """Synthetic people.

    Attributes:
        table: Their answers.
        joint: Whether the questions were drawn together; otherwise they are unrelated.
    """

    table: SyntheticTable
    joint: bool

    @property
    def says(self) -> str:
        """How the people were drawn, in a sentence."""
        if self.joint:
            return (
                "Synth draws rows from the joint table after it repaired negative cells (the "
                "nearest table without any, of the same sum)."
            )
        return (
            "Synth draws rows question by question, as if the questions were unrelated: the "
            "joint table has too much noise, or too many cells."
        )


def write_people(
    people: Drawn, path: Path, protection: Protection = NOTHING_PROTECTED
) -> None:
    """Write synthetic people as a CSV file in which a spreadsheet takes no cell as a formula.

    Args:
        people: The drawn rows.
        path: The file.
        protection: Whether an existing file may be replaced, and what is protected.

    Raises:
        ReleaseError: The file can't be written, or something else is there.
    """
    # The texts of missing values, made safe for spreadsheets like every other cell.
    markers = [*map(guard_cell, people.table.domain.markers)]

    def write(temporary_path: Path) -> None:
        write_guarded(people.table.parts(), temporary_path, missing=markers)

    protection.write_file(path, write)


def draw_people(collected: Collected, rows: int | None = None) -> Drawn:
    """Draw a synthetic table, by default with as many rows as there are people.

    Rows are drawn from the joint table of all questions if it is small enough and its noise
    is at most ``MOST_NOISE``. Otherwise each question is drawn alone, as if unrelated.
    """
    design = collected.design
    if rows is None:
        rows = collected.people
    all_questions = tuple(range(len(design.questions)))
    domain = answers_domain(design)
    if joint_cells(design, all_questions) <= limits.JOINT_CELLS:
        joint = joint_shares(collected, all_questions)
        # A single question has no smaller table from which to draw instead.
        if joint.noise <= MOST_NOISE or len(all_questions) == 1:
            shares = joint.repaired_shares.reshape(-1)
            return Drawn(_draw_rows(domain, shares, rows), joint=True)
    # Each question is a table of one column, whose rows are drawn by themselves.
    columns: list[Codes] = [
        _draw_rows(domain.project([name]), repair_shares(column_shares), rows).codes[0]
        for name, column_shares in zip(domain.names, debiased_shares(collected), strict=True)
    ]
    return Drawn(decode(domain, columns), joint=False)


def _draw_rows(domain: Domain, shares: Floats, rows: int) -> SyntheticTable:
    """Return rows drawn by the joint shares of the answers.

    ``shares`` has one share for each cell of the domain, in its order, and sums to 1.
    """
    cells = np.arange(len(shares))  # all cells of the domain, by number
    return draw_rows(
        Distribution(
            domain=domain,
            cells=cells,
            weights=shares * rows,
            total=rows,
            repair=Repair.NEAREST,
        ),
        rows,
    )
