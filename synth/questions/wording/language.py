"""A question in words. PUBLIC.

::

    count where age >= 65 and sex = Female
    count where age between 18 and 64 or x in (a, 'b')
    share where income = '>50K'
    table sex by income, race
    top 3 occupation with counts
    total "hours-per-week" by sex
    mean age by sex over persons weight 2
    means age, "education-num" where sex is missing
    variance age by sex
    covariance age, "hours-per-week"
    correlation age, "hours-per-week"
    components age, "capital-gain", hours
    regression hours on age, "education-num"
    regression hours on age, sex reference Female
    logistic income on age, sex
    logistic (hours > 40 or age > 60) on sex, education
    median age where sex = Male
    quantiles .1, .5, .9 of age with interval
    best of [age < 30; age > 60] by count where sex = Female
    close to 0.42 within 0.05: share where sex = Female

Words of the language may be in capitals. Put names that are no plain words in double quotes.
Put values that are no plain words, numbers, days or months (2024-01) in single ones; double a
quote inside.

>>> parse("mean age by sex where hours between 1 and 80").where
And(parts=(Compare(column='hours', sign=<Sign.AT_LEAST: '>='>, value='1'), \
Compare(column='hours', sign=<Sign.AT_MOST: '<='>, value='80')))
"""

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import NoReturn

from synth import limits
from synth.domain import Lexeme, LexemeReader
from synth.questions.kinds.kind import QuestionKind
from synth.questions.kinds.registry import KINDS
from synth.questions.wording.candidates import parse_quantile
from synth.questions.wording.claimed import COMPARING, split_claim
from synth.questions.wording.condition import (
    Condition,
)
from synth.questions.wording.condition_text import condition_of, is_operand
from synth.questions.wording.lexemes import QUOTES, lexemes, refuse_place
from synth.questions.wording.question import OVER, Question, parse_weight
from synth.questions.wording.spelling import KEYWORDS


def parse(text: str) -> Question:
    """Return the question that a text in the language of questions means.

    Raises:
        QuestionError: It is no question; the message shows the place and the allowed parts.
        LimitError: It is too long, lists too many values, or is nested too deeply.

    >>> str(parse('COUNT where "hours-per-week" > 40 AND NOT (sex=Female or sex is null)'))
    'count where "hours-per-week" > 40 and not (sex = Female or sex is missing)'
    """
    claimed, text = split_claim(text) if isinstance(text, str) else (None, text)
    pieces = lexemes(text)
    words = [piece.word for piece in pieces]
    # The condition is all that follows the first "where".
    cut = words.index("where") if "where" in words else len(pieces)
    head = _Head(text, pieces[:cut])
    where = None if cut == len(pieces) else condition_of(text, pieces[cut + 1 :])
    question = head.question(where)
    if claimed is None:
        return question
    return replace(question, kind=KINDS[COMPARING], claimed=claimed)


_BEST = "best of [age < 30; age > 60] by count"
_NUMBER_EXAMPLES = {"weight": "2, 0.5 or 1/3", "quantiles": "0.1, 0.5 or 1/3"}


class _Head(LexemeReader[Question]):
    """Reads a question up to "where"."""

    def __init__(self, text: str, pieces: list[Lexeme]) -> None:
        """Begin at the first lexeme; no reference level has been read."""
        super().__init__(text, pieces)
        self.reference: list[tuple[str, str]] = []

    def question(self, where: Condition | None) -> Question:
        """Return the whole question; ``where`` is its condition, which was read already.

        Parts are read in the order in which they stand in the text. Only a kind that takes a
        part has it.
        """
        kind = self._kind()
        # Only the kind of most frequent values takes "with counts", and a number of them.
        k = self._k() if "counts" in kind.takes else 1
        quantiles = self._quantiles() if "quantiles" in kind.takes else ()
        candidates = self._candidates() if "candidates" in kind.takes else ()
        outcome = self._outcome() if "outcome" in kind.takes else None
        columns = self._columns(kind, outcome) if kind.columns[1] else ()
        by = self._names(", by") if self.take("by") else ()
        options = self._options()
        return Question(
            kind=kind,
            columns=columns,
            by=by,
            where=where,
            k=k,
            counts=options.get("with") == "counts",
            over=str(options.get("over", OVER[0])),
            weight=Fraction(options.get("weight", 1)),
            quantiles=quantiles,
            interval=options.get("with") == "interval",
            candidates=candidates,
            outcome=outcome,
            reference=tuple(self.reference),
        )

    def _columns(self, kind: QuestionKind, outcome: Condition | None) -> tuple[str, ...]:
        """Read the columns of a question; of a regression the outcome, then the regressors.

        A QuestionError names the place if something else stands there.

        Args:
            kind: The kind of question.
            outcome: The condition that is the outcome; None if a column is, or for other
                kinds.
        """
        if "on" not in kind.takes:
            return self._names(f", {kind.joined}")
        first = () if outcome is not None else (self._name(),)
        if not self.take("on"):
            self._refuse(
                f"write 'on' after the outcome of a '{kind}', and then other columns"
            )
        return (*first, *self._regressors())

    def _outcome(self) -> Condition | None:
        """Read the condition before "on"; None if a column stands there, or there is no "on".

        "on" within parentheses belongs to the condition.
        """
        depth = 0
        for place in range(self.place, len(self.pieces)):
            word = self.pieces[place].word
            # The number of open parentheses.
            if word == "(":
                depth += 1
            elif word == ")":
                depth -= 1
            if word == "on" and not depth and place > self.place:
                break
        else:
            return None
        outcome = self.pieces[self.place : place]
        # A single word is a column, which is read as such later.
        if len(outcome) == 1:
            return None
        self.place = place
        return condition_of(self.text, outcome)

    def _regressors(self) -> Iterator[str]:
        """Yield the names of regressors; reference levels are added to ``self.reference``."""
        while True:
            name = self._name()
            if self.take("reference"):
                self.reference.append((name, self._value()))
            yield name
            if not self.take(","):
                return

    def _value(self) -> str:
        """Read the value after "reference".

        A QuestionError names the place if something else stands there.
        """
        piece = self.next
        if piece is None or not is_operand(piece):
            self._refuse("write a value after 'reference', as in sex reference Female")
        self.place += 1
        return piece.text

    def _kind(self) -> QuestionKind:
        """Read the first word, which is the kind of question.

        A QuestionError names the place if something else stands there.
        """
        word = self.word
        if word not in KINDS:
            self._refuse(f"begin a question with one of {', '.join(KINDS)}")
        self.place += 1
        return KINDS[word]

    def _k(self) -> int:
        """Read the number of most frequent values; 1 if no number stands there.

        A QuestionError names the place of a number that is not whole, or too long.
        """
        piece = self.next
        if piece is None or piece.form != "number":
            return 1
        # The question itself checks the limit; very long numbers are not read at all.
        if not piece.text.isdigit() or len(piece.text) > 9:
            self._refuse(f"'top' takes a whole number from 1 to {limits.CATEGORIES:,}")
        self.place += 1
        return int(piece.text)

    def _quantiles(self) -> tuple[Fraction, ...]:
        """Read the quantiles with commas between them, and the "of" behind them.

        A QuestionError names the place if something else stands there.
        """
        quantiles = [parse_quantile(self._number("quantiles"))]
        while self.take(","):
            quantiles.append(parse_quantile(self._number("quantiles")))
        self._needs("of", "quantiles 0.1, 0.5, 0.9 of age")
        return tuple(quantiles)

    def _candidates(self) -> tuple[Condition, ...]:
        """Read "of", the conditions in brackets with semicolons between them, and "by count".

        A QuestionError names the place if something else stands there.
        """
        for word in ("of", "["):
            self._needs(word, _BEST)
        candidates = []
        start = self.place
        while (piece := self.next) is not None:
            self.place += 1
            if piece.word in (";", "]"):
                if self.place - 1 == start:
                    refuse_place(self.text, piece.start, "a candidate is missing before it")
                candidates.append(
                    condition_of(self.text, self.pieces[start : self.place - 1])
                )
                start = self.place
            if piece.word == "]":
                break
        else:
            self._refuse("']' closes the list of candidates")
        for word in ("by", "count"):
            self._needs(word, _BEST)
        return tuple(candidates)

    def _needs(self, word: str, example: str) -> None:
        """Go on behind a word that must be next; ``example`` shows a question with it."""
        if not self.take(word):
            self._refuse(f"write '{word}' here, as in {example}")

    def _names(self, separators: str) -> tuple[str, ...]:
        """Read names of columns, as long as a separator follows.

        ``separators`` are words or signs with blanks between them, such as ", by".
        """
        names = [self._name()]
        while any(self.take(separator) for separator in separators.split()):
            names.append(self._name())
        return tuple(names)

    def _name(self) -> str:
        """Read the name of a column; refuse words of the language that are not quoted.

        A QuestionError names the place if something else stands there.
        """
        piece = self.next
        if piece is None or piece.form not in ("word", "name") or piece.word in KEYWORDS:
            self._refuse(f"write the name of a column here; {QUOTES}")
        self.place += 1
        return piece.text

    def _options(self) -> dict[str, str | Fraction]:
        """Read the options behind the columns, each at most once.

        Returns what follows each of "with", "over" and "weight": a word, or the weight.
        """
        options: dict[str, str | Fraction] = {}
        while piece := self.next:
            option = piece.word
            if option not in ("with", "over", "weight") or option in options:
                self._refuse(
                    "write 'by', 'with counts', 'with interval', 'over rows', 'over "
                    f"persons', 'weight 2' or 'where' after the columns, each once; {QUOTES}"
                )
            self.place += 1
            is_weight = option == "weight"
            options[option] = (
                parse_weight(self._number(option)) if is_weight else self._word(option)
            )
        return options

    def _word(self, option: str) -> str:
        """Read one of the words that may follow "with" or "over".

        A QuestionError names the place if something else stands there.
        """
        words = ("counts", "interval") if option == "with" else OVER
        for word in words:
            if self.take(word):
                return word
        return self._refuse(f"write {' or '.join(words)} after '{option}'")

    def _number(self, after: str) -> str:
        """Read a number or a fraction, as text; ``after`` is the word before it, for
        messages.

        A QuestionError names the place if something else stands there.
        """
        piece = self.next
        if piece is None or piece.form != "number":
            self._refuse(f"write a number after '{after}', such as {_NUMBER_EXAMPLES[after]}")
        self.place += 1
        written = piece.text
        if self.take("/"):
            written += f"/{self.next.text if self.next else ''}"
            self.place += 1
        return written

    def _refuse(self, allowed: str) -> NoReturn:
        refuse_place(self.text, self.start, allowed)
