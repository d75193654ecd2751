"""Files of a bundle that state the certificate in words and tables.

They follow from the certificate, the plan and the domain alone, so `verify` writes them again and
compares.
"""

import json
import math
import shlex
from fractions import Fraction
from textwrap import fill
from typing import cast

from synth.bundle.certificate import Certificate, ReleaseCertificate
from synth.bundle.certificate_parts import NOT_IN_LEDGER, MechanismClaim
from synth.bundle.declaration import beyond_of
from synth.bundle.dictionary import DICTIONARY, dictionary, sdv_metadata
from synth.domain import Domain
from synth.estimate import RECIPES
from synth.privacy import ROW, Guarantee, RowReading, brief, scientific, terms
from synth.util import Document, Json

STATEMENT = "statement.txt"


def write_texts(
    certificate: ReleaseCertificate, plan: Document, domain: Domain
) -> dict[str, bytes]:
    """Return the contents of these files by name."""
    return {
        STATEMENT: statement(certificate, domain).encode(),
        DICTIONARY: dictionary(domain).encode(),
        "domain_sdv.json": json_bytes(sdv_metadata(domain)),
        "certificate.schema.json": certificate.schema.read_bytes(),
        "run_again.txt": commands(plan).encode(),
        "run_again.py": script().encode(),
    }


def statement(certificate: ReleaseCertificate, domain: Domain) -> str:
    """Return one page in plain words."""
    return f"""{fill(certificate.rows_fit, 86)}

WHAT THIS IS

{certificate.rows:,} synthetic rows of {len(domain.written)} columns, made from the confidential
table '{certificate.dataset}'. No row stands for a person. The rows resemble the
confidential ones in their distribution, up to the noise described below.

{promise(certificate)}
HOW IT WAS MADE

{_mechanism_sentence(certificate.mechanism)}
Domain: {certificate.domain_origin}. Number of rows: {certificate.number_of_rows}.
Repair of negative counts: {certificate.repair_words}.
The rest is drawn from these counts alone.
{_derived_sentence(domain)}Spend: {spend_in_words(certificate)}.
{scores_in_words(certificate)}
HOW TO CHECK IT

python -m synth verify BUNDLE.zip    checks every file against the certificate, and that the
                                     {certificate.mechanism.checked}
"""


def _derived_sentence(domain: Domain) -> str:
    """Name the columns without cells: derived ones, and IDs."""
    lines = [fill(f"Column '{d.name}' follows from the others of its row by a public rule, and "
                  f"costs nothing: {d.rule}.", 86) for d in domain.derived]  # fmt: skip
    lines += [fill(one.in_words, 86) for one in domain.identifiers]
    return "".join(f"{line}\n" for line in lines)


def promise(certificate: Certificate) -> str:
    """State the guarantee, and what it does not cover."""
    guarantee = certificate.guarantee
    epsilon, delta = guarantee.epsilon, guarantee.delta
    means = f"\n{in_words(epsilon)}{_delta_sentence(delta)}\n" if epsilon else ""
    return f"""WHAT IS PROMISED

{_statement(certificate)}
The privacy unit is {certificate.privacy_unit}.{_limit_sentence(certificate)}
{means}
This holds whatever else somebody knows and however much they compute. It is a bound on
what the release adds about one unit; it is no promise that nothing can be learned about
people in general, and no statement about any law.
{_caveats(certificate)}"""


def _statement(certificate: Certificate) -> str:
    """Return the sentence of the guarantee, with its part about the declaration on lines of its
    own.
    """
    said, more = certificate.guarantee.statement, beyond_of(certificate)
    return said.removesuffix(more) + (f"\n{fill(more.strip(), 86)}" if more else "")


def spend_in_words(certificate: Certificate) -> str:
    """Say where the spend is recorded."""
    recorded = certificate.ledger_record
    return f"entry {recorded.entry} of the steward's ledger" if recorded else NOT_IN_LEDGER


def scores_in_words(certificate: ReleaseCertificate) -> str:
    """State the utility scores that were paid for; empty if there are none."""
    said = [
        f"""
HOW CLOSE IT IS

The {score.what} is {max(0, score.error):.4f}, give or take {score.reach:.4f} in 95 of
100 cases: that share of the rows would have to change. A k-marginal score of
{min(1000, score.k_marginal):.0f} of 1000. It was measured with noise for
epsilon {score.epsilon}, which is part of what is promised above."""
        for score in certificate.scores
    ]
    return "\n".join([*said, ""]) if said else ""


def _caveats(certificate: Certificate) -> str:
    """Say what is not covered, and what counts as a row."""
    return "".join(f"\n{fill(caveat, 86)}\n" for caveat in certificate.caveats)


def _limit_sentence(certificate: Certificate) -> str:
    """Say which rows of a person are used; empty if each row is a person."""
    if certificate.privacy_unit == str(ROW):
        return ""
    most = certificate.max_rows
    rows, some = ("one row", "one") if most == 1 else (f"{most:,} rows", f"{most:,}")
    return f"""
Of whoever has more than {rows}, {some} of them were used, chosen by a rule that looks at
nobody else's rows. Rows that name no person were left out."""


def _delta_sentence(delta: Fraction) -> str:
    """Say what a delta means for the guarantee."""
    if not delta:
        return ""
    return (
        f"\n\nThat much, except with a probability of {scientific(delta)} (delta), for which "
        "nothing\nis promised."
    )


def _mechanism_sentence(mechanism: MechanismClaim) -> str:
    """Describe the mechanism in words."""
    return f"{mechanism.name[:1].upper()}{mechanism.name[1:]}{mechanism.explain(cost_in_words)}"


def cost_in_words(cost: Guarantee) -> str:
    """Write a cost, rounded up if it is long; the certificate has it exactly."""
    said = {unit.replace("mu_squared", "mu^2"): amount for unit, amount in terms(cost).items()}
    parts = (f"{unit} {brief(Fraction(amount), most=12)}" for unit, amount in said.items())
    return ", ".join(parts)


def in_words(epsilon: Fraction) -> str:
    """Say what an epsilon means, without a formula.

    >>> print(in_words(Fraction(1)))
    Whatever somebody thought the odds of a fact about one unit were, this release changes
    them by a factor of at most 2.72 on account of that unit's own data: a fact thought 10 %
    likely becomes at most 23.2 % likely, and 50 % at most 73.2 %. Somebody who guesses which of
    two tables was used is right at most 73.2 % of the time, where 50 % is blind guessing.
    These numbers are rounded up.
    """
    factor = math.exp(min(float(epsilon), 700))
    factor = _round_up(factor, 2 if factor < 1000 else 1 - math.floor(math.log10(factor)))
    shown = f"{factor:,.2f}" if factor < 1000 else f"{factor:.1e}"
    tenth, half = (at_most(posterior(prior, epsilon)) for prior in (0.1, 0.5))
    return (
        "Whatever somebody thought the odds of a fact about one unit were, this release changes\n"
        f"them by a factor of at most {shown} on account of that unit's own data: a fact thought "
        f"10 %\nlikely becomes at most {tenth} likely, and 50 % at most {half}. Somebody who "
        f"guesses which of\ntwo tables was used is right at most {half} of the time, where 50 % "
        "is blind guessing.\nThese numbers are rounded up."
    )


def at_most(share: float) -> str:
    """Write a share in percent, rounded up, so that it is not exceeded.

    >>> at_most(0.73106), at_most(0.9999546), at_most(0.99999999)
    ('73.2 %', '100.00 %', '100.00 %')
    """
    places = 2 if share > 0.99 else 1
    return f"{min(_round_up(100 * share, places), 100):.{places}f} %"


def _round_up(number: float, places: int) -> float:
    """Round up to this many decimals, whatever the last bits of the float."""
    return float(
        math.ceil(Fraction(number) * (1 + Fraction(1, 10**12)) * Fraction(10) ** places)
        / Fraction(10) ** places
    )


def posterior(prior: float, epsilon: Fraction) -> float:
    """Return the largest value that a prior can become: the odds grow by at most e^epsilon.

    >>> round(posterior(0.1, Fraction(1)), 3)
    0.232
    """
    odds = prior / (1 - prior) * math.exp(min(float(epsilon), 700))
    return odds / (1 + odds)


def commands(plan: Document) -> str:
    """Return the command lines that make such a release again from the files of the bundle."""
    return f"""# Unpack the bundle and put the confidential table beside it, as TABLE.csv.
# This is a new release: fresh noise, and epsilon is spent once more.
python run_again.py TABLE.csv{_public(plan)}

# The same without the script. A table that needs --format (another delimiter, say) needs it
# here too; with --ledger FILE the spend is counted.
python -m synth release TABLE.csv --plan plan.json{_public(plan)} --out again
{_spelled_out(plan)}
# What follows from the certificate and the noisy counts is done again and compared.
python -m synth verify BUNDLE.zip
"""


def _public(plan: Document) -> str:
    """Return the option for the public table that the plan names by its digest."""
    return " --public PUBLIC.csv" if "public" in plan else ""


def _spelled_out(plan: Document) -> str:
    """Return the command with all options; rules are too long for a line."""
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
# The same with every choice spelled out.
python -m synth release TABLE.csv --domain domain.json {shlex.join(map(str, words))} --out again
"""


def script() -> str:
    """Return the program that makes such a release again; it passes further arguments on."""
    return '''"""Make a release by the plan of this bundle: python run_again.py TABLE.csv

It draws fresh noise and spends epsilon once more. More options may follow, such as
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
    """A JSON file."""
    return (json.dumps(content, indent=1, ensure_ascii=False) + "\n").encode()
