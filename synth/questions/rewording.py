"""Suggest questions in the words of the language for one that was not understood. PUBLIC.

It uses the text and the declared columns alone, never rows. An unknown word, except the noun
after "how many", prevents a suggestion: none is better than one that drops a part of the
meaning.

>>> from synth.domain import Categorical, Domain, Integer
>>> domain = Domain(
...     (
...         Categorical(name="sex", categories=("female", "male")),
...         Integer(name="age", minimum=0, maximum=99),
...         Integer(name="income", minimum=0, maximum=90_000),
...     )
... )
>>> suggest_questions("average income of women", domain).questions
('mean income where sex = female',)
>>> suggested = suggest_questions("how many people over 65 by sex", domain)
>>> suggested.unclear, suggested.columns
('over 65', ('age', 'income'))
>>> suggested.questions
('table sex where age > 65', 'table sex where income > 65')
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

from synth import limits
from synth.domain import Domain
from synth.errors import QuestionError, SynthError
from synth.questions.everyday_words import EverydayWords, UnclearColumnError
from synth.questions.wording.language import parse
from synth.questions.wording.question import Question
from synth.questions.wording.spelling import shorten

# Most columns of which it is asked which one is meant.
MAX_CHOICES = 6


@dataclass(frozen=True, kw_only=True)
class Suggestions:
    """What a text in everyday words may mean.

    Attributes:
        questions: Its meaning in the language of questions. If words name no column, one
            meaning for each column that they may be about. Empty if nothing is suggested.
        unclear: The words that name no column, such as "over 65"; empty if there are none.
        columns: The columns that they may be about; empty if there are no such words.
    """

    questions: tuple[str, ...] = ()
    unclear: str = ""
    columns: tuple[str, ...] = ()

    @property
    def sentence(self) -> str:
        """The question which column is meant; empty if no words are unclear.

        >>> Suggestions(unclear="over 65", columns=("age", "hours")).sentence
        "'over 65' names no column. Which one do you mean: age or hours?"
        """
        if not self.unclear:
            return ""
        words = f"'{shorten(self.unclear)}' names no column."
        names = [shorten(name) for name in self.columns[:MAX_CHOICES]]
        if len(self.columns) == 1:
            return f"{words} If you mean {names[0]}, name it."
        if len(self.columns) > MAX_CHOICES:
            named = f"{', '.join(names)} or another one"
        else:
            named = f"{', '.join(names[:-1])} or {names[-1]}"
        return f"{words} Which one do you mean: {named}?"


def read_question(
    question: str | Question,
    domain: Domain,
    check: Callable[[Question], Question] | None = None,
) -> Question:
    """Return a question, read and checked; if it is none, the error suggests its likely
    meaning.

    Words that name no column, such as "over 65", are never given to one. The error then names
    the columns that they may be about.

    Args:
        question: A text in the language of questions, or a question.
        domain: The declared columns, for the suggestion.
        check: Returns the question with every value spelled as declared, or refuses it; None
            for no check.

    Raises:
        SynthError: It is no question, or can't be asked.
    """
    try:
        parsed = parse(question) if isinstance(question, str) else question
        return check(parsed) if check else parsed
    except QuestionError as error:
        # There is no text to reword, or the message suggests a name already.
        needs_no_suggestion = isinstance(question, Question) or "did you mean" in str(error)
        if needs_no_suggestion:
            raise
        suggested = suggest_questions(str(question), domain, check)
        if suggested.unclear:
            example = ""
            if suggested.questions:
                example = f" For example: {suggested.questions[0]}"
            raise QuestionError(f"{suggested.sentence}{example}") from None
        if not suggested.questions:
            raise
        # Of a message on a place in the text, the hint after the place is dropped.
        why = re.sub(r"(\(character [\d,]+\)): .*", r"\1.", str(error))
        raise QuestionError(f"{why} Did you mean: {suggested.questions[0]}") from None


def suggest_questions(
    text: str, domain: Domain, check: Callable[[Question], Question] | None = None
) -> Suggestions:
    """Return what a text in everyday words may mean; nothing is suggested if that is unclear.

    Args:
        text: The words.
        domain: The declared columns.
        check: Refuses questions that are not to be suggested, by a SynthError; None for those
            that the declared columns allow.

    >>> from synth.domain import Categorical, Domain, Integer
    >>> domain = Domain(
    ...     (
    ...         Categorical(name="sex", categories=("f", "m")),
    ...         Integer(name="age", minimum=0, maximum=99),
    ...     )
    ... )
    >>> suggest_questions("count where age >= 65 by sex", domain).questions
    ('table sex where age >= 65',)
    >>> suggest_questions("how tall are they", domain)
    Suggestions(questions=(), unclear='', columns=())
    """
    if not isinstance(text, str) or len(text) > limits.QUESTION_LENGTH:
        return Suggestions()
    try:
        return Suggestions(questions=(_reword(text, domain, check),))
    except UnclearColumnError as unclear:
        # The columns whose question can be asked, or cannot be judged yet.
        columns = []
        questions = []
        for column in unclear.columns:
            try:
                questions.append(_reword(text, domain, check, column))
            except UnclearColumnError:  # further words name no column either
                pass
            except (SynthError, ValueError):
                continue
            columns.append(column)
            if len(columns) > MAX_CHOICES:
                break
        if not columns:
            return Suggestions()
        return Suggestions(
            questions=tuple(questions[:MAX_CHOICES]),
            unclear=unclear.words,
            columns=tuple(columns),
        )
    # Both errors mean that a word is unknown, or that the question cannot be asked.
    except (SynthError, ValueError):
        return Suggestions()


def _reword(
    text: str, domain: Domain, check: Callable[[Question], Question] | None, *columns: str
) -> str:
    """Return the one question that a text means.

    Args:
        text: The everyday words.
        domain: The declared columns.
        check: Refuses questions that are not to be suggested; None for no check.
        columns: The columns of words that name none, in the order of these words.

    Raises:
        ValueError: A word is unknown.
        UnclearColumnError: Words name no column, and none is given for them.
        SynthError: The question cannot be asked.
    """
    question = EverydayWords(text, domain, columns).question()
    if check is not None:
        check(parse(question))
    return question
