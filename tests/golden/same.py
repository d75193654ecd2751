"""Whether releases and answers are the same as before, with known bytes in the place of
noise.

    python -m tests.golden.same --check [CASE ...]   # what differs from same.json
    python -m tests.golden.same --write [CASE ...]   # same.json anew, where that is meant
    python -m tests.golden.same --show CASE          # its certificate, to compare by `diff`
    python -m tests.golden.same --print [CASE ...]   # digests, to compare on one machine

All goes by the public face, so that it runs wherever the modules behind have moved. What
models make of noisy counts follows from floats, which processors round differently: on one
that rounds otherwise than the one that wrote `same.json`, counts without a model are compared
alone."""

import argparse
import hashlib
import json
import os
import random
import re
import ssl
import sys
import tempfile
import warnings
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
from plotly import offline

import synth
from tests.golden import tables
from tests.golden.cases import INQUIRIES, PLANS, RULES
from tests.golden.others import OTHERS
from tests.stand_in import PLOTLY

FILE = Path(__file__).with_suffix(".json")
SILENT = ("collect", "forecast answers", "forecast a release")
"""Cases that draw no noise."""
APART = ("$schema", "algorithm", "created", "format", "ledger", "sha256", "versions")
"""Fields of a certificate that may differ: numbers of forms and versions, dates, digests."""
PASSING = re.compile(
    rf"{re.escape(synth.__version__)}|\b[0-9a-f]{{64}}\b|\d{{4}}-\d\d-\d\d[T "
    r"][\d:]+(\+00:00|Z)?"
    r"|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"
)
"""What other texts say of these, and the names that plots draw for themselves."""

Files = dict[str, bytes]
Make = Callable[[Path], Files]
Digests = dict[str, str]


@contextmanager
def fixed_noise(case: str) -> Iterator[None]:
    """Put known bytes and seeds in the place of the system's.

    The mechanisms read bytes of their own, so that no other draw, such as the name of a file,
    moves the noise."""
    streams: dict[object, random.Random] = {}
    generator = np.random.default_rng
    sequence = np.random.SeedSequence

    def drawn(stream: object) -> random.Random:
        return streams.setdefault(stream, random.Random(f"{case}: {stream}"))

    def known(size: int) -> bytes:
        caller = sys._getframe(2).f_globals["__name__"].split(".")
        return drawn("noise" if "noise" in caller else size).randbytes(size)

    def seed() -> int:
        return drawn("seeds").getrandbits(128)

    with (
        patch.object(ssl, "RAND_bytes", known),
        patch.object(
            np.random, "default_rng", lambda *arguments: generator(*arguments or [seed()])
        ),
        patch.object(
            np.random, "SeedSequence", lambda *arguments: sequence(*arguments or [seed()])
        ),
        patch.object(offline, "get_plotlyjs", lambda: PLOTLY),
        warnings.catch_warnings(action="ignore"),
    ):
        yield
    assert "noise" in streams or case in SILENT, f"'{case}' drew no noise that was fixed"


DOMAINS: dict[str, Callable[[], synth.Domain]] = {
    "": tables.declared_domain,
    "derived": partial(tables.declared_domain, "stage", "wage", "coast"),
    "long": tables.long_domain,
    "vast": tables.vast_domain,
}


def release_files(options: Mapping[str, Any], folder: Path) -> Files:
    """The files of a release."""
    arguments = {"epsilon": 1, **spend_arguments(options, folder)}
    if "public" in arguments:
        arguments |= {
            "public": tables.people_frame(400, seed=31),
            "vouched_by": "The archive",
        }
    if "rules" in arguments:
        arguments["rules"] = RULES
    return read_bundle(
        synth.release(tables.people_frame(), **arguments).save(
            folder / "release.zip", overwrite=True
        )
    )


def answer_files(
    questions: tuple[str, ...], options: Mapping[str, Any], folder: Path
) -> Files:
    """The files of answers."""
    arguments = spend_arguments(options, folder)
    if "rho" not in arguments:
        arguments = {"epsilon": 1, **arguments}
    answers = synth.ask(tables.people_frame(), questions=questions, **arguments)
    return read_bundle(answers.save(folder / "answers.zip"))


def text_file(text: Callable[[Path], str], folder: Path) -> Files:
    """A text as a file."""
    return {"said": text(folder).encode()}


def spend_arguments(options: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """Options with the domain that they name, and with a ledger where they have a budget."""
    arguments = {**options, "domain": DOMAINS[options.get("domain", "")]()}
    if "budget" in arguments:
        arguments |= {"ledger": folder / "ledger.db", "dataset": "people"}
    return arguments


def read_bundle(bundle: Path) -> Files:
    """The files of a bundle by name."""
    with zipfile.ZipFile(bundle) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


CASES: dict[str, Make] = {
    **{f"release {name}": partial(release_files, options) for name, options in PLANS.items()},
    **{f"ask {name}": partial(answer_files, *inquiry) for name, inquiry in INQUIRIES.items()},
    **{name: partial(text_file, text) for name, text in OTHERS.items()},
}
"""What makes the files of a case, in a folder."""


def make_case(case: str) -> Files:
    """The files of a case, with known noise."""
    with (
        tempfile.TemporaryDirectory() as folder,
        patch.dict(os.environ, SYNTH_HOME=f"{folder}/home"),
        fixed_noise(case),
    ):
        return CASES[case](Path(folder))


def digests_of(files: Files) -> Digests:
    """Digests of what must be the same, part by part."""
    parts = {"said": without_passing(files["said"])} if "said" in files else _parts(files)
    return {name: hashlib.sha256(part).hexdigest()[:16] for name, part in parts.items()}


def _parts(files: Files) -> Files:
    certificate = json.loads(files["certificate.json"])
    others = {name: content for name, content in sorted(files.items()) if _is_paper(name)}
    parts = {
        "certificate": comparable_certificate(certificate).encode(),
        "papers": b"".join(
            without_passing(name.encode() + text) for name, text in others.items()
        ),
    }
    if "portions" in certificate:
        noisy = [portion.get("noisy") for portion in certificate["portions"]]
        answers = files["answers.json"] + files["answers.csv"]
        return {"answers": answers, "counts": json.dumps(noisy).encode(), **parts}
    return {"rows": files["synthetic.csv"], "counts": files["noisy_counts.csv"], **parts}


def _is_paper(name: str) -> bool:
    return not name.endswith(".parquet") and "certificate" not in name


def comparable_certificate(certificate: Mapping[str, Any]) -> str:
    """A certificate without the fields that may differ."""
    kept_fields = {
        name: content for name, content in certificate.items() if name not in APART
    }
    return json.dumps(kept_fields, indent=1, sort_keys=True)


def without_passing(text: bytes) -> bytes:
    """A text without what differs from run to run, or with the version."""
    return PASSING.sub("-", text.decode()).encode()


def rounding_of_machine() -> str:
    """How this machine rounds, as certificates say it."""
    certificate = json.loads(make_case("release dense")["certificate.json"])
    return str(certificate["versions"]["rounding"])


def is_compared(case: str, part: str, *, alike: bool) -> bool:
    """Whether a part can be compared on a machine that rounds alike, or not alike."""
    options = PLANS.get(case.removeprefix("release "), {"method": "dense"})
    return alike or (part == "counts" and options.get("method") in ("dense", "histogram"))


def list_differing(cases: Iterable[str]) -> Iterator[str]:
    """A line for each case of which something is not as `same.json` has it."""
    recorded = json.loads(FILE.read_text(encoding="utf-8"))
    alike = rounding_of_machine() == recorded["rounding"]
    for case in cases:
        recorded_digests = recorded["cases"].get(case, {})
        new_digests = digests_of(make_case(case))
        parts = [
            part
            for part in sorted({*recorded_digests, *new_digests})
            if recorded_digests.get(part) != new_digests.get(part)
        ]
        if parts := [part for part in parts if is_compared(case, part, alike=alike)]:
            yield f"{case}: {', '.join(parts)}"


def write_digests(cases: Sequence[str]) -> None:
    """Write the digests of cases; those of cases that there are no more go."""
    recorded = (
        json.loads(FILE.read_text(encoding="utf-8")) if FILE.exists() else {"cases": {}}
    )
    cases_digests = recorded["cases"] | {case: digests_of(make_case(case)) for case in cases}
    content = {
        "rounding": rounding_of_machine(),
        "cases": {case: cases_digests[case] for case in CASES},
    }
    FILE.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


def main() -> int:
    """Check, write, show or print."""
    parser = argparse.ArgumentParser(prog="python -m tests.golden.same")
    chosen = parser.add_mutually_exclusive_group(required=True)
    for name in ("check", "write", "show", "print"):
        chosen.add_argument(f"--{name}", action="store_true")
    parser.add_argument("cases", nargs="*", metavar="CASE", help="by default all of them")
    options = parser.parse_args()
    cases = options.cases or [*CASES]
    unknown = [case for case in cases if case not in CASES]
    if unknown:
        parser.error(f"There is no case '{unknown[0]}'; the cases are: {', '.join(CASES)}.")
    if options.write:
        write_digests(cases)
    elif options.print:
        found_digests = {case: digests_of(make_case(case)) for case in cases}
        print(
            json.dumps({"rounding": rounding_of_machine(), "cases": found_digests}, indent=1)
        )
    elif options.show:
        files = make_case(cases[0])
        content = (
            files.get("said")
            or comparable_certificate(json.loads(files["certificate.json"])).encode()
        )
        print(content.decode())
    else:
        lines = [print(line, flush=True) for line in list_differing(cases)]
        return int(bool(lines))
    return 0


if __name__ == "__main__":
    sys.exit(main())
