"""Atoms of columns against the plain reading of every text next to every cut."""

from fractions import Fraction

import numpy as np
import pytest

from synth.domain import Binned, Integer, Number
from synth.questions.wording.condition import Compare, Missing, OneOf, Sign
from synth.questions.workloads.atoms import (
    CutColumn,
    as_read,
    cut_column,
    cuts_of,
    next_position,
)
from tests.questions import plain
from tests.questions.points import atom_of, texts_of
from tests.questions.survey import SURVEY, TEXTS, VALUES


def every_cut(name: str, *, cells: bool = True) -> CutColumn:
    """A column cut at all values that conditions compare with."""
    column = SURVEY[name]
    values = [value for value in VALUES[name] if value != "(other)"]
    signs = [sign for sign in Sign if column.extent is not None or not sign.orders]
    plains = [Compare(name, sign, value) for sign in signs for value in values]
    return cut_column(column, cuts_of(column, plains), cells=cells)


def read_cells(cut: CutColumn) -> list[plain.Cell]:
    """What cells hold, at both ends of all atoms and elsewhere."""
    texts = (*texts_of(cut), *TEXTS[cut.name])
    return [plain.read_cell(cut.base, text, SURVEY.missing_values) for text in texts]


@pytest.mark.parametrize("name", SURVEY.names)
def test_a_comparison_is_true_or_false_of_whole_atoms(name: str) -> None:
    """A comparison holds for all of an atom or for none, as a plain reader finds it text by
    text.

    An atom is a piece of a column that no condition cuts. The texts are at both ends of every
    atom. (other) has no order.
    """
    cut = every_cut(name)
    signs = [sign for sign in Sign if cut.base.extent is not None or not sign.orders]
    cells = read_cells(cut)

    for sign in signs:
        for value in VALUES[name]:
            if value == "(other)" and sign.orders:
                continue
            leaf = Compare(name, sign, value)
            meets = cut.meets(leaf)
            for cell in cells:
                if not cell.is_out:
                    right = plain.holds(leaf, {name: cell}, SURVEY)
                    assert meets[atom_of(cut, cell)] == right, (str(leaf), cell)


@pytest.mark.parametrize("name", SURVEY.names)
def test_what_is_missing_is_missing_for_any_reason(name: str) -> None:
    """The missing cell and the reasons of missing values meet "is missing", and nothing else.

    Sex has the reason `x y`, and age has the reason 999, which is a code outside its bounds.
    Their values keep cells of their own, and equal themselves.
    """
    cut = every_cut(name)
    meets = cut.meets(Missing(name))
    for cell in read_cells(cut):
        if not cell.is_out:
            assert meets[atom_of(cut, cell)] == cell.is_missing, cell

    reasons = {"sex": "x y", "age": "999"}
    assert (name in reasons) == bool(cut.reasons)
    if name in reasons:
        equal = cut.meets(Compare(name, Sign.EQUAL, reasons[name]))
        assert equal.sum() == 1
        assert meets.sum() == 2
        assert (meets & equal).any()


@pytest.mark.parametrize("name", SURVEY.names)
def test_lists_of_values_are_true_of_any_of_them(name: str) -> None:
    """An atom meets a list of values exactly if it meets one of them."""
    cut, values = every_cut(name), VALUES[name][:3]
    meets_each = [cut.meets(Compare(name, Sign.EQUAL, value)) for value in values]
    assert (
        cut.meets(OneOf(name, values)).tolist() == np.logical_or.reduce(meets_each).tolist()
    )


@pytest.mark.parametrize("name", SURVEY.names)
def test_every_atom_is_in_its_declared_cell(name: str) -> None:
    """Each atom lies in the declared cell of its texts; -1 stands for rows that a rule leaves
    out.

    Every declared cell has an atom, and no two atoms have the same name.
    """
    cut = every_cut(name)
    for cell in read_cells(cut):
        code = int(cut.declared_codes[atom_of(cut, cell)])
        assert code == (-1 if cell.code is None else cell.code), cell

    assert set(cut.declared_codes.tolist()) == {*range(cut.base.size), -1}
    assert len(cut.cells) == len(set(cut.cells)) == cut.size


@pytest.mark.parametrize("name", SURVEY.names)
def test_rows_are_only_in_the_atoms_that_are_held(name: str) -> None:
    """Rows are in all of the first `held_size` atoms, and only there.

    Only the last atom, of rows that are left out, is not counted.
    """
    cut = every_cut(name)
    used = {atom_of(cut, cell) for cell in read_cells(cut)}
    assert used == set(range(cut.held_size))
    assert cut.are_counted.tolist() == [True] * (cut.size - 1) + [False]


@pytest.mark.parametrize("name", [c.name for c in SURVEY.columns if isinstance(c, Binned)])
def test_the_ends_of_an_atom_are_its_least_and_its_greatest_value(name: str) -> None:
    """The ends of atoms ascend without overlap, and every number lies within those of its
    atom.
    """
    cut = every_cut(name)
    lows, highs = cut.ends
    assert (lows <= highs).all()
    assert (highs[:-1] < lows[1:]).all()

    for cell in read_cells(cut):
        if cell.number is not None:
            atom = atom_of(cut, cell)
            assert lows[atom] <= cell.number <= highs[atom]
            assert cut.numbers[atom]


def test_a_bin_is_cut_where_a_condition_cuts_it() -> None:
    """Of three bins of 0 to 90 the condition age > 39.5 cuts the middle one, 30 to 59, in
    two.
    """
    age = Integer(name="age", minimum=0, maximum=90, bins=3)
    cut = cut_column(age, cuts_of(age, [Compare("age", Sign.ABOVE, "39.5")]), cells=True)
    assert cut.labels == ("0 to 29", "30 to 39", "40 to 59", "60 to 90")

    is_above = cut.compare(Sign.ABOVE, Fraction(79, 2))[: cut.intervals]
    assert is_above.tolist() == [False, False, True, True]


def test_real_numbers_are_cut_at_the_double_that_is_read() -> None:
    """The condition `at most 0.1` includes the float 0.1, as which the text 0.1 is read.

    The next atom starts right after it. The third atom is for rows that are left out.
    """
    weight = Number(name="weight", minimum=0, maximum=1, bins=2)
    cut = cut_column(weight, cuts_of(weight, [Compare("weight", Sign.AT_MOST, "0.1")]))
    assert cut.starts == (0, next_position(weight, Fraction(1, 10)))
    assert cut.compare(Sign.AT_MOST, Fraction(1, 10)).tolist() == [True, False, False]
    assert as_read(weight, Fraction(1, 10)) == Fraction(0.1)
