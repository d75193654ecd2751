"""Files of a bundle that state the certificate in words and tables.

They follow from the certificate, the plan and the domain alone; `verify` compares them.
"""

import json
import shlex
from collections.abc import Sequence
from fractions import Fraction
from textwrap import fill
from typing import cast

from synth.bundle.certificate import Certificate, LinkedCertificate, ReleaseCertificate
from synth.bundle.certificate_parts import NOT_IN_LEDGER, MechanismClaim
from synth.bundle.claims import at_most, epsilon_of_facts, posterior
from synth.bundle.declaration import beyond_of, decisions_in
from synth.bundle.dictionary import (
    DICTIONARY,
    OUTSIDE,
    dictionary,
    list_spellings,
)
from synth.bundle.file_names import SCHEMA
from synth.domain import Domain
from synth.estimate import RECIPES
from synth.privacy import ROW, Guarantee, Neighbors, RowReading, brief, scientific, terms
from synth.util import Document, Json

STATEMENT = "statement.txt"
# Most characters of a line of a statement.
LINE_LENGTH = 86
# The last line about `verify` in every statement.
LISTS_OPEN_PARTS = "It lists what only the steward can check, such as the time."


def write_texts(
    certificate: ReleaseCertificate, plan: Document, domain: Domain
) -> dict[str, bytes]:
    """Return the bytes of the texts that certificate, plan and domain give, by file name.

    Args:
        certificate: The certificate of the release.
        plan: The plan of the release, as JSON.
        domain: The declared columns.
    """
    return {
        STATEMENT: statement(certificate, domain).encode(),
        DICTIONARY: dictionary(domain).encode(),
        SCHEMA: certificate.schema.read_bytes(),
        "run_again.txt": commands(plan).encode(),
        "run_again.py": script().encode(),
    }


def statement(certificate: ReleaseCertificate, domain: Domain) -> str:
    """Return the statement of a release, the text of the file `STATEMENT`."""
    return f"""{fill(certificate.rows_fit, LINE_LENGTH)}

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
{_missing_sentence(domain)}{_open_sentence(domain)}{_derived_sentence(domain)}{decision_lines(certificate)}Spend: {spend_in_words(certificate)}.
{scores_in_words(certificate)}
HOW TO CHECK IT

synth verify BUNDLE.zip   checks every file against the certificate, and that the
                          {certificate.mechanism.checked}
                          {LISTS_OPEN_PARTS}
"""  # noqa: E501


def _missing_sentence(domain: Domain) -> str:
    """Return the statement's lines about missing codes of single columns; empty for none."""
    sentences = [
        f"Missing values of column '{column.name}' in the table: {listing}."
        for column in domain.columns
        if (listing := list_spellings(column, column.missing_values or ()))
    ]
    return _write_paragraphs(sentences)


def _open_sentence(domain: Domain) -> str:
    """Return the statement's lines about lists that may lack values; empty for none."""
    sentences = [
        f"Column '{column.name}' lists the values that have a label. Whether the table holds "
        f"others was not decided; values outside {OUTSIDE[column.rule]}."
        for column in domain.columns
        if column.lacks_values
    ]
    return _write_paragraphs(sentences)


def _derived_sentence(domain: Domain) -> str:
    """Return the statement's lines about derived columns and ID columns; empty for none."""
    sentences = [
        f"Column '{column.name}' follows from the others of its row by a public rule, at "
        f"no cost: {column.rule}."
        for column in domain.derived
    ]
    sentences += [column.in_words for column in domain.identifiers]
    return _write_paragraphs(sentences)


def _write_paragraphs(sentences: Sequence[str]) -> str:
    """Return sentences as paragraphs of lines of `LINE_LENGTH`; empty for none."""
    return "".join(f"{fill(sentence, LINE_LENGTH)}\n" for sentence in sentences)


def decision_lines(certificate: ReleaseCertificate | LinkedCertificate) -> str:
    """Return the statement's lines about left-out columns and agreed losses, if any."""
    decisions = decisions_in(certificate)
    sentences = filter(None, (decisions.left_out_sentence, decisions.agreed_sentence))
    return "".join(f"{fill(sentence, LINE_LENGTH)}\n" for sentence in sentences)


def promise(certificate: Certificate) -> str:
    """Return the statement's part about the guarantee, with its heading.

    It has the promise, the privacy unit, the meaning of epsilon as odds, and the caveats.
    """
    guarantee = certificate.guarantee
    odds = ""
    if guarantee.epsilon:  # if nothing was spent, it is 0
        sentence = _odds_sentence(guarantee.epsilon, guarantee.delta, certificate.neighbors)
        odds = f"\n{fill(sentence, LINE_LENGTH)}\n"
    return f"""THE GUARANTEE

{_statement(certificate)}
The privacy unit is {certificate.privacy_unit}.{_limit_sentence(certificate)}
{odds}
{list_caveats(certificate)}
"""


def _statement(certificate: Certificate) -> str:
    """Return the guarantee in words, with the part about the declaration as a paragraph.

    The certificate has both in one text, of which that part is the end.
    """
    about_declaration = beyond_of(certificate)
    promise_alone = certificate.guarantee.statement.removesuffix(about_declaration)
    paragraphs = (promise_alone, about_declaration.strip())
    return "\n".join(fill(paragraph, LINE_LENGTH) for paragraph in paragraphs if paragraph)


def spend_in_words(certificate: Certificate) -> str:
    """Return where the spend is recorded, and the two persons if it needed two."""
    recorded = certificate.ledger_record
    if recorded is None:
        return NOT_IN_LEDGER
    entry = f"entry {recorded.entry} of the steward's ledger"
    persons = recorded.persons_in_words
    return f"{entry}; {persons}" if persons else entry


def scores_in_words(certificate: ReleaseCertificate) -> str:
    """Return the statement's part about utility scores; empty if there are none.

    With noise, an error may be negative and a k-marginal score above 1000. Then the limit is
    shown.
    """
    if not certificate.scores:
        return ""
    paragraphs = [
        f"""
ACCURACY

The {score.what} is {max(0, score.error):.4f} (95 % interval: ± {score.reach:.4f}):
the share of rows you would have to change. The k-marginal score is
{min(1000, score.k_marginal):.0f} of 1000. It was measured with noise for
epsilon {score.epsilon}, which the guarantee above includes."""
        for score in certificate.scores
    ]
    return "\n".join([*paragraphs, ""])


def list_caveats(certificate: Certificate) -> str:
    """Return the caveats as lines of a list."""
    items = (
        fill(f"- {caveat}", LINE_LENGTH, subsequent_indent="  ")
        for caveat in certificate.caveats
    )
    return "\n".join(items)


def _limit_sentence(certificate: Certificate) -> str:
    """Return what happened to people with more rows than are used.

    It is empty if the guarantee protects single rows, not persons.
    """
    if certificate.privacy_unit == str(ROW):
        return ""
    limit = "one row"
    number = "one"
    if certificate.max_rows != 1:
        number = f"{certificate.max_rows:,}"
        limit = f"{number} rows"
    return f"""
If a person has more than {limit}, Synth used {number} of them, chosen by a rule that looks at
this person's rows only. Rows without a person were left out."""


def _odds_sentence(epsilon: Fraction, delta: Fraction, neighbors: Neighbors) -> str:
    """Return the meaning of the guarantee for somebody who guesses, in percent.

    Args:
        epsilon: The epsilon of the guarantee.
        delta: The delta of the guarantee; 0 for none.
        neighbors: Which tables the guarantee compares.
    """
    # Under add-remove, tables that differ in a fact about one unit are two steps apart. A
    # guess is between neighbours, one step apart. Both probabilities begin at one half.
    fact = at_most(posterior(0.5, epsilon_of_facts(epsilon, neighbors)))
    guess = at_most(posterior(0.5, epsilon))
    sentences = (
        f"A fact that someone thought 50 % likely becomes at most {fact} likely. Anyone who "
        f"guesses which of two tables was used is right at most {guess} of the time. These "
        "numbers are rounded up."
    )
    if delta:
        sentences += (
            f" With a probability of at most {scientific(delta)} (delta), the guarantee "
            "fails."
        )
    return sentences


def _mechanism_sentence(mechanism: MechanismClaim) -> str:
    """Return the sentence on the measurements and their noise.

    It begins with the name of the mechanism, in a capital letter.
    """
    return (
        f"{mechanism.name[:1].upper()}{mechanism.name[1:]}{mechanism.explain(cost_in_words)}"
    )


def cost_in_words(cost: Guarantee) -> str:
    """Return a cost in words, such as "epsilon 0.5".

    Long fractions are shortened (`brief`); the certificate has them exactly.
    """
    parts = []
    for unit, amount in terms(cost).items():  # epsilon, delta, rho or mu_squared
        name = unit.replace("mu_squared", "mu^2")
        parts.append(f"{name} {brief(Fraction(amount), most=8, digits=3)}")
    return ", ".join(parts)


def commands(plan: Document) -> str:
    """Return the commands that make such a release again, as a text for a shell.

    Args:
        plan: The plan of the release, as JSON.
    """
    return f"""# Unpack the bundle and put the confidential table into the folder, as TABLE.csv.
# Where the ledger knows this release, it comes again at no cost. Elsewhere it is a new one: it
# draws fresh noise and spends epsilon again.
python run_again.py TABLE.csv{_public(plan)}

# The same without the script. Add --read if the table needs it (another delimiter, say).
synth release TABLE.csv --plan plan.json{_public(plan)} --out again
{_spelled_out(plan)}
# Check the bundle.
synth verify BUNDLE.zip
"""  # noqa: E501


def _public(plan: Document) -> str:
    """Return the option of the public table, if the plan has one."""
    return " --public PUBLIC.csv" if "public" in plan else ""


def _spelled_out(plan: Document) -> str:
    """Return the lines with the command that spells out all options of a plan.

    They are empty if the plan has rules, which no option expresses.

    Args:
        plan: The plan of the release, as JSON.
    """
    if plan["rules"]:
        return ""
    words = ["--epsilon", plan["epsilon"], "--neighbors", plan["neighbors"]]
    words += _choices_of_method(plan)
    moments = cast("list[str]", plan.get("moments", []))
    # A method that chooses another one also chooses sums of numbers, unless told "none".
    if moments or RECIPES[cast("str", plan["method"])].chooses:
        words += ["--moments", ",".join(moments) or "none"]
    if plan.get("reading") == RowReading.SPAN:
        words += ["--read", "lines=span"]
    if "public" in plan:
        public = cast("dict[str, str]", plan["public"])
        words += ["--public", "PUBLIC.csv", "--vouched-by", public["vouched_by"]]
    if plan["delta"] != "0":
        words += ["--delta", plan["delta"]]
    if plan["groups"]:
        groups = cast("list[list[str]]", plan["groups"])
        words += ["--groups", ";".join(map(",".join, groups))]
    if plan["person"]:
        words += ["--person", plan["person"], "--max-rows", plan["max_rows"]]
    return f"""
# The same with all options.
synth release TABLE.csv --domain domain.json {shlex.join(map(str, words))} --out again
"""


def _choices_of_method(plan: Document) -> list[str]:
    """Return the options with a single word that say how rows are made, and their values.

    Options at their defaults are left out. ``plan`` is the plan as JSON.
    """
    words = []
    for name in ("method", "repair", "rows", "favour", "predict"):
        if plan.get(name):
            words += [f"--{name}", str(plan[name])]
    if plan.get("repair_seen"):
        words.append("--repair-seen")
    return words


def script() -> str:
    """Return the Python program that makes such a release again, the text of a file."""
    return '''"""Make a release by the plan of this bundle: python run_again.py TABLE.csv

It draws fresh noise and spends epsilon again. You can add options, such as
--ledger FILE --dataset NAME, or --read delimiter=;
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
    """Return a JSON value as the bytes of a file."""
    return (json.dumps(content, indent=1, ensure_ascii=False) + "\n").encode()
