"""Check a question against a declared domain, without reading any row. PUBLIC.

A checked question has one spelling of every value, so equal questions are equal.

>>> from synth.domain import Categorical, Domain, Integer
>>> from synth.questions.wording.language import parse
>>> domain = Domain(
...     (
...         Categorical(name="sex", categories=("1", "2"), meanings={"1": "male"}),
...         Integer(name="age", minimum=17, maximum=90),
...     )
... )
>>> str(check_question(parse("count where sex = male and age >= 65.0"), domain))
'count where sex = 1 and age >= 65'
>>> check_question(parse("mean agee"), domain)
Traceback (most recent call last):
synth.errors.QuestionError: Column 'agee' is not declared; did you mean 'age'?
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from difflib import get_close_matches
from itertools import islice
from typing import NoReturn

from synth import limits
from synth.domain import MISSING_LABEL, OTHER_LABEL, Binned, Column, Domain
from synth.privacy import ROW, Unit
from synth.questions.kinds.kind import QuestionKind
from synth.questions.wording.condition import (
    Compare,
    Condition,
    Missing,
    Not,
    OneOf,
    Plain,
    Sign,
    columns_of,
)
from synth.questions.wording.question import OVER, Question
from synth.questions.wording.spelling import name_text, refuse_question, shorten
from synth.questions.workloads.truth import can_hold, cut_for, refuse_empty

# Most declared names or values that a message searches for a similar one.
MAX_COMPARED_NAMES = 2_000


def check_question(question: Question, domain: Domain, unit: Unit = ROW) -> Question:
    """Return the question with every value spelled as its column declares it.

    Args:
        question: A question whose columns and values may not exist.
        domain: The declared columns.
        unit: What one person is; a mean over persons needs a column of persons.

    Raises:
        QuestionError: It names something undeclared, asks for what a column or the unit
            lacks, or has a condition that no declared value can meet.
    """
    for name in question.uses:
        find_declared(domain, name)
    if "on" in question.kind.takes:
        question = _check_regression(question, domain)
    # Columns that must have numbers: regressors may be lists, and listed columns are counted.
    for name in question.columns:
        if name not in (*question.listed_columns, *question.regressors):
            _check_numbers(question.kind, domain[name])
    # `k` cells of a listed column are asked for: the most frequent ones; 1 for a table.
    for name in question.listed_columns:
        cells = domain[name].size
        if question.k > cells:
            refuse_question(
                f"Column '{name}' has {cells:,} cells, fewer than the {question.k:,} asked "
                "for."
            )
    # The first of `OVER` is "rows", the usual one.
    if question.over != OVER[0] and not unit.person:
        refuse_question("A mean over persons needs a person column; none is declared.")
    where = question.where and check_condition(question.where, domain)
    candidates = tuple(
        check_condition(candidate, domain) for candidate in question.candidates
    )
    outcome = question.outcome and check_condition(question.outcome, domain)
    return replace(question, where=where, candidates=candidates, outcome=outcome)


def check_asked(question: Question, domain: Domain, unit: Unit = ROW) -> Question:
    """Check a question that is asked of the table itself, and not of a synthetic release.

    Returns the question with every value spelled as its column declares it.

    Args:
        question: A question whose columns and values may not exist.
        domain: The declared columns.
        unit: What one person is; a mean over persons needs a column of persons.

    Raises:
        QuestionError: It is wrong, or only a release can answer it.
    """
    checked = check_question(question, domain, unit)
    # The kind's sentence why only a release answers it; empty for most kinds.
    if checked.kind.not_asked:
        refuse_question(f"{checked.kind.not_asked} {AFTER_RELEASE}")
    for name in checked.regressors:
        if not isinstance(domain[name], Binned):
            refuse_question(
                f"Column '{shorten(name)}' ({domain[name].kind}) has no bounds, which a "
                f"regression of the table itself needs. {AFTER_RELEASE}"
            )
    return checked


AFTER_RELEASE = (
    "Release its columns together and ask the release: by 'analyse', or on the page 'Use a "
    "release'."
)


def check_condition(condition: Condition, domain: Domain) -> Condition:
    """Return the condition with every value spelled as its column declares it.

    It is refused if a part of it, or the whole condition, is false for every row that the
    declaration allows.

    Raises:
        QuestionError: It names something undeclared, or no declared value can meet it.
    """
    checked = _respell(condition, domain)
    columns = cut_for(checked, domain)
    for literal in _literals(checked, True):
        if not can_hold(literal, columns):
            _refuse_literal(literal, domain)
    if not can_hold(checked, columns):
        refuse_empty(checked)
    return checked


def _literals(condition: Condition, truth: bool) -> Iterator[Plain | Not]:
    """Yield the comparisons of a condition, negated where the condition needs them to be
    false.

    ``truth`` says whether the condition must be true or false. A "not" turns that around.
    """
    if isinstance(condition, Compare | OneOf | Missing):
        yield condition if truth else Not(condition)
    else:
        negates = isinstance(condition, Not)
        for part in condition.parts:
            yield from _literals(part, truth != negates)


def _refuse_literal(literal: Plain | Not, domain: Domain) -> NoReturn:
    """Refuse a comparison that no declared value meets; the message says what is declared.

    ``literal`` is a comparison, a list of values or "is missing", possibly negated.
    """
    column = domain[columns_of(literal)[0]]
    missing = isinstance(literal, Missing)
    if isinstance(column, Binned) and not missing:
        why = f"is declared from {column.minimum} to {column.maximum}"
    else:
        why = (
            "declares no missing values"
            if missing
            else f"declares {_list_some(column.labels)}"
        )
    refuse_question(
        f"'{shorten(str(literal))}' is a condition that no declared value can meet: column "
        f"'{column.name}' {why}."
    )


def find_declared(domain: Domain, name: str) -> Column:
    """Return the declared column of this name.

    Raises:
        QuestionError: There is none; the message suggests the nearest one.
    """
    # These are all columns of a synthetic table. For one without cells, such as one that is
    # derived from others, the domain raises its own error, which names the others.
    if name in domain.written:
        return domain[name]
    near = find_nearest(name, domain.names)
    if near:
        refuse_question(f"Column '{shorten(name)}' is not declared; did you mean '{near}'?")
    first_names = ", ".join(f"'{declared_name}'" for declared_name in domain.names[:10])
    ellipsis = ", …" if len(domain.names) > 10 else ""
    refuse_question(
        f"Column '{shorten(name)}' is not declared. These are: {first_names}{ellipsis}."
    )


def find_nearest(text: str, texts: Iterable[str]) -> str:
    """Return the declared text most similar to ``text``; empty if none is similar enough.

    Capitals and blanks around texts do not matter. Only the first texts are compared, and no
    very long ones, so that a message is quick.

    >>> find_nearest("female", ("Male", "Female"))
    'Female'
    """
    short = (
        similar
        for similar in islice(texts, MAX_COMPARED_NAMES)
        if len(similar) <= limits.QUOTED
    )
    folded = {similar.strip().casefold(): similar for similar in short}
    # 0.6 is the usual cutoff of `get_close_matches`.
    near = get_close_matches(
        text[: limits.QUOTED].strip().casefold(), folded, n=1, cutoff=0.6
    )
    return folded[near[0]] if near else ""


def _check_numbers(kind: QuestionKind, column: Column) -> None:
    """Refuse a column whose values this kind of question cannot add up or order.

    Raises:
        QuestionError: With the sentence of `QuestionKind.column_fault`.
    """
    fault = kind.column_fault(column)
    if fault:
        refuse_question(fault)


def _check_regression(question: Question, domain: Domain) -> Question:
    """Return a regression with its outcome and reference levels as they are declared.

    A logistic regression whose outcome is a column of two values gets the condition that the
    column has the second one. ``domain`` has the declared columns.

    Raises:
        QuestionError: A column cannot be an outcome or a regressor, or has no such level.
    """
    # The first column is the outcome, which becomes a condition.
    if "outcome" in question.kind.takes and question.outcome is None:
        first, *others = question.columns
        question = replace(
            question, columns=tuple(others), outcome=_second_value(domain[first])
        )
    # The value of each listed regressor with which its other values are compared.
    references = dict(question.reference)
    for name in question.regressors:
        column = domain[name]
        if isinstance(column, Binned):
            _check_numbers(question.kind, column)
            if name in references:
                refuse_question(
                    f"Column '{name}' ({column.kind}) is no list, and has no levels."
                )
        elif len(column.labels) < 2:
            refuse_question(f"Column '{name}' lists one value, and nothing depends on it.")
    spelled = tuple(
        (name, _spelling(domain[name], value)) for name, value in question.reference
    )
    # The cell for values outside is no level, unless the column lists a value of its name.
    other_column = next((name for name, value in spelled if value == OTHER_LABEL), None)
    if other_column is not None and OTHER_LABEL not in domain[other_column].labels:
        refuse_question(
            f"Column '{other_column}': '{OTHER_LABEL}' is left out, and is no reference "
            "level."
        )
    return replace(question, reference=spelled)


def _second_value(column: Column) -> Compare:
    """Return the condition that a column has the second of its two declared values.

    Raises:
        QuestionError: The column does not list exactly two values.
    """
    if isinstance(column, Binned) or len(column.labels) != 2:
        refuse_question(
            f"Column '{column.name}' is no list of two values; the outcome of a logistic "
            "regression is one, or a condition such as age >= 65."
        )
    return Compare(column.name, Sign.EQUAL, column.labels[1])


# One spelling of every value


def _respell(condition: Condition, domain: Domain) -> Condition:
    """Return a condition with its values spelled as their columns declare them.

    Raises:
        QuestionError: A column or a value is not declared, or has no order.
    """
    match condition:
        case Compare():
            column = find_declared(domain, condition.column)
            if condition.sign.orders:
                _check_order(column, condition.value)
            return replace(condition, value=_spelling(column, condition.value))
        case OneOf():
            column = find_declared(domain, condition.column)
            values = tuple(_spelling(column, value) for value in condition.values)
            return replace(condition, values=values)
        case Missing():
            find_declared(domain, condition.column)
            return condition
        case Not():
            return Not(_respell(condition.part, domain))
    return replace(condition, parts=tuple(_respell(part, domain) for part in condition.parts))


def _check_order(column: Column, value: str) -> None:
    """Refuse to compare a value by <, <=, > or >= if the column or the value has no order.

    Raises:
        QuestionError: It has none.
    """
    if column.extent is None:
        refuse_question(
            f"Column '{column.name}' ({column.kind}) has no order; compare it by =, != or in."
        )
    is_other = value == OTHER_LABEL and column.other_code is not None
    if is_other or value in column.signs:
        refuse_question(
            f"Column '{column.name}': '{shorten(value)}' has no order; write = or !=."
        )


def _spelling(column: Column, value: str) -> str:
    """Return a value as the column spells it.

    It is found by its text, or by the meaning of a code if only one code has that meaning.

    Raises:
        QuestionError: The column has no such value, or several codes mean it.
    """
    # The declared codes whose meaning is this text.
    codes = tuple(code for code, label in column.meanings.items() if label == value)
    # The column reads the text and writes it again, so that "65.0" becomes "65". A sign has
    # one spelling only.
    texts: tuple[str, ...] = (value, *codes) if len(codes) == 1 else (value,)
    for text in texts:
        if text in column.signs:
            return text
        try:
            return column.write_position(column.position(text))
        except ValueError:
            continue
    # The cell for values outside is no value, and its label has one spelling only.
    if value == OTHER_LABEL and column.other_code is not None:
        return value
    where = f"Column '{column.name}'"
    if value.casefold() in ("missing", "null", MISSING_LABEL):
        refuse_question(f"{where}: write {name_text(column.name)} is missing.")
    if isinstance(column, Binned):
        signs = f", with the signs {_list_some(column.signs)}" if column.signs else ""
        refuse_question(
            f"{where} ({column.kind}) has no value '{shorten(value)}'; it is declared from "
            f"{column.minimum} to {column.maximum}{signs}."
        )
    if len(codes) > 1:
        refuse_question(
            f"{where}: '{shorten(value)}' means {_list_some(codes)}; name one of them."
        )
    near = find_nearest(value, (*column.declared_texts, *column.meanings.values()))
    hint = f"did you mean '{near}'?" if near else f"it declares {_list_some(column.labels)}."
    refuse_question(f"{where} has no value '{shorten(value)}'; {hint}")


def _list_some(values: tuple[str, ...]) -> str:
    texts = ", ".join(f"'{shorten(value)}'" for value in values[:5])
    return texts + (", …" if len(values) > 5 else "")
