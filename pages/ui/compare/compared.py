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
    """Each part is computed when first shown."""

    seen: Compared
    trained: dict[str, Training] = field(default_factory=dict)
    beside: dict[str, BesidePublic] = field(default_factory=dict)

    def __repr__(self) -> str:
        return "Looked(private)"

    @cached_property
    def parts(self) -> dict[Names, Parts]:
        return all_parts(self.seen)

    @cached_property
    def numbers(self) -> dict[str, NumberParts]:
        """It reads the table again."""
        return number_parts(self.seen, read_columns(self.seen.table, self.seen.domain))

    @cached_property
    def associations(self) -> dict[Names, Association]:
        return measure_associations(self.seen)

    @cached_property
    def derived_columns(self) -> list[DerivedComparison]:
        """It reads the table again."""
        return compare_derived(self.seen)

    @cached_property
    def repairs(self) -> tuple[list[Repaired], dict[str, RealError]]:
        found = side_by_side(self.seen.result.record.histogram)
        return found, real_errors(self.seen, found)


def compare_release(release: Release) -> Looked:
    assert release.source is not None
    return Looked(compare_tables(release.source.table, release.result))
