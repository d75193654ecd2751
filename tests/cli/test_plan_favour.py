"""``--favour``: from the command line to the certificate and its verification."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import synth
from synth.bundle import Certificate, MarginalsCertificate
from synth.cli.main import main
from synth.domain import write_schema
from synth.errors import SynthError
from synth.estimate import Favour, Method
from synth.plans import Plan
from synth.verification.marginals import check_plan
from tests.bundle.bundles import read_bundle
from tests.cli.conftest import Line

DOMAIN = synth.Domain(
    age=synth.Integer(0, 99, bins=10), pay=synth.Integer(0, 99, bins=10), sex=["f", "m"]
)


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a table of 3,000 rows, and one bundle for each value of ``--favour``.

    Age and pay are correlated. Both releases are of the same plan but for the favour, with
    one ledger whose budget pays for one of them only.
    """
    folder = tmp_path_factory.mktemp("favour")
    generator = np.random.default_rng(4)
    age = generator.integers(0, 100, 3000)
    pay = np.clip(age + generator.normal(0, 25, 3000), 0, 99).astype(int)
    frame = pd.DataFrame({"age": age, "pay": pay, "sex": generator.choice(["f", "m"], 3000)})
    frame.to_csv(folder / "t.csv", index=False)
    (folder / "domain.json").write_text(json.dumps(write_schema(DOMAIN)))
    words = [
        "--domain",
        str(folder / "domain.json"),
        "--epsilon",
        "1",
        "--method",
        "one-shot",
    ]
    words += ["--ledger", str(folder / "ledger.db"), "--dataset", "t", "--budget", "1"]
    for favour in Favour:
        out = ["--favour", favour.value, "--out", str(folder / f"{favour.value}.zip")]
        assert main(["release", str(folder / "t.csv"), *words, *out]) == 0
    return folder


def test_the_other_choice_is_free_and_its_certificate_says_so(files: Path) -> None:
    """Both values of ``--favour`` draw rows from the same noisy counts, so the second is
    free.

    The certificate, the statement and the command to run it again name the choice, unless it
    is the default. Without the ledger `verify` leaves claims open: exit status 3.
    """
    plain, strong = (files / f"{favour.value}.zip" for favour in Favour)  # default first
    assert read_bundle(plain)["noisy_counts.csv"] == read_bundle(strong)["noisy_counts.csv"]
    assert read_bundle(plain)["synthetic.csv"] != read_bundle(strong)["synthetic.csv"]

    content = [json.loads(read_bundle(path)["certificate.json"]) for path in (plain, strong)]
    assert "favour" not in content[0]
    assert content[1]["favour"] == "associations"
    assert b"the rows favour associations" in read_bundle(strong)["statement.txt"]
    assert b"--favour associations" in read_bundle(strong)["run_again.txt"]
    assert main(["verify", str(plain)]) == main(["verify", str(strong)]) == 0


def test_a_certificate_that_says_otherwise_is_refused(files: Path) -> None:
    """A bundle whose certificate and plan name different favours fails its verification."""
    path = files / "associations.zip"
    plan = json.loads(read_bundle(path)["plan.json"])
    content = json.loads(read_bundle(path)["certificate.json"])
    certificate = Certificate.from_json(content)
    assert isinstance(certificate, MarginalsCertificate)
    assert certificate.favour is Favour.ASSOCIATIONS
    check_plan(Plan.from_json(plan), certificate)
    del plan["favour"]
    with pytest.raises(SynthError, match="favours something else than"):
        check_plan(Plan.from_json(plan), certificate)


def test_a_plan_without_it_is_as_it_was_and_asks_for_the_same_counts() -> None:
    """The favour is written only if it is not the default, and is no part of what is paid
    for.

    So plans of older versions stay the same, and the same request in the ledger serves both.
    """
    plain = Plan(domain=DOMAIN, epsilon="1", method=Method.ONE_SHOT)  # type: ignore[arg-type]
    strong = Plan(
        domain=DOMAIN, epsilon="1", method=Method.ONE_SHOT, favour=Favour.ASSOCIATIONS
    )  # type: ignore[arg-type]
    assert "favour" not in plain.to_json()
    assert plain.request == strong.request
    assert Plan.from_json(strong.to_json()) == strong


@pytest.mark.parametrize("method", ["dense", "tree", "independent", "groups", "histogram"])
def test_methods_that_settle_no_rows_refuse_it(files: Path, method: str, cli: Line) -> None:
    """A method that does not fit rows to counts cannot favour anything, and refuses
    ``--favour``.
    """
    words = ["--domain", files / "domain.json", "--epsilon", "1", "--method", method]
    words += ["--favour", "associations", "--out", files / "none"]
    refusal = cli.refusal("release", files / "t.csv", *words)
    assert "Only the methods auto, one-shot and adaptive" in refusal
    assert not (files / "none").exists()


@pytest.mark.slow
def test_compare_says_how_strong_associations_are(files: Path, cli: Line) -> None:
    """`compare` and `synth.compare` report how strong associations are, as a slope.

    A slope of synthetic on real associations near 1 says that they are about as strong as in
    the table.
    """
    words = ("compare", files / "t.csv", files / "associations.zip")
    assert "Associations come out at " in cli.output(*words)
    report = cli.report(*words)["association_slopes"]
    assert 0.5 < report["correlation"] < 1.5
    assert 0.5 < report["association"] < 1.5
    frame = pd.read_csv(files / "t.csv")
    comparison = synth.compare(frame, files / "associations.zip")
    assert comparison.slopes.correlation == pytest.approx(report["correlation"])
