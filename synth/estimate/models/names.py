"""Methods and strategies by name, and what is public of each. PUBLIC.

A *method* is what the steward chooses, a *strategy* what a model follows in the end. A new one is
a line in each table here, a function in `synth.private.methods.strategies`, and its forecast in
`synth.forecasts.methods`.
"""

from dataclasses import dataclass
from enum import StrEnum


class Method(StrEnum):
    """How the table is modelled."""

    DENSE = "dense"
    """The histogram of all cells; refused where they are too many to enumerate."""
    AUTO = "auto"
    """The default: histogram, pairs or columns alone, by public numbers: rows, cells, epsilon."""
    HISTOGRAM = "histogram"
    """The histogram, of whatever size: a large one is released from a public threshold up."""
    INDEPENDENT = "independent"
    """Each column on its own."""
    TREE = "tree"
    """Columns, and a tree of pairs."""
    ONE_SHOT = "one-shot"
    """Columns, and all pairs that are worth it at once."""
    ADAPTIVE = "adaptive"
    """The same, then pair after pair where the fit is worst."""
    GROUPS = "groups"
    """The histograms of groups of columns that the steward names."""


HISTOGRAMS = (Method.DENSE, Method.HISTOGRAM)
"""The methods that release the histogram of all columns, and so need no delta."""


@dataclass(frozen=True)
class Words:
    """A method as people choose it: in a line, and in a word or two."""

    label: str
    short: str


METHODS = {
    Method.AUTO: Words(
        "Automatic: the histogram where it is best, else pairs of columns", "automatic"
    ),
    Method.DENSE: Words(
        "Histogram: every combination of all columns, for few columns", "histogram"
    ),
    Method.ONE_SHOT: Words(
        "Pairs at once: the pairs of columns that are worth it, for many columns", "pairs at once"
    ),
    Method.ADAPTIVE: Words(
        "Pair after pair: some of the budget goes where the fit is worst; slower",
        "pair after pair",
    ),
    Method.TREE: Words("Tree of pairs: the strongest links only; fast", "tree of pairs"),
    Method.GROUPS: Words(
        "My groups: a histogram of each group of columns that I name", "my groups"
    ),
    Method.INDEPENDENT: Words(
        "Columns alone: no links between them, for very little budget", "columns alone"
    ),
    Method.HISTOGRAM: Words(
        "Large histogram: of any size, only counts above a threshold are listed",
        "large histogram",
    ),
}
"""All methods, in the order in which they are offered."""


class Favour(StrEnum):
    """What the rows are nearest to, where pairs are joined; either costs no privacy."""

    ERRORS = "errors"
    """Cells of pairs: the least share of rows in the wrong place."""
    ASSOCIATIONS = "associations"
    """The strength of associations, for correlations, regressions and classifiers."""


FAVOURS = {
    Favour.ERRORS: Words("Counts: the fewest rows in the wrong place", "counts"),
    Favour.ASSOCIATIONS: Words(
        "Associations: as strong as the noisy counts say, for a little more error", "associations"
    ),
}
"""What rows may favour, in the order in which it is offered."""


class Strategy(StrEnum):
    """The names of the strategies."""

    AUTO = "auto"
    INDEPENDENT = "independent"
    TREE = "tree"
    ADAPTIVE = "adaptive"
    ONE_SHOT = "one-shot"
    GROUPS = "groups"
    WHOLE = "histogram"
    """All columns in one histogram."""


@dataclass(frozen=True)
class Traits:
    """What follows from a strategy, whatever the rows.

    Attributes:
        by_pairs: It measures distances of pairs first, and needs one pair that fits the memory.
        grouped: It measures the groups that the steward names.
        whole: It measures all columns in one histogram, after what sizes it up.
        classes: Latent classes join its pairs; otherwise each pair is repaired by itself.
        leads_to: The strategies that a release may follow in the end where this is the request.
    """

    by_pairs: bool = False
    grouped: bool = False
    whole: bool = False
    classes: bool = False
    leads_to: tuple[Strategy, ...] = ()

    @property
    def is_independent(self) -> bool:
        """Whether it takes columns for independent."""
        return not (self.by_pairs or self.is_joint)

    @property
    def is_joint(self) -> bool:
        """Whether a column is what a histogram of several says."""
        return self.grouped or self.whole

    @property
    def widest(self) -> int:
        """Most columns of a histogram, groups and the whole apart."""
        return 1 if self.whole or self.is_independent else 2


STRATEGIES = {
    Strategy.AUTO: Traits(
        by_pairs=True, leads_to=(Strategy.WHOLE, Strategy.ONE_SHOT, Strategy.INDEPENDENT)
    ),
    Strategy.INDEPENDENT: Traits(leads_to=(Strategy.INDEPENDENT,)),
    Strategy.TREE: Traits(by_pairs=True, leads_to=(Strategy.TREE, Strategy.INDEPENDENT)),
    Strategy.ADAPTIVE: Traits(
        by_pairs=True, classes=True, leads_to=(Strategy.ADAPTIVE, Strategy.INDEPENDENT)
    ),
    Strategy.ONE_SHOT: Traits(
        by_pairs=True, classes=True, leads_to=(Strategy.ONE_SHOT, Strategy.INDEPENDENT)
    ),
    Strategy.GROUPS: Traits(grouped=True, leads_to=(Strategy.GROUPS,)),
    Strategy.WHOLE: Traits(whole=True),
}
"""All strategies; *histogram* is none to ask for, only *auto* leads to it."""

FAVOURING = (Method.AUTO, Method.ONE_SHOT, Method.ADAPTIVE)
"""The methods that may lead to rows settled on pairs, which is where something can be favoured."""
