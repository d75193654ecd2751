"""The grids of sums of products, as a certificate tells of them. PUBLIC."""

from collections.abc import Sequence

from synth.bundle.certificate_parts import ProductGrain, RowsGrain, SumGrain
from synth.domain.steps import Steps
from synth.errors import ArgumentError
from synth.questions.block import Block
from synth.questions.moments.sensitivity import scales_of
from synth.questions.moments.spans import Span, spans_of
from synth.questions.tallies import Grain


def product_grains(
    block: Block, told: Sequence[RowsGrain | SumGrain | ProductGrain]
) -> tuple[Grain, ...]:
    """The grids of a question that adds up products, if they belong together and reach the bounds.

    Args:
        block: Of that question.
        told: One grid for each of its tallies.

    Raises:
        ArgumentError: They are not those of the totals.
    """
    grains = tuple(_grain(block, one) for one in told)
    _, columns = scales_of(block, grains)
    for span, steps in zip(spans_of(block), columns, strict=True):
        if not _reaches(span, steps):
            raise ArgumentError("The grid does not reach the bounds of its column.")
    return grains


def _grain(block: Block, told: RowsGrain | SumGrain | ProductGrain) -> Grain:
    if isinstance(told, RowsGrain):
        return Grain(told.weight)
    product = told if isinstance(told, ProductGrain) else ProductGrain((told,), 1)
    return Grain(product.weight, *(_steps(block, one) for one in product.factors))


def _steps(block: Block, told: SumGrain) -> Steps:
    names = block.workload.universe.names
    if told.column not in names:
        raise ArgumentError("A grid is of a column that no question names.")
    return Steps(names.index(told.column), float(told.middle), float(told.grid), told.most)


def _reaches(span: Span, steps: Steps) -> bool:
    """Whether a grid is of the middle of the span, and reaches both of its ends."""
    reach = (steps.most + 0.5) * steps.grid * (1 + 1e-9)
    inside = span.low >= steps.middle - reach and span.high <= steps.middle + reach
    return steps.column == span.axis and inside
