"""``--predict``: from the command line to the certificate and its verification."""

import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import synth
from synth.bundle import Certificate, MarginalsCertificate
from synth.cli.main import main
from synth.domain import write_schema
from synth.errors import SynthError
from synth.estimate import Method
from synth.plans import Plan
from synth.verification.marginals import check_plan
from tests.bundle.bundles import read_bundle
from tests.cli.conftest import Line

DOMAIN = synth.Domain(
    age=synth.Integer(0, 99, bins=10),
    pay=synth.Integer(0, 99, bins=10),
    sex=["f", "m"],
    left=["no", "yes"],
    old=synth.Derived(formula="bins(age, 50)"),
)


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a table of 3,000 rows and two bundles: plain, and with ``--predict
    left``.

    The column `left` depends on age, and `old` is derived from age.
    """
    folder = tmp_path_factory.mktemp("predict")
    generator = np.random.default_rng(4)
    age = generator.integers(0, 100, 3000)
    pay = np.clip(age + generator.normal(0, 25, 3000), 0, 99).astype(int)
    has_left = np.where(generator.random(3000) < 0.1 + 0.6 * (age > 60), "yes", "no")
    frame = pd.DataFrame({"age": age, "pay": pay, "sex": generator.choice(["f", "m"], 3000)})
    frame["left"] = has_left
    frame["old"] = "0 to 49"
    frame.to_csv(folder / "t.csv", index=False)
    (folder / "domain.json").write_text(json.dumps(write_schema(DOMAIN)))
    for name, predict_options in {"plain": [], "left": ["--predict", "left"]}.items():
        out = ["--out", str(folder / f"{name}.zip"), *predict_options]
        assert main(["release", str(folder / "t.csv"), *_release_words(folder), *out]) == 0
    return folder


def _release_words(folder: Path) -> list[str]:
    words = [
        "--domain",
        str(folder / "domain.json"),
        "--epsilon",
        "2",
        "--method",
        "one-shot",
    ]
    return [*words, "--ledger", str(folder / "ledger.db"), "--dataset", "t", "--budget", "4"]


def _paid_by_columns(certificate: dict[str, object]) -> dict[tuple[str, ...], Fraction]:
    """What each pair got."""
    assert isinstance(certificate["mechanism"], dict)
    spends = certificate["mechanism"]["marginals"]
    pairs = [spend for spend in spends if len(spend.get("columns", ())) == 2]
    return {tuple(spend["columns"]): Fraction(spend["cost"]["epsilon"]) for spend in pairs}


def test_it_is_paid_for_and_said_wherever_a_choice_is(files: Path) -> None:
    """Which column is to be predicted is part of the request: another release, at the same
    cost.

    The certificate, the statement and the command to run it again name the column.
    """
    plain, content = (
        json.loads(read_bundle(files / f"{n}.zip")["certificate.json"]) for n in _NAMES
    )
    assert "predict" not in plain
    assert content["predict"] == "left"
    assert content["ledger"]["entry"] != plain["ledger"]["entry"]
    assert content["guarantee"]["statement"] == plain["guarantee"]["statement"]
    assert content["mechanism"]["spent"] == plain["mechanism"]["spent"] == {"epsilon": "2"}

    assert (
        b"pairs with 'left', to be predicted, came first"
        in read_bundle(files / "left.zip")["statement.txt"]
    )
    assert b"--predict left" in read_bundle(files / "left.zip")["run_again.txt"]
    for name in _NAMES:
        assert main(["verify", str(files / f"{name}.zip")]) == 0


_NAMES = ("plain", "left")


def test_its_pairs_get_a_larger_part(files: Path) -> None:
    """Pairs with the column to be predicted get more than half of the epsilon of
    all pairs.
    """
    paid = _paid_by_columns(json.loads(read_bundle(files / "left.zip")["certificate.json"]))
    assert sum(cost for pair, cost in paid.items() if "left" in pair) > sum(paid.values()) / 2


def test_a_certificate_that_says_otherwise_is_refused(files: Path) -> None:
    """A bundle whose plan and certificate name different columns to predict is refused."""
    plan = json.loads(read_bundle(files / "left.zip")["plan.json"])
    certificate = Certificate.from_json(
        json.loads(read_bundle(files / "left.zip")["certificate.json"])
    )
    assert isinstance(certificate, MarginalsCertificate)
    assert certificate.predict == "left"
    check_plan(Plan.from_json(plan), certificate)
    for forged_plan in ({"predict": "sex"}, {"predict": ""}):
        with pytest.raises(SynthError, match="column to predict does not match"):
            check_plan(Plan.from_json({**plan, **forged_plan}), certificate)


def test_a_plan_without_it_is_as_it_was_and_one_with_it_asks_for_other_counts() -> None:
    """A plan names the column to predict only if there is one, and then asks for other
    counts.

    So plans of older versions stay as they are. A list in place of a name is no plan.
    """
    plain = Plan(domain=DOMAIN, epsilon=Fraction(1), method=Method.ONE_SHOT)
    predicting = Plan(
        domain=DOMAIN, epsilon=Fraction(1), method=Method.ONE_SHOT, predict="left"
    )
    assert "predict" not in plain.to_json()
    assert "predict" not in json.loads(plain.request)
    assert plain.request != predicting.request
    assert Plan.from_json(predicting.to_json()) == predicting
    with pytest.raises(SynthError, match="no plan of Synth"):
        Plan.from_json({**plain.to_json(), "predict": ["left"]})


def test_a_histogram_that_auto_takes_is_the_same_release() -> None:
    """Where a histogram of all columns is released, --predict changes no count and no
    request.

    Two columns of two values have so few cells that the method auto takes a histogram.
    """
    domain = synth.Domain(sex=["f", "m"], left=["no", "yes"])
    plain = Plan(domain=domain, epsilon=Fraction(1))
    predicting = Plan(domain=domain, epsilon=Fraction(1), predict="left")
    assert not predicting.by_model
    assert plain.request == predicting.request


def test_python_says_it_the_same_way(files: Path) -> None:
    """In Python, predict= of synth.release is written to the certificate as by
    the command.
    """
    frame = pd.read_csv(files / "t.csv", dtype=str)
    release = synth.release(frame, DOMAIN, epsilon=1, method="one-shot", predict="left")
    assert isinstance(release.certificate, MarginalsCertificate)
    assert release.certificate.predict == "left"


@pytest.mark.parametrize(
    ("extra_words", "message"),
    [
        (["--predict", "pays"], "'pays', is not declared"),
        (["--predict", "old"], "'old', is derived"),
        (["--predict", "left", "--columns", "age,pay"], "'left', is not declared"),
        (["--predict", "left", "--method", "tree"], "Only the methods auto, one-shot"),
        (["--predict", "left", "--method", "dense"], "Only the methods auto, one-shot"),
        (
            ["--predict", "left", "--public", "PUBLIC", "--vouched-by", "The archive"],
            "exclude each other",
        ),
    ],
)
def test_what_cannot_be_is_refused_in_one_sentence(
    files: Path, extra_words: list[str], message: str, cli: Line
) -> None:
    """A column that is not declared, is derived or is left out cannot be predicted.

    Methods without a choice of pairs refuse it too, and so does a release with a public
    table.
    """
    (files / "public.csv").write_text("sex\nf\nm\n")
    words = ["--domain", str(files / "domain.json"), "--epsilon", "1"]
    words += [str(files / "public.csv") if word == "PUBLIC" else word for word in extra_words]
    assert message in cli.refusal("release", files / "t.csv", *words, "--out", files / "none")
    assert not (files / "none").exists()
