"""The strategies of certificates: told, and made again from what was told. PUBLIC."""

from synth.bundle.certificate_parts import FittedRecord, ResidualRecord, TreeRecord
from synth.bundle.typed_json import read
from synth.questions.strategies.strategy import CountStrategy
from synth.questions.workload import Workload

StrategyRecord = TreeRecord | FittedRecord | ResidualRecord
LARGEST = 1 << 20
"""Most steps of a fitted number, and of a weight 2^10 times as many: no sum overflows."""


def strategy_records(strategy: CountStrategy, workload: Workload) -> tuple[StrategyRecord, ...]:
    """What is measured, by parts."""
    forms = ({"branching": TreeRecord, "own": FittedRecord}, ResidualRecord)
    found: list[StrategyRecord] = []
    for told in strategy.told(workload.universe.names):
        kind = next((form for key, form in forms[0].items() if key in told), forms[1])
        found.append(read(kind, told))
    return tuple(found)
