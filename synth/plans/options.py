"""Every option of releases and inquiries, for command line, Python and files. PUBLIC.

>>> OPTIONS["delta"].from_text("1e-3"), OPTIONS["favour"].from_call("errors").value
(Fraction(1, 1000), 'errors')
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from synth import estimate, limits
from synth.domain import read_schema, thaw, write_schema
from synth.door import read_check
from synth.errors import ArgumentError, describe_value
from synth.estimate import AUTO_SUMS, Favour, Method, Repair
from synth.plans.codecs import (
    JSON,
    LISTS,
    TEXT,
    TEXTS,
    TRUTH,
    WHOLES,
    Codec,
    find_word,
    keep_value,
    optional_codec,
    reader_of,
    word_codec,
)
from synth.privacy import (
    Guarantee,
    Neighbors,
    RowReading,
    parse_epsilon,
    parse_rational,
    parse_rho,
    parse_whole,
)

if TYPE_CHECKING:
    from synth.drafting import Candidates
    from synth.estimate import PublicSource
    from synth.util import Document

# The name of a table that has no others beside it.
ALONE = ""


def flag_of(name: str) -> str:
    """Return an option's name on the command line.

    >>> flag_of("max_rows")
    '--max-rows'
    """
    return f"--{name.replace('_', '-')}"


@dataclass(frozen=True, kw_only=True)
class SpendOption:
    """One option.

    Attributes:
        name: Its name everywhere; the command line uses hyphens.
        meaning: Its help on the command line.
        metavar: The placeholder of its value.
        default: Its default; False for an option without a value.
        words: The possible words, if they are few.
        from_text: Reads its value on the command line.
        from_call: Reads its value in a Python call.
        codec: Its form in a plan file.
        seldom: Whether a plan file leaves the default out, and an empty list.
        several: Whether the command line takes it several times.
        letter: Its short name on the command line, such as "-o"; empty for none.
    """

    name: str
    meaning: str = ""
    metavar: str | None = None
    default: Any = None
    words: Iterable[str] | None = None
    from_text: Callable[[str], Any] = keep_value
    from_call: Callable[[Any], Any] = keep_value
    codec: Codec = JSON
    seldom: bool = False
    several: bool = False
    letter: str = ""

    @property
    def flag(self) -> str:
        """Its name on the command line."""
        return flag_of(self.name)


class RegistryWords:
    """The names in a registry, which is imported when no usual name is the one.

    Args:
        find: Returns the registry.
        usual: Names that the registry is known to have, in its order. Others come after them.
    """

    def __init__(
        self, find: Callable[[], Iterable[str]], usual: Collection[str] = ()
    ) -> None:
        self._find = find
        self._usual = usual

    def __iter__(self) -> Iterator[str]:
        """Yield the names in the registry's order."""
        yield from self._usual
        for name in self._find():
            if name not in self._usual:
                yield name


def read_word(words: Iterable[str], name: str, value: str) -> Any:
    """Return the one of a few words that equals a value.

    ``words`` may be an enumeration: then its member is returned. ``name`` is the option's
    name in the error.

    Raises:
        ArgumentError: The value is none of the words.
    """
    # Blanks, capitals and "_" in place of "-" say the same: replace_one is replace-one.
    spelled = value.strip().lower().replace("_", "-") if isinstance(value, str) else value
    try:
        return find_word(words, spelled)
    except ValueError:  # raised below, without this error in the traceback
        allowed = ", ".join(words)
        message = f"{name} must be one of {allowed}, but it is {describe_value(value)}."
    raise ArgumentError(message)


def parse_error(text: str) -> Fraction:
    """Read the average error that somebody wishes for, as an exact number.

    Raises:
        ArgumentError: The text is no number above 0.
    """
    error = parse_rational(text, name="--error")
    if error <= 0:
        raise ArgumentError(f"--error must be above 0, but it is {text}.")
    return error


def parse_delta(text: str) -> Fraction:
    """Read the delta of an (epsilon, delta) guarantee, as an exact number.

    Raises:
        ArgumentError: The text is no number above 0.
    """
    delta = parse_rational(text, name="delta")
    if delta <= 0:
        raise ArgumentError("delta must be above 0; leave it out for pure epsilon.")
    return delta


def split_names(text: str) -> tuple[str, ...]:
    """Split names at commas.

    >>> split_names("age, sex")
    ('age', 'sex')
    """
    return tuple(name.strip() for name in text.split(","))


def split_terms(text: str | Sequence[str]) -> tuple[str, ...]:
    """Return the terms of the sums of numbers that are to be measured, such as "age*income".

    A text is split at commas; "none" and an empty text give no terms.

    >>> split_terms("means, age*income"), split_terms("none"), split_terms(["a*b"])
    (('means', 'age*income'), (), ('a*b',))
    """
    terms = split_names(text) if isinstance(text, str) else tuple(map(str, text))
    return () if terms in (("none",), ("",)) else terms


_DELTA = Codec(str, partial(parse_rational, name="delta"))
DOMAIN = Codec(write_schema, lambda content: read_schema(reader_of(dict)(content)))


def _read_public(content: "Document") -> "PublicSource":
    """Return the statement about a public table that some JSON stands for."""
    from synth.estimate import PublicSource

    return PublicSource.from_json(content)


_PUBLIC = Codec(lambda source: source.to_json(), _read_public)


def _read_candidates(path: str) -> "Candidates":
    """Return the lists of values in a JSON file, which a draft looks for."""
    from synth.drafting import read_candidates

    return read_candidates(path)


def split_groups(text: str) -> tuple[tuple[str, ...], ...]:
    """Split groups of names at semicolons, and each at commas."""
    return tuple(map(split_names, text.split(";")))


def choose_guarantee(value_of: Callable[[str], Any]) -> Guarantee:
    """Return the guarantee that an inquiry spends: a rho, or an epsilon with a delta.

    Without a rho and an epsilon, epsilon is 1. That is for forecasts that find the epsilon.

    Args:
        value_of: Returns the value of an option, by the option's name.
    """
    if (rho := value_of("rho")) is not None:
        return Guarantee.zcdp(rho)
    return Guarantee.of(value_of("epsilon") or 1, value_of("delta"))


def _word(
    name: str,
    words: Iterable[str],
    default: StrEnum,
    *,
    meaning: str = "",
    seldom: bool = False,
) -> SpendOption:
    """Return an option that takes one of some words.

    Args:
        name: The option's name.
        words: An enumeration, or the names of a registry.
        default: The word without the option.
        meaning: Its help on the command line.
        seldom: Whether a plan file leaves the default out.
    """
    codec = word_codec(words)
    reader = partial(read_word, words, name)
    return SpendOption(
        name=name,
        meaning=meaning,
        metavar=None,
        default=default,
        words=words,
        from_text=reader,
        from_call=reader,
        codec=codec,
        seldom=seldom,
    )


class _Wholes(NamedTuple):
    """The whole numbers that an option takes: from 1 up to the largest.

    Attributes:
        largest: The largest number.
        example: A number that an error shows.
    """

    largest: int
    example: int


def _count(
    name: str,
    meaning: str,
    metavar: str,
    *,
    wholes: _Wholes,
    default: int | None = None,
) -> SpendOption:
    """Return an option that takes a whole number.

    Args:
        name: The option's name.
        meaning: Its help on the command line.
        metavar: The placeholder of its value there.
        wholes: The numbers that it takes.
        default: The number without the option; None if it may be absent.
    """
    reader = partial(
        parse_whole, name=flag_of(name), most=wholes.largest, example=wholes.example
    )
    codec = optional_codec(WHOLES) if default is None else WHOLES
    return SpendOption(
        name=name,
        meaning=meaning,
        metavar=metavar,
        default=default,
        from_text=reader,
        codec=codec,
    )


# Options in a plan file, in order.
IN_PLAN = (
    SpendOption(
        name="domain",
        meaning="the declaration of the columns (Table Schema JSON)",
        metavar="FILE",
        from_text=read_schema,
        codec=DOMAIN,
    ),
    SpendOption(
        name="epsilon",
        meaning="the privacy budget to spend, such as 1, 0.5 or 1/3",
        metavar="E",
        from_text=parse_epsilon,
        from_call=parse_epsilon,
        codec=Codec(str, parse_epsilon),
    ),
    _word(
        "neighbors",
        Neighbors,
        Neighbors.REPLACE_ONE,
        meaning="tables that the guarantee compares (default: replace-one)",
    ),
    _word(
        "method",
        RegistryWords(lambda: estimate.RECIPES),
        Method.AUTO,
        meaning=(
            "auto (default): chooses by public numbers (cells, epsilon, rows or their noisy "
            "number); dense: the histogram of all cells; histogram: of any size, counts "
            "above a public threshold; the others measure a few columns at a time and join "
            "them by a model"
        ),
    ),
    _word(
        "repair",
        RegistryWords(lambda: estimate.REPAIRS, usual=tuple(Repair)),
        Repair.AUTO,
        meaning="how to correct impossible counts (default: auto)",
    ),
    SpendOption(
        name="repair_seen",
        meaning=(
            "say in the certificate that you chose the repair after comparing synthetic rows "
            "with the real ones"
        ),
        default=False,
        codec=TRUTH,
        seldom=True,
    ),
    _count(
        "rows", "number of synthetic rows", "N", wholes=_Wholes(limits.ROWS_MAX, example=1000)
    ),
    SpendOption(
        name="dataset",
        meaning="the dataset's name: one name and one budget for all tables about the same "
        "people",
        metavar="NAME",
        default="table",
        codec=TEXT,
    ),
    SpendOption(
        name="delta",
        meaning="for a model: less noise for a weaker guarantee (by Gaussian DP), such as "
        "1e-9",
        metavar="D",
        default=Fraction(0),
        from_text=parse_delta,
        from_call=_DELTA.decode,
        codec=_DELTA,
    ),
    SpendOption(
        name="groups",
        meaning="for groups: columns of each group",
        metavar="a,b;c,d",
        default=(),
        from_text=split_groups,
        codec=LISTS,
    ),
    SpendOption(
        name="rules",
        meaning="JSON of public rules, true of every row",
        metavar="FILE",
        from_text=lambda path: estimate.load_rules(path),
        codec=optional_codec(Codec(thaw, reader_of(dict))),
    ),
    _count(
        "max_model_mb",
        f"memory of a model (default: {limits.MODEL_MB})",
        "MB",
        default=limits.MODEL_MB,
        wholes=_Wholes(10**9, example=512),
    ),
    SpendOption(
        name="person",
        meaning="the column that identifies persons (default: each row is a person)",
        metavar="COLUMN",
        default="",
        codec=TEXT,
    ),
    _count(
        "max_rows",
        "most rows of one person that count (default: 1)",
        "K",
        default=1,
        wholes=_Wholes(limits.ROWS_MAX, example=4),
    ),
    SpendOption(
        name="public",
        meaning=(
            "a public table with some or all of the columns, as a first guess: last year's, "
            "a census extract, the bundle of an earlier release. It is not protected"
        ),
        metavar="FILE",
        codec=optional_codec(_PUBLIC),
        seldom=True,
    ),
    _word(
        "favour",
        Favour,
        Favour.ERRORS,
        meaning=(
            "optimise for counts (errors, default) or associations, such as correlations; "
            "for auto, one-shot and adaptive, at no cost"
        ),
        seldom=True,
    ),
    SpendOption(
        name="predict",
        meaning=(
            "the column that analysts will predict: measures its pairs first; for auto, "
            "one-shot and adaptive"
        ),
        metavar="COLUMN",
        default="",
        codec=TEXT,
        seldom=True,
    ),
    SpendOption(
        name="moments",
        meaning=(
            "sums of numbers for means and correlations: auto (default: means, if the method "
            "is auto and they help), none, means, pairs, or names and pairs of columns"
        ),
        metavar="auto|none|means|pairs|a*b,..",
        default=(AUTO_SUMS,),
        from_text=split_terms,
        from_call=split_terms,
        codec=TEXTS,
        seldom=True,
    ),
    _word("reading", RowReading, RowReading.LINES, seldom=True),
)
WAYS = (
    "laplace gaussian elliptical l2 l-infinity histogram hierarchy marginals fitted choice "
    "release"
).split()
# Options of a release that are not in its plan.
_BESIDE_PLAN = (
    SpendOption(
        name="columns",
        meaning="use these columns only",
        metavar="a,b,..",
        from_text=split_names,
    ),
    SpendOption(
        name="plan",
        meaning="plan.json of a bundle, instead of the options below",
        metavar="FILE",
    ),
    SpendOption(
        name="vouched_by",
        meaning="who declares that the public table is public",
        metavar="NAME",
        default="",
    ),
    SpendOption(
        name="in_parts",
        meaning=(
            "write a folder of rows in parts, for tables too large for one machine; with "
            "--engine spark its workers write them"
        ),
        default=False,
    ),
    SpendOption(
        name="score",
        meaning="also release the error of pairs, for this additional epsilon",
        metavar="E",
        from_text=parse_epsilon,
    ),
    SpendOption(
        name="check",
        meaning=(
            "first count the rows that fit, for this additional epsilon; or FILE, an earlier "
            "check"
        ),
        metavar="E|FILE",
        from_text=read_check,
    ),
    SpendOption(
        name="anyway", meaning="release even if few rows fit, or none", default=False
    ),
    SpendOption(
        name="vouch",
        meaning="you vouch that all values taken from the rows are public",
        default=False,
    ),
)
_OF_INQUIRY = (
    SpendOption(
        name="question",
        meaning="such as 'mean age by sex'; may be given several times",
        metavar="TEXT",
        default=(),
        several=True,
    ),
    SpendOption(name="questions", meaning="a JSON list of questions", metavar="FILE.json"),
    SpendOption(
        name="request",
        meaning="a request of somebody who found a figure; counts as one of their checks",
        metavar="FILE.json",
    ),
    SpendOption(
        name="rho",
        meaning="instead of epsilon: the rho of zCDP",
        metavar="R",
        from_text=parse_rho,
        from_call=optional_codec(Codec(str, parse_rho)).decode,
    ),
    SpendOption(
        name="way",
        meaning=f"the noise: auto (default: of least average error), {', '.join(WAYS)}",
        default="auto",
        metavar="WAY",
    ),
    SpendOption(
        name="release",
        meaning=(
            "a release of the same table, which answers for free what it knows well enough; "
            "with --way release it answers everything, without TABLE and --epsilon"
        ),
        metavar="BUNDLE.zip",
    ),
    SpendOption(
        name="forecast",
        meaning="only show the average errors: spends nothing, reads no table; needs --rows",
        default=False,
    ),
    SpendOption(name="ways", meaning="with --forecast: compare all ways", default=False),
    SpendOption(
        name="error",
        meaning=(
            "with --forecast, instead of --epsilon: show the spend for this average error "
            "of every answer, in its unit (rows, rows of rank, a share of 1, days)"
        ),
        metavar="T",
        from_text=parse_error,
    ),
)
_OF_SPENDS = (
    SpendOption(
        name="ledger",
        meaning="the ledger that records the spend; by default this machine's, which the app "
        "has too",
        metavar="FILE",
    ),
    SpendOption(
        name="no_ledger",
        meaning="record nothing: the same command would spend again, unseen",
        default=False,
    ),
    SpendOption(
        name="new_dataset",
        meaning="give NAME its own budget, although the ledger may know these people",
        default=False,
    ),
    SpendOption(
        name="budget",
        meaning="the total budget of the dataset; set once (see `ledger budget`)",
        metavar="E",
    ),
    SpendOption(
        name="as",
        meaning="who you are, if the spend needs two persons; Synth asks for your passphrase",
        metavar="NAME",
    ),
    SpendOption(
        name="project",
        meaning="the project whose reserved budget pays (see `ledger reserve`)",
        metavar="NAME",
    ),
    SpendOption(name="out", letter="-o", metavar="PATH"),
    SpendOption(
        name="overwrite",
        meaning=(
            "replace files that are there already; an input or the ledger never. Without it, "
            "a file stays: one that holds this very result does, and any other is a reason "
            "to refuse"
        ),
        default=False,
    ),
    SpendOption(
        name="look",
        meaning="exact numbers, free and for you alone; from then on the guarantee says that "
        "the declaration may depend on the table",
        default=False,
    ),
    SpendOption(
        name="candidates",
        meaning='JSON of values to look for: {"grade": ["low"]}',
        metavar="FILE",
        default=None,
        from_text=_read_candidates,
    ),
)
_ALL_OPTIONS = (*IN_PLAN, *_BESIDE_PLAN, *_OF_INQUIRY, *_OF_SPENDS)
OPTIONS = {option.name: option for option in _ALL_OPTIONS}


def read_arguments(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of the arguments of a Python call, by the names of the options.

    ``arguments`` has them as they were given, by the same names.

    Raises:
        SynthError: An argument is wrong.
    """
    return {name: OPTIONS[name].from_call(value) for name, value in arguments.items()}
