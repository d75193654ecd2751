"""Suggest a question in the words of the language for one that was not understood. PUBLIC.

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
>>> suggest_question("how many people over 65 by sex", domain)
'table sex where age > 65'
>>> suggest_question("average income of women", domain)
'mean income where sex = female'
"""

import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from difflib import get_close_matches

from synth import limits
from synth.domain import Binned, Domain
from synth.errors import QuestionError, SynthError
from synth.questions.checking import MAX_COMPARED_NAMES, check_question
from synth.questions.wording.condition import And, Compare, Condition, Sign
from synth.questions.wording.language import parse
from synth.questions.wording.question import Question
from synth.questions.wording.spelling import name_text

_PIECE = re.compile(r"\"[^\"]*\"|'[^']*'|[<>=!]+|-?\d+(?:\.\d+)?|[^\W\d][\w-]*")
_KINDS = {
    "count": "count number many",
    "share": "share percentage percent proportion fraction part",
    "mean": "mean average avg",
    "total": "total sum",
    "median": "median",
    "top": "common frequent top popular",
}
_KIND_OF = {word: kind for kind, words in _KINDS.items() for word in words.split()}
_GROUPING = frozenset("by per each across split grouped".split())
_FILLERS = frozenset(
    "a an the of in is are was were what which how who that with whose having where and for "
    "among me show give find tell there do does did have has all people persons person "
    "patients rows records years year old aged most table".split()
)
_SIGNS: Mapping[str, tuple[str, ...]] = {
    ">=": (
        ">=",
        "at least",
        "or older",
        "and older",
        "or more",
        "and over",
        "or over",
        "from",
    ),
    "<=": ("<=", "at most", "or younger", "and younger", "or less", "and under", "up to"),
    ">": (">", "over", "above", "older than", "more than", "greater than", "higher than"),
    "<": ("<", "under", "below", "younger than", "less than", "fewer than", "lower than"),
    "=": ("=", "==", "equals", "equal to", "exactly"),
}
_SIGN_OF = {tuple(phrase.split()): sign for sign, all_ in _SIGNS.items() for phrase in all_}
_AGES = ("age", "years", "alter")
_SEXES = {"women": "female", "woman": "female", "men": "male", "man": "male"}


def read_question(
    question: str | Question,
    domain: Domain,
    check: Callable[[Question], Question] | None = None,
) -> Question:
    """Return a question, read and checked; if it is none, the error suggests its likely
    meaning.

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
        suggestion = "" if needs_no_suggestion else suggest_question(str(question), domain)
        if not suggestion:
            raise
        # Of a message on a place in the text, the hint after the place is dropped.
        why = re.sub(r"(\(character [\d,]+\)): .*", r"\1.", str(error))
        raise QuestionError(f"{why} Did you mean: {suggestion}") from None


def suggest_question(text: str, domain: Domain) -> str:
    """Return the question that a text in everyday words may mean; empty if that is unclear.

    >>> from synth.domain import Categorical, Domain, Integer
    >>> domain = Domain(
    ...     (
    ...         Categorical(name="sex", categories=("f", "m")),
    ...         Integer(name="age", minimum=0, maximum=99),
    ...     )
    ... )
    >>> suggest_question("count where age >= 65 by sex", domain)
    'table sex where age >= 65'
    >>> suggest_question("how tall are they", domain)
    ''
    """
    if not isinstance(text, str) or len(text) > limits.QUESTION_LENGTH:
        return ""
    # Both errors mean that a word is unknown, or that the question cannot be asked.
    with suppress(SynthError, ValueError):
        return _Reworder(text, domain).question()
    return ""


class _Reworder:
    """Reads everyday words one after another, and collects the parts of a question."""

    def __init__(self, text: str, domain: Domain) -> None:
        """Split a text into words, and list the names and values that they may mean."""
        self.domain = domain
        self.words = _PIECE.findall(text.casefold())[: limits.QUOTED]
        self.columns = {_key(name): name for name in domain.names[:MAX_COMPARED_NAMES]}
        # A category or its meaning, simplified: the column and the category as declared.
        self.values: dict[str, tuple[str, str]] = {}
        for column in domain.columns[:MAX_COMPARED_NAMES]:
            for label in (
                () if isinstance(column, Binned) else column.labels[:MAX_COMPARED_NAMES]
            ):
                for text_of_value in {label, column.meanings.get(label, label)}:
                    self.values[_key(text_of_value)] = (column.name, label)
        # The next word, the kind of question, and how many most frequent values it asks for.
        self.place = 0
        self.kind = ""
        self.number = ""
        # Whether "by" or the like came before, and whether a column was just named.
        self.is_grouping = self.is_near = False
        # Columns that it asks about, columns of groups, and conditions.
        self.named: list[str] = []
        self.groups: list[str] = []
        self.where: list[Condition] = []

    def question(self) -> str:
        """Return the words as a question in the language of questions.

        Raises:
            ValueError: A word is unknown.
            SynthError: The question can't be asked.
        """
        while self.place < len(self.words):
            self._read()
        # Only "top" takes a number that is in no comparison.
        if self.number and self.kind != "top":
            raise ValueError
        return str(check_question(parse(self._text()), self.domain))

    def _read(self) -> None:
        """Read the next words into the question, and go on behind them.

        Raises:
            ValueError: The words mean nothing here.
        """
        word = self.words[self.place]
        if word in _GROUPING:
            self.is_grouping = True
            self.place = self.place + 1
        # Each of these reads what it can, and goes on behind it.
        elif self._take_comparison() or self._take_column() or self._take_value():
            pass
        elif word in _KIND_OF and not self.kind:
            self.kind = _KIND_OF[word]
            self.place = self.place + 1
            # After "how many" or "number of" any unknown noun is skipped, such as "people".
            if word in ("many", "number"):
                self.place += self.words[self.place : self.place + 1] == ["of"]
                self.place += not self._is_known(self.place)
        elif word in _FILLERS or word in _KIND_OF:
            # A condition ends the list of groups.
            begins_condition = word in ("where", "with", "whose", "of")
            self.is_grouping = self.is_grouping and not begins_condition
            # In "age is over 65" the column still stands beside its number.
            self.is_near = self.is_near and word in ("is", "are")
            self.place += 1
        elif re.fullmatch(r"\d+", word) and not self.number:
            self.number = word
            self.place = self.place + 1
        else:
            raise ValueError

    def _is_known(self, place: int) -> bool:
        """Return whether the word at a place means something here, or the words are at an
        end.

        It may be a filler, a column, a value, or the first word of a comparison.
        """
        if place >= len(self.words):
            return True
        word = self.words[place]
        is_word = (
            word in _GROUPING or word in _FILLERS or any(word == key[0] for key in _SIGN_OF)
        )
        return (
            is_word
            or bool(self._column_at(place)[0])
            or _singular(word, self.values) is not None
        )

    def _take_comparison(self) -> bool:
        """Read "between a and b", or a comparison with a number; return whether there is one.

        It adds conditions and goes on behind the words. A sign may stand before its number,
        as in "over 65", or behind it, as in "65 or older".
        """
        words = self.words
        i = self.place
        if words[i] == "between" and len(words) > i + 3 and words[i + 2] == "and":
            low, high = words[i + 1], words[i + 3]
            column = self._number_column(low)
            self.where += [_compare(column, ">=", low), _compare(column, "<=", high)]
            self.place += 4
            return True
        number_first = _is_number(words[i])
        sign, size = self._sign_at(i + number_first)
        # Behind a number only "or more" and the like make sense.
        if not sign or (number_first and not sign.endswith("=")):
            return False
        value = ""
        if number_first:
            value = words[i]
        elif i + size < len(words):
            value = words[i + size]
        if not _is_number(value):
            return False
        self.where.append(_compare(self._number_column(value), sign, value))
        self.place += size + 1
        return True

    def _sign_at(self, place: int) -> tuple[str, int]:
        """Return the sign that the words at a place mean, and how many words these are.

        Empty and 0 if they mean none.
        """
        # Signs in words have one word or two.
        for size in (2, 1):
            if sign := _SIGN_OF.get(tuple(self.words[place : place + size])):
                return sign, size
        return "", 0

    def _number_column(self, value: str) -> str:
        """Return the column with which a number is compared if no name stands beside it.

        It is the column just named, else the only column of ages, else the only one whose
        range holds the number.

        Raises:
            ValueError: Several columns are possible, or none.
        """
        # Such a column belongs to the condition, and is not what the question asks about.
        if self.is_near and isinstance(self.domain[self.named[-1]], Binned):
            self.is_near = False
            return self.named.pop()
        numbers = [c for c in self.domain.columns if isinstance(c, Binned) and c.adds_up]
        ages = [
            c.name
            for c in numbers
            if set(_AGES) & set(re.split(r"[\W_]+", c.name.casefold()))
        ]
        fitting = [
            c.name for c in numbers if float(c.minimum) <= float(value) <= float(c.maximum)
        ]
        if len(ages) == 1:
            return ages[0]
        # Unpacking raises the ValueError.
        (only,) = fitting
        return only

    def _column_at(self, place: int) -> tuple[str, int]:
        """Return the column that the words at a place name, and how many words these are.

        A single word may be misspelled. Empty and 0 if the words name no column.
        """
        # Names of up to four words, the longest first.
        for size in (4, 3, 2, 1):
            span = self.words[place : place + size]
            key = _singular("".join(map(_key, span)), self.columns)
            # A word of signs alone has an empty key, and is no part of a name.
            if len(span) == size and all(map(_key, span)) and key is not None:
                return self.columns[key], size
        word = self.words[place]
        # Only very similar names, such as one wrong letter in a word of seven.
        near = get_close_matches(_key(word), self.columns, n=1, cutoff=0.85)
        taken = word in _FILLERS or word in _KIND_OF or word in _GROUPING
        return (self.columns[near[0]], 1) if near and not taken else ("", 0)

    def _take_column(self) -> bool:
        """Read a column's name, if one is next; return whether there was one.

        After "by" or the like it is a group. Before "=" or "equals" it begins a condition.
        Otherwise it is what the question asks about.
        """
        # Empty and 0 if no column is named here.
        name, size = self._column_at(self.place)
        self.place += size
        if name and self._sign_at(self.place)[0] == "=" and self.place + 1 < len(self.words):
            self._take_equal(name)
        elif name:
            (self.groups if self.is_grouping else self.named).append(name)
            self.is_near = not self.is_grouping
        return bool(name)

    def _take_equal(self, name: str) -> None:
        """Read the sign "=", one word, and the value behind it into a condition on a column.

        Raises:
            ValueError: The word is neither a number nor a value of this column.
        """
        # The simplified value, and the column and the category that it belongs to.
        value = _singular(self.words[self.place + 1], self.values) or ""
        column, label = self.values.get(value, ("", ""))
        if column != name and not _is_number(self.words[self.place + 1]):
            raise ValueError
        label = label if column == name else self.words[self.place + 1]
        self.where.append(_compare(name, "=", label))
        self.place += 2

    def _take_value(self) -> bool:
        """Read a category into the condition that its column has it; return whether there is
        one.
        """
        word = self.words[self.place]
        key = _singular(_SEXES.get(word, word), self.values)
        if key is None:
            return False
        self.where.append(_compare(self.values[key][0], "=", self.values[key][1]))
        self.place += 1
        return True

    def _text(self) -> str:
        """Return the words that were read, in the language of questions.

        Raises:
            ValueError: They make no question.
        """
        kind = self.kind
        columns = self.named
        groups = self.groups
        where = self.where
        # Counts by cells of columns are a table, and several means are "means". A share takes
        # no groups.
        if kind in ("", "count") and (columns or groups):
            kind = "table"
            columns = [*groups, *columns]
            groups = []
        elif kind == "share" and groups:
            raise ValueError
        elif kind == "mean" and len(columns) > 1 and not groups:
            kind = "means"
        if not (self.kind or columns or groups or where):
            raise ValueError
        words = [kind or "count"]
        if kind == "top":
            words.append(self.number or "1")
        if columns:
            words.append(", ".join(map(name_text, columns)))
        if groups:
            words.append(f"by {', '.join(map(name_text, groups))}")
        if where:
            condition = where[0] if len(where) == 1 else And(tuple(where))
            words.append(f"where {condition}")
        return " ".join(words)


def _key(word: str) -> str:
    return re.sub(r"[\W_]+", "", word.casefold())


def _singular(word: str, names: Mapping[str, object]) -> str | None:
    """Return the name that a word means, with or without a plural s; None if it is none.

    ``names`` has simplified names as its keys.
    """
    key = _key(word)
    return next(
        (form for form in (key, key.removesuffix("s"), f"{key}s") if form in names), None
    )


def _is_number(word: str) -> bool:
    return re.fullmatch(r"-?\d+(?:\.\d+)?", word) is not None


def _compare(column: str, sign: str, value: str) -> Compare:
    return Compare(column, Sign(sign), value)
