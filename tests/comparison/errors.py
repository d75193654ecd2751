"""Distances over all tables of one order."""

from synth.domain.domain import Domain
from synth.private.comparison.distances import CodesByColumn, compare
from synth.util.metrics import Errors


def errors_of_order(
    domain: Domain, real: CodesByColumn, synthetic: CodesByColumn, order: int
) -> Errors:
    found = compare(domain, real, synthetic)
    return (found.one_way, found.two_way, found.three_way)[order - 1]
