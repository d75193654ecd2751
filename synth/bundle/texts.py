"""Files of a bundle that state the certificate in words and tables.

They follow from the certificate, the plan and the domain alone; `verify` compares them.
"""

import json
import shlex
from fractions import Fraction
from textwrap import fill
from typing import cast

from synth.bundle.certificate import Certificate, ReleaseCertificate
from synth.bundle.certificate_parts import NOT_IN_LEDGER, MechanismClaim
from synth.bundle.claims import at_most, epsilon_of_facts, posterior
from synth.bundle.declaration import beyond_of
from synth.bundle.dictionary import DICTIONARY, dictionary, sdv_metadata
from synth.domain import Domain
from synth.estimate import RECIPES
from synth.privacy import ROW, Guarantee, Neighbors, RowReading, brief, scientific, terms
from synth.util import Document, Json

STATEMENT = "statement.txt"
# The last line about `verify` in every statement.
LISTS_OPEN_PARTS = "It lists what no file can show, such as the time, as not checked."


def write_texts(
    certificate: ReleaseCertificate, plan: Document, domain: Domain
) -> dict[str, bytes]:
    return {
        STATEMENT: statement(certificate, domain).encode(),
        DICTIONARY: dictionary(domain).encode(),
        "domain_sdv.json": json_bytes(sdv_metadata(domain)),
        "certificate.schema.json": certificate.schema.read_bytes(),
        "run_again.txt": commands(plan).encode(),
        "run_again.py": script().encode(),
    }


def statement(certificate: ReleaseCertificate, domain: Domain) -> str:
    return f"""{fill(certificate.rows_fit, 86)}

ABOUT THESE FILES

{certificate.rows:,} synthetic rows of {len(domain.written)} columns, made from the confidential
table '{certificate.dataset}'. No row describes a real person. The distribution of
the rows resembles the confidential one, up to the noise described below.

{promise(certificate)}
HOW IT WAS MADE

{_mechanism_sentence(certificate.mechanism)}
Domain: {certificate.domain_origin}. Number of rows: {certificate.number_of_rows}.
Repair of negative counts: {certificate.repair_words}.
The rest follows from these counts only.
{_derived_sentence(domain)}Spend: {spend_in_words(certificate)}.
{scores_in_words(certificate)}
HOW TO CHECK IT

python -m synth verify BUNDLE.zip    checks every file against the certificate, and that the
                                     {certificate.mechanism.checked}
                                     {LISTS_OPEN_PARTS}
"""  # noqa: E501


def _derived_sentence(domain: Domain) -> str:
    lines = [
        fill(
            f"Column '{d.name}' follows from the others of its row by a public rule, at "
            f"no cost: {d.rule}.",
            86,
        )
        for d in domain.derived
    ]
    lines += [fill(one.in_words, 86) for one in domain.identifiers]
    return "".join(f"{line}\n" for line in lines)


def promise(certificate: Certificate) -> str:
    guarantee = certificate.guarantee
    epsilon, delta = guarantee.epsilon, guarantee.delta
    said = _odds_sentence(epsilon, delta, certificate.neighbors)
    odds = f"\n{fill(said, 86)}\n" if epsilon else ""
    return f"""THE GUARANTEE

{_statement(certificate)}
The privacy unit is {certificate.privacy_unit}.{_limit_sentence(certificate)}
{odds}
{list_caveats(certificate)}
"""


def _statement(certificate: Certificate) -> str:
    said, more = certificate.guarantee.statement, beyond_of(certificate)
    parts = (said.removesuffix(more), more.strip())
    return "\n".join(fill(part, 86) for part in parts if part)


def spend_in_words(certificate: Certificate) -> str:
    recorded = certificate.ledger_record
    return f"entry {recorded.entry} of the steward's ledger" if recorded else NOT_IN_LEDGER


def scores_in_words(certificate: ReleaseCertificate) -> str:
    said = [
        f"""
ACCURACY

The {score.what} is {max(0, score.error):.4f} (95 % interval: ± {score.reach:.4f}):
the share of rows you would have to change. The k-marginal score is
{min(1000, score.k_marginal):.0f} of 1000. It was measured with noise for
epsilon {score.epsilon}, which the guarantee above includes."""
        for score in certificate.scores
    ]
    return "\n".join([*said, ""]) if said else ""


def list_caveats(certificate: Certificate) -> str:
    return "\n".join(
        fill(f"- {one}", 86, subsequent_indent="  ") for one in certificate.caveats
    )


def _limit_sentence(certificate: Certificate) -> str:
    if certificate.privacy_unit == str(ROW):
        return ""
    most = certificate.max_rows
    rows, some = ("one row", "one") if most == 1 else (f"{most:,} rows", f"{most:,}")
    return f"""
If a person has more than {rows}, Synth used {some} of them, chosen by a rule that looks at
this person's rows only. Rows without a person were left out."""


def _odds_sentence(epsilon: Fraction, delta: Fraction, neighbors: Neighbors) -> str:
    fact = at_most(posterior(0.5, epsilon_of_facts(epsilon, neighbors)))
    half = at_most(posterior(0.5, epsilon))
    even = (
        f"A fact that someone thought 50 % likely becomes at most {fact} likely. Anyone who "
        f"guesses which of two tables was used is right at most {half} of the time. These "
        "numbers are rounded up."
    )
    return even + (
        f" With a probability of at most {scientific(delta)} (delta), the guarantee fails."
        if delta
        else ""
    )


def _mechanism_sentence(mechanism: MechanismClaim) -> str:
    return (
        f"{mechanism.name[:1].upper()}{mechanism.name[1:]}{mechanism.explain(cost_in_words)}"
    )


def cost_in_words(cost: Guarantee) -> str:
    """Write a cost, rounded up if it is long; the certificate has it exactly."""
    said = {
        unit.replace("mu_squared", "mu^2"): amount for unit, amount in terms(cost).items()
    }
    parts = (
        f"{unit} {brief(Fraction(amount), most=8, digits=3)}" for unit, amount in said.items()
    )
    return ", ".join(parts)


def commands(plan: Document) -> str:
    return f"""# Unpack the bundle and put the confidential table into the folder, as TABLE.csv.
# This is a new release: it draws fresh noise and spends epsilon again.
python run_again.py TABLE.csv{_public(plan)}

# The same without the script. Add --format if the table needs it (another delimiter, say),
# and --ledger FILE to record the spend.
python -m synth release TABLE.csv --plan plan.json{_public(plan)} --out again
{_spelled_out(plan)}
# Check the bundle.
python -m synth verify BUNDLE.zip
"""  # noqa: E501


def _public(plan: Document) -> str:
    return " --public PUBLIC.csv" if "public" in plan else ""


def _spelled_out(plan: Document) -> str:
    if plan["rules"]:
        return ""
    words = ["--epsilon", plan["epsilon"], "--neighbors", plan["neighbors"]]
    groups = cast("list[list[str]]", plan["groups"])
    for name in ("method", "repair", "rows", "favour", "predict"):
        words += [f"--{name}", plan[name]] if plan.get(name) else []
    terms = cast("list[str]", plan.get("moments", []))
    if terms or RECIPES[cast("str", plan["method"])].chooses:
        words += ["--moments", ",".join(terms) or "none"]
    words += ["--format", "lines=span"] if plan.get("reading") == RowReading.SPAN else []
    if "public" in plan:
        public = cast("dict[str, str]", plan["public"])
        words += ["--public", "PUBLIC.csv", "--vouched-by", public["vouched_by"]]
    words += ["--delta", plan["delta"]] if plan["delta"] != "0" else []
    words += ["--groups", ";".join(map(",".join, groups))] if groups else []
    if plan["person"]:
        words += ["--person", plan["person"], "--max-rows", plan["max_rows"]]
    return f"""
# The same with all options.
python -m synth release TABLE.csv --domain domain.json {shlex.join(map(str, words))} --out again
"""  # noqa: E501


def script() -> str:
    return '''"""Make a release by the plan of this bundle: python run_again.py TABLE.csv

It draws fresh noise and spends epsilon again. You can add options, such as
--ledger FILE --dataset NAME, or --format delimiter=;
"""

import sys
from pathlib import Path

from synth.__main__ import main

here = Path(__file__).parent
if len(sys.argv) < 2:
    sys.exit(__doc__)
plan = ["--plan", str(here / "plan.json"), "--out", str(here / "again")]
sys.exit(main(["release", *sys.argv[1:], *plan]))
'''


def json_bytes(content: Json) -> bytes:
    return (json.dumps(content, indent=1, ensure_ascii=False) + "\n").encode()
