"""A comparison and its views. PRIVATE: it stays in the session."""

from dataclasses import dataclass, field
from functools import cached_property

from pages.ui.shell.release import Release
from synth.estimate import Repaired, side_by_side
from synth.private.comparison import (
    Association,
    BesidePublic,
    Compared,
    DerivedComparison,
    NumberParts,
    Parts,
    RealError,
    Training,
    all_parts,
    compare_derived,
    compare_tables,
    measure_associations,
    number_parts,
    read_columns,
    real_errors,
)
from synth.util import Names


@dataclass(frozen=True, eq=False)
class Looked:
    """A comparison, whose parts are computed when they are first shown.

    Attributes:
        compared: Both tables.
        trained: Tests of classifiers by the predicted column.
        by_public: Comparisons with a public table by its digest.
    """

    compared: Compared
    trained: dict[str, Training] = field(default_factory=dict)
    by_public: dict[str, BesidePublic] = field(default_factory=dict)

    def __repr__(self) -> str:
        return "Looked(private)"

    @cached_property
    def parts(self) -> dict[Names, Parts]:
        """Return the parts of the error of each column and each pair, by its names.

        The parts are rows left out, noise with its repair or model, and drawing.
        """
        return all_parts(self.compared)

    @cached_property
    def numbers(self) -> dict[str, NumberParts]:
        """Return the effect of each step on every numeric or date column, by its name.

        The steps are binning, noise and drawing. This reads the table again.
        """
        return number_parts(
            self.compared, read_columns(self.compared.table, self.compared.domain)
        )

    @cached_property
    def associations(self) -> dict[Names, Association]:
        """Return real and synthetic associations (Cramér's V) of pairs, by their names."""
        return measure_associations(self.compared)

    @cached_property
    def derived_columns(self) -> list[DerivedComparison]:
        """Return the errors of derived columns. This reads the table again."""
        return compare_derived(self.compared)

    @cached_property
    def repairs(self) -> tuple[list[Repaired], dict[str, RealError]]:
        """Return the noisy counts after each repair, and each repair's real error.

        The errors are by the name of the repair. A repair removes negative counts.
        """
        repaired = side_by_side(self.compared.result.record.histogram)
        return repaired, real_errors(self.compared, repaired)


def compare_release(release: Release) -> Looked:
    """Return the comparison of a release with its table."""
    assert release.source is not None  # the step is locked without a table
    return Looked(compare_tables(release.source.table, release.result))
