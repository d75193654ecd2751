"""The joint sensitivity of workloads: time and peak memory of a process, and the gap of bounds.

    PYTHONPATH=. python tests/bench/bench_joint.py

Predicates are conjunctions of ranges and sets over one, two and three columns in turn. Seconds are
of the sensitivity alone; memory is of the whole process, imports included.
"""

import tempfile

from tests.bench.processes import run

JOB = """
import json, sys, time
import numpy as np
from synth.privacy.guarantee import ROW, Neighbors
from synth.questions.joint import joint_sensitivity
from synth.questions.terms import count_term

def predicates(count, sizes):
    random, terms = np.random.default_rng(2), []
    for number in range(count):
        axes = sorted(random.choice(len(sizes), 1 + number % 3, replace=False).tolist())
        held = []
        for axis in axes:
            atoms = np.arange(sizes[axis])
            low, high = sorted(random.choice(sizes[axis] + 1, 2, replace=False))
            chosen = random.random(sizes[axis]) < random.uniform(.1, .6)
            a_range = (atoms >= low) & (atoms < high)
            held.append((a_range if random.random() < .5 else chosen).astype(int))
        counted = np.zeros([2] * len(axes), dtype=bool)
        counted[(1,) * len(axes)] = True
        terms.append(count_term(axes, held, counted))
    return terms

count, sizes, relation = {arguments}
terms = predicates(count, sizes)
start, busy = time.perf_counter(), time.process_time()
found = joint_sensitivity(terms, sizes, Neighbors(relation), ROW)
took, busy = time.perf_counter() - start, time.process_time() - busy
bound, least = found.sensitivity.l1, found.least.l1
print(f"  {{took:6.2f}} s  cpu {{busy:6.2f}} s  L1 {{bound}}, at least {{least}}: "
      + ("exact" if found.exact else f"{{bound / least - 1:.0%}} apart"), file=sys.stderr)
"""
SURVEY = [12, 14, 12, 12]
WIDE = [34, 36, 48, 58, 11, 17, 51, 58, 22, 25, 54, 31]
WIDER = [*WIDE, 23, 52, 10, 60, 40, 12]


def main() -> None:
    with tempfile.TemporaryDirectory() as cache:
        for count, sizes in (
            (20, SURVEY),
            (100, SURVEY),
            (1_000, SURVEY),
            (100, WIDE),
            (1_000, WIDE),
            (1_000, WIDER),
        ):
            for relation in ("add-remove", "replace-one"):
                cells = 1
                for size in sizes:
                    cells *= size
                print(f"{count:5,} predicates, {cells:.1e} cells, {relation}", flush=True)
                taken = run(JOB.format(arguments=(count, sizes, relation)), cache)
                print(f"  peak {taken.peak:.0f} MB", flush=True)


if __name__ == "__main__":
    main()
