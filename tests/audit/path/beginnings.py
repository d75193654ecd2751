"""What every release must recall: looks at the tables of its dataset, and payments for
them.
"""

from fractions import Fraction
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import pyarrow.csv as pa_csv

from synth.bundle import LinkedCertificate, ReleaseCertificate
from synth.domain import Domain, LinkedPackage
from synth.door import Ledger
from synth.estimate import FitCheck
from synth.plans import LinkedPlan, Method, Plan
from synth.privacy import ROW, Guarantee, Neighbors, Unit, parse_budget
from synth.questions import Inquiry
from synth.spending import RELEASE_STAGES, asking, fit, linked, pipeline
from tests.audit.path.tables import DOMAIN, HEADER, OTHERS
from tests.linked.households import files_at_random, households
from tests.tables import write

PRICE = Fraction(1, 8)
SENTENCE = "the steward looked at exact numbers of rows that fit"


def recalling() -> str:
    """A release, answers, and a linked release by each of its tables, say what the ledger
    knows.
    """
    return _of_one_table() or _while_counting() or _of_answers() or _of_linked_tables()


def _ledger(folder: Path, name: str, neighbors: Neighbors) -> Ledger:
    ledger = Ledger(folder / f"{name}.db")
    ledger.set_budget("d", parse_budget("99", neighbors))
    return ledger


def _of_one_table() -> str:
    """The file has changed since the look and the check."""
    with TemporaryDirectory() as folder:
        source = write(Path(folder) / "t.csv", HEADER, OTHERS * 5)
        earlier = write(Path(folder) / "earlier.csv", HEADER, OTHERS * 4)
        plan = Plan(domain=DOMAIN, epsilon=Fraction(1), dataset="d", method=Method.DENSE)
        ledger = _ledger(Path(folder), "one", plan.neighbors)
        _look_and_check(ledger, earlier)
        certificate = pipeline.synthesize(plan, source, ledger=ledger).certificate
        return _missing("a release", certificate, Fraction(1) + PRICE)


def _look_and_check(ledger: Ledger, source: Path) -> None:
    fit.look_at(DOMAIN, source, ledger=ledger, dataset="d")
    check = FitCheck(
        domain=DOMAIN, epsilon=PRICE, neighbors=Neighbors.REPLACE_ONE, unit=ROW, dataset="d"
    )
    fit.check_fit(check, source, ledger=ledger)


def _while_counting() -> str:
    """Another process looks and checks after the rows were counted, right before the
    spend.
    """
    with TemporaryDirectory() as folder:
        source = write(Path(folder) / "t.csv", HEADER, OTHERS * 5)
        plan = Plan(domain=DOMAIN, epsilon=Fraction(1), dataset="d", method=Method.DENSE)
        ledger = _ledger(Path(folder), "counting", plan.neighbors)

        def act_in_between(stage: str) -> None:
            if stage == RELEASE_STAGES[1]:
                with Ledger(ledger.path) as ledger_of_other:
                    _look_and_check(ledger_of_other, source)

        result = pipeline.synthesize(plan, source, ledger=ledger, progress=act_in_between)
        return _missing("a release beside others", result.certificate, Fraction(1) + PRICE)


def _of_answers() -> str:
    with TemporaryDirectory() as folder:
        source = write(Path(folder) / "t.csv", HEADER, OTHERS * 5)
        ledger = _ledger(Path(folder), "answers", Neighbors.REPLACE_ONE)
        fit.look_at(DOMAIN, source, ledger=ledger, dataset="d")
        inquiry = Inquiry.read(["count"], DOMAIN, Guarantee.pure(1), dataset="d")
        result = asking.ask(inquiry, source, ledger=ledger)
        statement = result.certificate.guarantee.statement
        return "" if SENTENCE in statement else "answers hide a look"


def _of_linked_tables() -> str:
    package, plan_of = households(), LinkedPlan
    homes = files_at_random(Random(7), "ABCDEFGH").tables()
    for number, table in enumerate(package.tables):
        with TemporaryDirectory() as folder:
            sources = {name: Path(folder) / f"{name}.csv" for name in homes}
            for name, rows in homes.items():
                pa_csv.write_csv(rows, sources[name])
            plan = plan_of(
                package=package,
                epsilon=Fraction(1),
                neighbors=Neighbors.ADD_REMOVE,
                dataset="d",
            )
            ledger = _ledger(Path(folder), f"linked{number}", plan.neighbors)
            domain, unit = _declared(package, number), Unit(table.root_key, table.most)
            # Under another name, the ledger knows by the file which table it was.
            fit.look_at(domain, sources[table.name], ledger=ledger, dataset="e")
            check = FitCheck(
                domain=domain, epsilon=PRICE, neighbors=plan.neighbors, unit=unit, dataset="d"
            )
            fit.check_fit(check, sources[table.name], ledger=ledger)
            certificate = linked.synthesize_linked(plan, sources, ledger=ledger).certificate
            if wrong := _missing(
                f"linked tables by '{table.name}'", certificate, Fraction(1) + PRICE
            ):
                return wrong
    return ""


def _declared(package: LinkedPackage, number: int) -> Domain:
    return package.tables[number].own


def _missing(
    subject: str, certificate: ReleaseCertificate | LinkedCertificate, total: Fraction
) -> str:
    declaration, claim = certificate.declaration, certificate.guarantee
    if not declaration.looked or SENTENCE not in claim.statement:
        return f"{subject} hide a look"
    if len(declaration.preparations) != 1 or claim.epsilon != total:
        return f"{subject} hide a payment"
    return ""
