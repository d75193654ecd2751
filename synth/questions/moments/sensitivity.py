"""How far one person moves all sums of a question together. PUBLIC."""

from collections.abc import Sequence

from synth.domain import Steps
from synth.errors import ArgumentError
from synth.privacy import Neighbors, Sensitivity
from synth.questions.kinds.entries import entries_of, squared_columns
from synth.questions.moments.corners import Box
from synth.questions.moments.spans import groups_of, is_box, spans_of
from synth.questions.moves.joint import Joint
from synth.questions.workloads.block import Block
from synth.questions.workloads.tallies import Grain

# L1, squared L2 and L-infinity.
Norms = tuple[int, int, int]


def joint_of_moments(block: Block, grains: Sequence[Grain]) -> Joint:
    """Return how far one person moves all sums of one question (docs/proofs/products.md).

    Args:
        block: The one question of variances, covariances or a regression, with its sums.
        grains: How each of its sums becomes whole numbers, in the order of ``block.tallies``.

    Raises:
        ArgumentError: The grids and weights do not belong together.
    """
    weight, columns = scales_of(block, grains)
    squared = squared_columns(block.question.kind, len(columns))
    box = Box(tuple(column.most for column in columns), squared, weight)
    spans = spans_of(block)
    unit = block.unit
    # What a row adds to the noisy number of rows; nothing if the number is public.
    rows = weight**2 if block.readings[0].denominators[0] is not None else 0
    steps = [span.list_steps(column) for span, column in zip(spans, columns, strict=True)]
    groups = groups_of(block.workload.tallies[block.tallies[0]])
    # None if it is not known; then a bound for any whole steps takes its place.
    exact_distance = box.distance(steps)
    far = box.bound() if exact_distance is None else exact_distance
    norms = _norms(box, block, rows, groups=groups, far=far)
    sensitivity = _times(norms, unit.max_rows)
    # Exact if two allowed rows have that distance. Otherwise two neighbours are only known to
    # differ by 1.
    exact = exact_distance is not None and is_box(block, spans)
    return Joint(sensitivity, exact, sensitivity if exact else Sensitivity(1, 1, 1))


def scales_of(block: Block, grains: Sequence[Grain]) -> tuple[int, tuple[Steps, ...]]:
    """Return the weight of a step in the sums of columns, and the grid of each column.

    Args:
        block: The one question, with its sums and sums of products.
        grains: How each of its sums becomes whole numbers, in the order of ``block.tallies``.

    Raises:
        ArgumentError: The grids and weights do not belong together.
    """
    reading = block.readings[0]
    question = block.workload.questions[reading.question]
    by_tally = dict(zip(block.tallies, grains, strict=True))
    # The first sums are those of the columns, in order.
    column_count = len(question.columns)
    weight = by_tally[reading.numerators[0]].weight
    columns = tuple(by_tally[number].steps for number in reading.numerators[:column_count])
    expected_grains = entry_grains(block, weight, columns)
    if reading.denominators[0] is not None:
        expected_grains[reading.denominators[0]] = Grain(weight**2)
    grids = tuple(column for column in columns if column is not None)
    # The weight must be at least the most steps of a column, as a `Box` needs it.
    if (
        expected_grains != by_tally
        or len(grids) < column_count
        or any(column.most > weight for column in grids)
    ):
        raise ArgumentError("The grids of sums of products do not belong together.")
    return weight, grids


def entry_grains(
    block: Block, weight: int, columns: Sequence[Steps | None]
) -> dict[int, Grain]:
    """Return how each sum of a question becomes whole numbers, by the number of its tally.

    Args:
        block: The one question, with its sums and sums of products.
        weight: How often a step of a column counts in the sum of that column.
        columns: The grid of each column.
    """
    reading = block.readings[0]
    kind = block.workload.questions[reading.question].kind
    entries = entries_of(kind, len(columns))
    grains: dict[int, Grain] = {}
    for number, (i, j) in zip(reading.numerators, entries, strict=True):
        # Column 0 is the constant 1, so the entry is the sum of column j.
        is_sum = i == 0
        grains[number] = (
            Grain(weight, columns[j - 1])
            if is_sum
            else Grain(1, columns[i - 1], columns[j - 1])
        )
    return grains


def _norms(box: Box, block: Block, rows: int, *, groups: int, far: int) -> Norms:
    """Return how far one row moves all sums, in L1, squared L2 and L-infinity.

    An added row moves the products by the norms of the box of values. A replaced row moves
    the sums of two groups at most, or those of one by the largest distance of two rows.

    Args:
        box: The ranges of the columns in steps, and which products are added.
        block: The one question, with the relation of neighbours.
        rows: What a row adds to the noisy number of rows; 0 if that is public.
        groups: The number of groups with sums of their own.
        far: The largest L1 distance of what two rows of one group add.
    """
    added = (rows + box.norm(1), rows**2 + box.norm(2))
    # The largest entry: a weighted sum, or the number of rows. Products are no larger, as no
    # column has more steps than the weight. A replaced row may go from one end to the other.
    top = max(box.most)
    if block.workload.neighbors is Neighbors.ADD_REMOVE:
        return (*added, max(rows, box.weight * top))
    # Who comes, or who goes, may add 0 to all sums; rows of two groups share no sum.
    l1, l2 = (norm * min(groups, 2) for norm in added)
    return max(l1, far), max(l2, box.squared_distance()), max(rows, 2 * box.weight * top)


def _times(norms: Norms, rows: int) -> Sensitivity:
    return Sensitivity(norms[0] * rows, norms[1] * rows**2, norms[2] * rows)
