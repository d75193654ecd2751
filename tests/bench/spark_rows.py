"""Rows in parts, drawn and written by Spark's workers beside threads of one process.

    PYTHONPATH=. python tests/bench/spark_rows.py [ROWS]

The ten columns of `bench_rows`, a million rows of them, and ROWS synthetic ones, 1e7 by
default: the same release from the same ledger twice, a process each, as parts of CSV. Spark
is in local mode with two cores (Java 17), where its workers share the machine with what asks
them. Printed are the seconds of drawing and of writing, without the start of Spark, and the
peak memory of the process that asks, of Java and of the largest worker: nothing of the size
of the table goes through the first. Then whether the certificates, and so all parts, are the
same."""

import argparse
import json
import os
import tempfile
from pathlib import Path

from tests.bench.bench_rows import domain, pieces
from tests.bench.bench_scale import MILLION, make
from tests.bench.processes import run

RELEASE = """
import os, time
from fractions import Fraction
from pathlib import Path
from synth.domain.table_schema import read_schema
from synth.door.ledger.ledger import Ledger
from synth.plans import Method, Plan
from synth.private.counting import Engine
from synth.spending import place_of, synthesize_parts
from synth.privacy.budget import parse_budget

def status(process):
    try:
        text = (Path("/proc") / str(process) / "status").read_text()
    except OSError:
        return {{}}
    return dict(line.split(":", 1) for line in text.splitlines())

def is_ours(process):
    while process > 1 and process != os.getpid():
        process = int(status(process).get("PPid", 0))
    return process > 1

def peaks():
    found = {{}}
    for one in [int(path.name) for path in Path("/proc").glob("[0-9]*")]:
        said = status(one)
        if is_ours(one) and "VmHWM" in said:
            name = "asking" if one == os.getpid() else said["Name"].strip()
            found[name] = max(found.get(name, 0), int(said["VmHWM"].split()[0]) // 1024)
    return found

domain = read_schema({domain!r})
plan = Plan(domain=domain, epsilon=Fraction(1), method=Method.AUTO, rows={rows}, dataset="t")
ledger = Ledger({ledger!r})
ledger.set_budget("t", parse_budget("1", plan.neighbors))
place = place_of(Engine({engine!r}))
start = time.perf_counter()
made = synthesize_parts(plan, {table!r}, ledger=ledger, place=place)
drawn = time.perf_counter()
made.write({out!r})
now = time.perf_counter()
print(f"drawn {{drawn - start:.1f}} s, written {{now - drawn:.1f}} s, peak MB", peaks())
"""


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("rows", nargs="?", type=float, default=1e7)
    rows = int(parser.parse_args().rows)
    os.environ |= {"SYNTH_WORKERS": "2", "OMP_NUM_THREADS": "1"}
    os.environ["PYSPARK_SUBMIT_ARGS"] = "--master local[2] pyspark-shell"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "domain.json").write_text(json.dumps(domain()))
        make(folder / "t.parquet", pieces(MILLION))
        names = {"domain": str(folder / "domain.json"), "table": str(folder / "t.parquet")}
        names |= {"ledger": str(folder / "ledger.db")}
        for engine in ("duckdb", "spark"):
            job = RELEASE.format(**names, rows=rows, engine=engine, out=str(folder / engine))
            taken = run(job, str(folder), listen=lambda line: print(line, end=""))
            print(f"{rows:12,} rows, {engine:6} {taken}")
        certificates = [
            (folder / engine_name / "certificate.json").read_bytes()
            for engine_name in ("duckdb", "spark")
        ]
        print("the same certificate and parts:", certificates[0] == certificates[1])


if __name__ == "__main__":
    main()
