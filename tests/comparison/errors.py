"""Distances over all tables of one order."""

from synth.domain import Domain
from synth.private.comparison import compare
from synth.private.comparison.distances import CodesByColumn
from synth.util import Errors


def errors_of_order(
    domain: Domain, real: CodesByColumn, synthetic: CodesByColumn, order: int
) -> Errors:
    comparison = compare(domain, real, synthetic)
    return (comparison.one_way, comparison.two_way, comparison.three_way)[order - 1]
