"""Answers that are verified, and forged in every field."""

import json
from collections.abc import Callable
from dataclasses import fields, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from synth.bundle import AnswersCertificate, Asked
from synth.cli.main import main
from synth.domain import LOOKED_UP
from synth.door import Ledger, Preparation
from synth.errors import ReleaseError
from synth.estimate import WayName
from synth.privacy import ROW, Guarantee, Neighbors, Unit
from synth.verification import answers, open_bundle, verify, versions
from synth.verification.checks import VerifiedAnswers
from tests.bundle.asked import (
    DOMAIN,
    asked_of,
    cached_answers,
    refusal_of,
    write_answers,
    write_forged,
)
from tests.bundle.bundles import (
    edit_certificate,
    edit_text,
    read_bundle,
    replace_signed,
    rezip,
)

Change = Callable[[dict[str, Any]], Any]


@pytest.fixture(scope="module")
def answers_and_ledger(tmp_path_factory: pytest.TempPathFactory) -> tuple[Asked, Ledger]:
    """The answers to six questions on 300 rows, for epsilon 1, and the ledger that paid for
    them.
    """
    return asked_of(tmp_path_factory.mktemp("asked"))


@pytest.fixture(scope="module")
def bundle(
    answers_and_ledger: tuple[Asked, Ledger], tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """The zip file of these answers, which the ledger has recorded."""
    answers, ledger = answers_and_ledger
    return answers.write_archive(tmp_path_factory.mktemp("bundle") / "a.zip", ledger)


KINDS: dict[str, dict[str, Any]] = {
    "persons": {"unit": Unit("sex", 2)},
    "means over persons": {"unit": Unit("sex", 2), "questions": ["mean age over persons"]},
    "add-remove": {
        "neighbors": Neighbors.ADD_REMOVE,
        "questions": ["mean age by sex", "count"],
    },
    "rho": {"guarantee": Guarantee.zcdp(Fraction(1, 10))},
    "delta": {"guarantee": Guarantee.approximate(1, Fraction(1, 10**9))},
    "delta of a rho": {
        "guarantee": Guarantee.approximate(1, Fraction(1, 10**9)),
        "budget": "rho=5,delta=1e-8",
    },
    "one number and a delta": {
        "guarantee": Guarantee.approximate(1, Fraction(1, 10**5)),
        "questions": ["total age"],
        "neighbors": Neighbors.ADD_REMOVE,
    },
    "histogram": {
        "way": "histogram",
        "questions": ["table job by sex", "count where age > 30"],
    },
    "nothing spent": {"questions": ["count"]},
    "quantiles": {
        "questions": ["median age where sex = F", "quantiles .1, .9 of age with interval"]
    },
    "deciles off a tree": {
        "neighbors": Neighbors.ADD_REMOVE,
        "questions": [
            "count where sex = M",
            "quantiles .1, .3, .5, .7, .9 of age where sex = F",
        ],
    },
    "a median off a tree": {
        "unit": Unit("sex", 2),
        "guarantee": Guarantee.zcdp(Fraction(1, 10)),
        "questions": ["median age"],
        "way": "hierarchy",
    },
    "quantiles of persons": {"unit": Unit("sex", 2), "questions": ["median age"]},
    "quantiles under a rho": {
        "guarantee": Guarantee.zcdp(Fraction(1, 10)),
        "questions": ["median age with interval", "best of [age < 30; sex = F] by count"],
    },
    "best": {
        "neighbors": Neighbors.ADD_REMOVE,
        "questions": ["best of [age < 30; age > 60] by count where sex = F"],
    },
    "top": {"questions": ["top 2 job", "top 2 age with counts"]},
    "elliptical": {"guarantee": Guarantee.zcdp(Fraction(1, 10)), "questions": ["means age"]},
}


@pytest.mark.parametrize("kind", KINDS)
def test_answers_of_every_kind_are_verified(tmp_path: Path, kind: str) -> None:
    """`verify` accepts honest answers of every kind, with the inquiry and the answers that
    were given.

    `KINDS` maps a name to the questions, the guarantee and the privacy unit that are asked
    for.
    """
    options = dict(KINDS[kind])
    answers, ledger = asked_of(tmp_path, *options.pop("questions", ()), **options)

    checked = verify(answers.write_archive(tmp_path / "a.zip", ledger), ledger)

    assert checked.inquiry == answers.inquiry
    assert [a.to_json() for a in checked.answers] == [a.to_json() for a in answers.answers]


def test_a_folder_of_answers_is_verified_as_their_zip_is(
    bundle: Path, answers_and_ledger: tuple[Asked, Ledger], tmp_path: Path
) -> None:
    """`verify` says the same sentences of answers in a folder and in a zip file."""
    answers, ledger = answers_and_ledger
    answers.write(tmp_path / "folder", ledger)
    assert verify(tmp_path / "folder", ledger).checks == verify(bundle, ledger).checks


def test_the_command_verifies_answers(
    bundle: Path, answers_and_ledger: tuple[Asked, Ledger], capsys: pytest.CaptureFixture[str]
) -> None:
    """`synth verify` confirms a bundle of answers with the ledger that paid for them.

    The ledger's entry 1 is the budget, so the answers are entry 2.
    """
    path = answers_and_ledger[1].path
    # `main` returns 0 or None where nothing is refuted.
    assert main(["verify", str(bundle), "--ledger", str(path), "-v"]) in (0, None)

    output = capsys.readouterr().out
    assert "The answers and their intervals follow from the noisy numbers." in output
    assert (
        "Entry 2 of the ledger paid for it, and the ledger knows the certificate." in output
    )


LAPLACE_ASKED = ("count where age >= 65", "count where sex = F", "table job")
"""Questions that are answered by Laplace noise only if the inquiry asks for it."""


def laplace_answers() -> Asked:
    """Answers by Laplace noise, which this version would not choose by itself."""
    released = cached_answers(*LAPLACE_ASKED, way="laplace")
    free = replace(released.inquiry, way=None)
    chosen_ways = [portion.way.name for portion in free.arrangement.portions]
    assert chosen_ways != [
        portion.way.name for portion in released.inquiry.arrangement.portions
    ]
    return released


@pytest.mark.parametrize("way", [None, WayName.CUBE], ids=["any", "cube"])
def test_a_way_that_this_version_would_not_choose_is_refused(
    tmp_path: Path, way: WayName | None
) -> None:
    """Answers by Laplace noise are refused if the inquiry leaves the way free, and if it asks
    for another one. The certificate says that this version measured them.
    """
    released = laplace_answers()
    inquiry = replace(released.inquiry, way=way)
    path = write_answers(tmp_path / "a.zip", released.certificate, inquiry)
    assert refusal_of(path) == PORTIONS


def certify_elsewhere(released: Asked, differing_version: str) -> AnswersCertificate:
    """The certificate by another version, or by a machine that rounds otherwise."""
    other_version = {"synth": "0.0", "rounding": "0" * 16}[differing_version]
    versions = {**released.certificate.versions, differing_version: other_version}
    return replace(released.certificate, versions=versions)


@pytest.mark.parametrize("differing_version", ["synth", "rounding"])
def test_an_arrangement_of_another_version_is_worked_out_again(
    tmp_path: Path, differing_version: str
) -> None:
    """Another version, or a machine that rounds otherwise, may choose another way.

    Then `verify` says that it did not check the choice, and checks the answers by the way
    that was used.
    """
    released = laplace_answers()
    certificate = certify_elsewhere(released, differing_version)
    free = replace(released.inquiry, way=None)

    checked = verify(write_answers(tmp_path / "a.zip", certificate, free))

    assert isinstance(checked, VerifiedAnswers)
    assert answers.ARRANGED_ELSEWHERE in checked.not_checked
    assert answers.WORKED_OUT in checked.confirmed
    assert (
        "The answers and their intervals follow from the noisy numbers." in checked.confirmed
    )
    assert [answer.to_json() for answer in checked.answers] == [
        answer.to_json() for answer in released.answers
    ]


@pytest.mark.parametrize("differing_version", ["synth", "rounding"])
def test_no_version_may_answer_by_another_way_than_was_asked_for(
    tmp_path: Path, differing_version: str
) -> None:
    """Answers by Laplace noise are refused in every version if a cube is asked for."""
    released = laplace_answers()
    certificate = certify_elsewhere(released, differing_version)
    bound = replace(released.inquiry, way=WayName.CUBE)

    sentence = refusal_of(write_answers(tmp_path / "a.zip", certificate, bound))

    assert sentence == "Questions 1, 2: 'inquiry.json' asks for another way."


OLDER = tuple(f"count where age >= {age} and sex = F" for age in range(20, 90, 5))
STRATEGIES: dict[str, dict[str, Any]] = {
    "fitted": {"questions": OLDER, "way": "fitted"},
    "trees": {"questions": [question[:-12] for question in OLDER], "way": "hierarchy"},
    "marginals": {
        "questions": ["table job", "table sex", "table sex, job"],
        "way": "marginals",
        "guarantee": Guarantee.zcdp(Fraction(1, 10)),
    },
    "products": {"questions": ["variance age where sex = F", "variance age by job"]},
    "a ball": {"questions": ["count where age > 30", "table sex, job"], "way": "l2"},
    "shares": {"questions": ["share where age > 30 and sex = F"]},
    "means by": {"questions": ["mean age by sex, job"], "neighbors": Neighbors.ADD_REMOVE},
}


@pytest.mark.parametrize("kind", STRATEGIES | KINDS)
def test_whatever_is_arranged_is_worked_out_without_the_builder(
    tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Sensitivity and noise of another version's answers are computed again from the
    questions alone.

    `STRATEGIES` and `KINDS` name questions and how they are asked.
    """
    options = dict((STRATEGIES | KINDS)[kind])
    released, _ = asked_of(tmp_path, *options.pop("questions", ()), **options)

    # The certificate names another version of Synth, and this version is made to find a
    # difference to its own arrangement.
    path = write_forged(
        released, tmp_path / "a.zip", set_value("versions", "synth", value="0.0")
    )
    monkeypatch.setattr(answers, "_find_difference", lambda *_: PORTIONS)

    checked = verify(path)
    assert isinstance(checked, VerifiedAnswers)
    assert answers.WORKED_OUT in checked.confirmed
    assert [answer.to_json() for answer in checked.answers] == [
        answer.to_json() for answer in released.answers
    ]


@pytest.mark.parametrize("claim", ["scale", "lower cost", "higher cost", "spent", "epsilon"])
def test_no_other_version_makes_up_for_too_little_noise(
    answers_and_ledger: tuple[Asked, Ledger], tmp_path: Path, claim: str
) -> None:
    """A false noise, cost, spend or epsilon is refused even if the certificate names another
    version.

    `FORGED` maps a claim to its change of the certificate and to the sentence that refuses
    it.
    """
    change, sentence = FORGED[claim]

    elsewhere = apply_all(change, set_value("versions", "synth", value="0.0"))

    assert (
        refusal_of(write_forged(answers_and_ledger[0], tmp_path / "a.zip", elsewhere))
        == sentence
    )


@pytest.mark.slow
@pytest.mark.parametrize("differing_version", ["synth", "rounding"])
def test_nothing_that_is_forged_is_confirmed_as_of_another_version(
    answers_and_ledger: tuple[Asked, Ledger], tmp_path: Path, differing_version: str
) -> None:
    """A forged certificate that names another version or machine is refuted, or parts stay
    unchecked.

    `FORGED` holds a change for each claim of a certificate.
    """
    elsewhere = set_value(
        "versions",
        differing_version,
        value={"synth": "0", "rounding": "0" * 16}[differing_version],
    )
    for change, _ in FORGED.values():
        path = write_forged(
            answers_and_ledger[0], tmp_path / "a.zip", apply_all(change, elsewhere)
        )
        try:
            checked = verify(path, answers_and_ledger[1])
        except ReleaseError:
            continue
        assert checked.not_checked


def set_value(*path: str | int, value: Any) -> Change:
    def change(content: Any) -> None:
        for step in path[:-1]:
            content = content[step]
        content[path[-1]] = value

    return change


def delete_value(*path: str | int) -> Change:
    def change(content: Any) -> None:
        for step in path[:-1]:
            content = content[step]
        del content[path[-1]]

    return change


def apply_all(*changes: Change) -> Change:
    return lambda content: [change(content) for change in changes]


def set_in_portion(number: int, *path: str | int, value: Any) -> Change:
    return set_value("portions", number, *path, value=value)


COUNTS, MEAN, TOP = range(3)
FIRST = "Questions 1, 3, 5, 6"
PORTIONS = "The certificate's portions do not follow from the questions."
TOO_MUCH = "The costs of the portions exceed the spend."
OTHER_WORDS = "The certificate's sentence on the number of rows does not match its number."
ROWS_PUBLIC = (
    "The number of rows must be public under replace-one of one row, and private otherwise."
)
TOO_LITTLE = "there is less noise than the cost needs."
LACKING = "the sensitivity or the cost is missing."
OTHER_DIMENSION = "the noise is of another dimension."
OTHER_NUMBERS = "the noisy numbers do not match the questions."
OTHER_ANSWERS = "The answers do not follow from the noisy numbers."
OTHER_SPEND = "The certificate's spend does not match the inquiry."
OTHER_STATEMENT = "The certificate's statement does not follow from the spend."
OTHER_UNIT = "'inquiry.json' protects another privacy unit than the certificate says."
OTHER_TABLE = "'inquiry.json' is about another table than the certificate."


def not_this_strategy(questions: str, replacement: str) -> str:
    """That a portion is not the one of this version, and in what."""
    return f"{questions}: '{replacement}' does not answer these questions."


FORGED: dict[str, tuple[Change, str]] = {
    # How far neighbours are apart.
    "l1": (
        set_in_portion(COUNTS, "sensitivity", "l1", value=1),
        not_this_strategy(FIRST, "sensitivity"),
    ),
    "squared l2": (
        set_in_portion(MEAN, "sensitivity", "squared_l2", value=4),
        not_this_strategy("Question 2", "sensitivity"),
    ),
    "l-infinity": (
        set_in_portion(MEAN, "sensitivity", "l_infinity", value=1),
        not_this_strategy("Question 2", "sensitivity"),
    ),
    "least": (
        set_in_portion(COUNTS, "sensitivity", "least", "l1", value=99),
        not_this_strategy(FIRST, "sensitivity"),
    ),
    "not exact": (
        set_in_portion(COUNTS, "sensitivity", "exact", value=False),
        not_this_strategy(FIRST, "sensitivity"),
    ),
    # The noise and what it cost.
    "scale": (set_in_portion(MEAN, "noise", "scale", value="1"), f"Question 2: {TOO_LITTLE}"),
    "dimension": (
        set_in_portion(COUNTS, "noise", "dimension", value="3"),
        f"{FIRST}: {OTHER_DIMENSION}",
    ),
    "norm": (set_in_portion(COUNTS, "noise", "norm", value="l2"), f"{FIRST}: {TOO_LITTLE}"),
    "law": (
        set_in_portion(MEAN, "noise", value={"law": "discrete Gaussian", "sigma2": "9"}),
        f"Question 2: {TOO_LITTLE}",
    ),
    "choice": (
        set_in_portion(TOP, "noise", "law", value="exponential mechanism"),
        not_this_strategy("Question 4", "noise"),
    ),
    "way": (set_in_portion(COUNTS, "way", value="laplace"), not_this_strategy(FIRST, "way")),
    "lower cost": (
        set_in_portion(MEAN, "cost", "epsilon", value="1/100"),
        f"Question 2: {TOO_LITTLE}",
    ),
    "cost of a choice": (set_in_portion(TOP, "cost", "epsilon", value="2"), TOO_MUCH),
    "higher cost": (set_in_portion(MEAN, "cost", "epsilon", value="3"), TOO_MUCH),
    "no noise": (
        delete_value("portions", MEAN, "noise"),
        not_this_strategy("Question 2", "noise"),
    ),
    "no cost": (delete_value("portions", MEAN, "cost"), f"Question 2: {LACKING}"),
    "no sensitivity": (
        delete_value("portions", MEAN, "sensitivity"),
        f"Question 2: {LACKING}",
    ),
    "public already": (
        set_in_portion(MEAN, value={"questions": [2], "way": "known"}),
        not_this_strategy("Question 2", "way"),
    ),
    "counts public already": (
        set_in_portion(COUNTS, value={"questions": [1, 3, 5, 6], "way": "known"}),
        not_this_strategy(FIRST, "way"),
    ),
    "a choice of a mean": (
        apply_all(
            set_in_portion(MEAN, "way", value="choice"),
            set_in_portion(MEAN, "noise", value={"law": "permute-and-flip"}),
        ),
        not_this_strategy("Question 2", "way"),
    ),
    "a histogram of a mean": (
        set_in_portion(MEAN, "way", value="histogram"),
        not_this_strategy("Question 2", "way"),
    ),
    # The grids.
    "weight": (
        set_in_portion(COUNTS, "grains", 0, "weight", value=2),
        not_this_strategy(FIRST, "grains"),
    ),
    "no grids": (
        delete_value("portions", MEAN, "grains"),
        not_this_strategy("Question 2", "grains"),
    ),
    "grid of another column": (
        set_in_portion(MEAN, "grains", 0, "column", value="sex"),
        not_this_strategy("Question 2", "grains"),
    ),
    "grid for rows": (
        set_in_portion(MEAN, "grains", 0, value={"weight": 1}),
        not_this_strategy("Question 2", "grains"),
    ),
    "numbers for rows": (
        set_in_portion(
            COUNTS, "grains", 0, value={"column": "age", "middle": 0, "grid": 1, "most": 90}
        ),
        not_this_strategy(FIRST, "grains"),
    ),
    "most": (
        set_in_portion(MEAN, "grains", 0, "most", value=3),
        not_this_strategy("Question 2", "grains"),
    ),
    "middle": (
        set_in_portion(MEAN, "grains", 0, "middle", value=500.0),
        not_this_strategy("Question 2", "grains"),
    ),
    "grid": (
        set_in_portion(MEAN, "grains", 0, "grid", value=1e-3),
        not_this_strategy("Question 2", "grains"),
    ),
    # What came out.
    "fewer numbers": (
        set_in_portion(COUNTS, "noisy", value=[1, 2]),
        f"{FIRST}: {OTHER_DIMENSION}",
    ),
    "chosen": (set_in_portion(TOP, "noisy", value=[9]), f"Question 4: {OTHER_NUMBERS}"),
    "noisy": (set_in_portion(COUNTS, "noisy", 0, value=-999), OTHER_ANSWERS),
    "value": (set_value("answers", 0, "value", value=-5), OTHER_ANSWERS),
    "nearly the value": (set_value("answers", 1, "value", value=40.00001), OTHER_ANSWERS),
    "a value of a table": (set_value("answers", 2, "value", 1, value=7), OTHER_ANSWERS),
    "low": (set_value("answers", 0, "low", value=-5), OTHER_ANSWERS),
    "high": (set_value("answers", 2, "high", 0, value=1), OTHER_ANSWERS),
    "label": (set_value("answers", 2, "labels", 0, value="cook"), OTHER_ANSWERS),
    "expected error": (set_value("answers", 0, "expected_error", value=0.1), OTHER_ANSWERS),
    "way of an answer": (set_value("answers", 0, "way", value="laplace"), OTHER_ANSWERS),
    "question of an answer": (
        set_value("answers", 0, "question", value="count where age >= 66"),
        OTHER_ANSWERS,
    ),
    "remark": (set_value("answers", 0, "remarks", value=["approved"]), OTHER_ANSWERS),
    "fewer answers": (delete_value("answers", 0), OTHER_ANSWERS),
    # What is promised, and of what.
    "spent": (set_value("spent", value={"epsilon": "1/2"}), OTHER_SPEND),
    "nothing spent": (delete_value("spent"), OTHER_SPEND),
    "epsilon": (set_value("guarantee", "epsilon", value="1/2"), OTHER_STATEMENT),
    "delta": (set_value("guarantee", "delta", value="1/9"), OTHER_STATEMENT),
    "statement": (
        set_value("guarantee", "statement", value="Nothing can be learned."),
        OTHER_STATEMENT,
    ),
    "kind": (set_value("guarantee", "kind", value="perfect secrecy"), OTHER_STATEMENT),
    "questions left out": (set_in_portion(COUNTS, "questions", value=[1]), PORTIONS),
    "question twice": (set_in_portion(MEAN, "questions", value=[2, 3]), PORTIONS),
    "other questions": (
        set_value("questions", 0, value="count where age >= 66"),
        "'inquiry.json' asks other questions than the certificate answers.",
    ),
    "neighbors": (
        set_value("neighbors", value="add-remove"),
        "'inquiry.json' is about other neighbours than the certificate.",
    ),
    "unit": (
        set_value(
            "privacy_unit", value="one person by the column 'sex', with at most 1 rows"
        ),
        OTHER_UNIT,
    ),
    "max_rows": (set_value("max_rows", value=2), OTHER_UNIT),
    "dataset": (set_value("dataset", value="guests"), OTHER_TABLE),
    "origin": (set_value("domain_origin", value="looked up"), OTHER_TABLE),
    "rows are private": (
        apply_all(
            set_value("rows", value=None), set_value("number_of_rows", value="private")
        ),
        ROWS_PUBLIC,
    ),
    "no rows": (
        apply_all(set_value("rows", value=0), set_value("number_of_rows", value="0, public")),
        ROWS_PUBLIC,
    ),
    "words on rows": (set_value("number_of_rows", value="about 300"), OTHER_WORDS),
    "rows": (
        apply_all(
            set_value("rows", value=30), set_value("number_of_rows", value="30, public")
        ),
        OTHER_ANSWERS,
    ),
    "caveats": (
        set_value("caveats", value=["None."]),
        "The certificate lacks the caveats of every release.",
    ),
}


def set_sensitivity(
    number: int, l1: int, squared: int, highest: int, noise: dict[str, str]
) -> Change:
    """Of a portion another sensitivity, and the noise that this would need."""
    least = {"l1": l1, "squared_l2": squared, "l_infinity": highest}
    move = set_in_portion(
        number, "sensitivity", value=least | {"exact": True, "least": least}
    )
    return apply_all(move, set_in_portion(number, "noise", value=noise))


def laplace_noise(scale: int) -> dict[str, str]:
    return {"law": "discrete Laplace", "scale": str(scale)}


AGES = {"column": "age", "middle": 53.0, "grid": 1.0, "most": 37}
NOT_SO_FAR = "neighbours differ by another amount than the certificate says."
NO_REACH = "the grids do not reach all values of the columns."
ELSEWHERE: dict[str, tuple[Change, str]] = {
    "too small a sensitivity and noise": (
        set_sensitivity(MEAN, 36, 36**2, 36, laplace_noise(216)),
        f"Question 2: {NOT_SO_FAR}",
    ),
    "too small in one norm": (
        set_sensitivity(MEAN, 73, 72**2, 73, laplace_noise(438)),
        f"Question 2: {NOT_SO_FAR}",
    ),
    "too large a sensitivity": (
        set_sensitivity(MEAN, 74, 74**2, 74, laplace_noise(444)),
        f"Question 2: {NOT_SO_FAR}",
    ),
    "too small for the counts": (
        set_sensitivity(COUNTS, 3, 3, 1, laplace_noise(5)),
        f"{FIRST}: {NOT_SO_FAR}",
    ),
    "values pulled in": (
        apply_all(
            set_in_portion(MEAN, "grains", 0, "most", value=3),
            set_sensitivity(MEAN, 6, 36, 6, laplace_noise(36)),
        ),
        f"Question 2: {NO_REACH}",
    ),
    "values far from the middle": (
        apply_all(
            set_in_portion(MEAN, "grains", 0, "middle", value=500.0),
            set_sensitivity(MEAN, 1, 1, 1, laplace_noise(6)),
        ),
        f"Question 2: {NO_REACH}",
    ),
    "a column of no numbers": (
        set_in_portion(MEAN, "grains", 0, "column", value="sex"),
        f"Question 2: {NO_REACH}",
    ),
    "numbers counted as rows": (
        apply_all(
            set_in_portion(MEAN, "grains", 0, value={"weight": 1}),
            set_sensitivity(MEAN, 1, 1, 1, laplace_noise(6)),
        ),
        f"Question 2: {NO_REACH}",
    ),
    "squares in place of numbers": (
        set_in_portion(MEAN, "grains", 0, value={"factors": [AGES, AGES], "weight": 1}),
        f"Question 2: {NO_REACH}",
    ),
    "heavier steps": (
        set_in_portion(MEAN, "grains", 0, value={"factors": [AGES], "weight": 5}),
        "Question 2: rows, and steps of numbers, are counted one by one.",
    ),
    "a mean among counts": (
        apply_all(
            set_in_portion(COUNTS, "questions", value=[1, 2, 3, 5, 6]),
            set_in_portion(MEAN, "questions", value=[4]),
            set_in_portion(TOP, "questions", value=[2]),
        ),
        PORTIONS,
    ),
    "a mean in place of a choice": (
        apply_all(
            set_in_portion(TOP, "questions", value=[2]),
            set_in_portion(MEAN, "questions", value=[4]),
        ),
        f"Question 4: {NO_REACH}",
    ),
    "a mean among counts alone": (
        apply_all(
            set_in_portion(COUNTS, "questions", value=[1, 2, 3, 5, 6]),
            delete_value("portions", MEAN),
        ),
        f"{FIRST.replace('1,', '1, 2,')}: sums are answered for one question alone.",
    ),
    "a count left out": (set_in_portion(COUNTS, "questions", value=[1, 3, 5]), PORTIONS),
    "public already": (
        set_in_portion(MEAN, value={"questions": [2], "way": "known"}),
        "Question 2: the answers were not public before.",
    ),
    "a choice of a mean": (
        set_in_portion(MEAN, "noise", value={"law": "permute-and-flip"}),
        f"Question 2: {TOO_LITTLE}",
    ),
    "no noise": (delete_value("portions", MEAN, "noise"), f"Question 2: {TOO_LITTLE}"),
    "a value that none could choose": (
        set_in_portion(TOP, "noisy", value=[9]),
        f"Question 4: {OTHER_NUMBERS}",
    ),
    "more numbers than were measured": (
        set_in_portion(MEAN, "noisy", value=[1, 2]),
        f"Question 2: {OTHER_NUMBERS}",
    ),
}


@pytest.mark.parametrize("claim", ELSEWHERE)
def test_what_another_version_cannot_have_measured_is_refused(
    answers_and_ledger: tuple[Asked, Ledger], tmp_path: Path, claim: str
) -> None:
    """A sensitivity, grid or noise that no version can have used is refused with its reason.

    The forger names another version, so no arrangement of this version is compared.
    `ELSEWHERE` maps a claim to the change of the certificate and the sentence of the refusal.
    """
    change, sentence = ELSEWHERE[claim]

    elsewhere = apply_all(change, set_value("versions", "synth", value="0.0"))

    assert (
        refusal_of(write_forged(answers_and_ledger[0], tmp_path / "a.zip", elsewhere))
        == sentence
    )


OTHER_STRATEGIES: dict[str, tuple[str, Change, str]] = {
    "too large to add up": (
        "fitted",
        set_value("own", 0, value=2**32),
        "whole steps of at most 1,024.",
    ),
    "larger own": ("fitted", set_value("own", 0, value=1_000), NOT_SO_FAR),
    "larger sums": ("fitted", set_value("rows", 0, 0, value=-1_024), NOT_SO_FAR),
    "heavier sums": ("fitted", set_value("weight", value=99), NOT_SO_FAR),
    "fewer sums": ("fitted", delete_value("rows", 0), OTHER_NUMBERS),
    "heavier tree": ("trees", set_value("weight", value=2_048), NOT_SO_FAR),
    "higher tree": ("trees", set_value("branching", value=2), NOT_SO_FAR),
    "heavier residual": ("marginals", set_value("weight", value=10_000), NOT_SO_FAR),
}


@pytest.mark.parametrize("claim", OTHER_STRATEGIES)
def test_a_strategy_that_another_version_tells_of_moves_as_far_as_it_does(
    tmp_path: Path, claim: str
) -> None:
    """A certificate of another version cannot change its strategy and keep the sensitivity.

    A strategy is what is measured in place of the questions: sums, trees or marginals.
    `OTHER_STRATEGIES` maps a claim to a kind of questions, the change of the strategy, and
    the end of the refusal.
    """
    kind, change, sentence = OTHER_STRATEGIES[claim]

    options = dict(STRATEGIES[kind])
    answers = cached_answers(*options.pop("questions"), **options)

    def spoil(content: dict[str, Any]) -> None:
        change(content["portions"][0]["strategy"][0])
        content["versions"]["synth"] = "0.0"

    assert refusal_of(write_forged(answers, tmp_path / "a.zip", spoil)).endswith(sentence)


def test_means_of_rows_and_of_persons_are_not_mixed_elsewhere(tmp_path: Path) -> None:
    """In no version of Synth is one noisy sum the answer to a mean over rows and one over
    persons.

    The forger keeps one portion, which is what is measured together, and lets it answer both.
    """
    answers = cached_answers(
        "mean age", "mean age over persons", unit=Unit("sex", 2), way="laplace"
    )

    def mix(content: dict[str, Any]) -> None:
        content["portions"] = [content["portions"][1] | {"questions": [2, 1]}]
        content["versions"]["synth"] = "0.0"

    sentence = "Questions 2, 1: sums are answered for one question alone."
    assert refusal_of(write_forged(answers, tmp_path / "a.zip", mix)) == sentence


@pytest.mark.parametrize("claim", FORGED)
def test_a_claim_that_does_not_hold_is_refused(
    answers_and_ledger: tuple[Asked, Ledger], tmp_path: Path, claim: str
) -> None:
    """Each false claim of a certificate is refused with the sentence that names it.

    The forger writes all files anew, so that they agree with each other. `FORGED` maps a
    claim to the change of the certificate and the sentence. The honest answers are to six
    questions.
    """
    change, sentence = FORGED[claim]

    assert (
        refusal_of(write_forged(answers_and_ledger[0], tmp_path / "a.zip", change))
        == sentence
    )


def test_every_field_of_a_certificate_is_forged() -> None:
    """`FORGED` has a forgery of every field of a certificate for answers.

    Left out are the fields that no file can prove: when it was made, by which versions, and
    the like. `_Traced` notes which fields a change touches.
    """
    not_forged = {"format", "created", "ledger", "versions", "sha256"}

    forged_fields = set()
    for change, _ in FORGED.values():
        before = _Traced()
        change(before)  # type: ignore[arg-type]
        forged_fields |= before.touched

    assert {field.name for field in fields(AnswersCertificate)} == not_forged | forged_fields


class _Traced:
    """Notes the first step of every change, and takes all others."""

    def __init__(self, above: "_Traced | None" = None) -> None:
        self.touched: set[str] = set() if above is None else {""}
        self._above = above

    def _note(self, key: Any) -> None:
        if self._above is None:
            self.touched.add(key)

    def __getitem__(self, key: Any) -> "_Traced":
        self._note(key)
        return _Traced(self)

    def __setitem__(self, key: Any, value: Any) -> None:
        self._note(key)

    def __delitem__(self, key: Any) -> None:
        self._note(key)


@pytest.mark.parametrize(
    "name",
    ["answers.json", "answers.csv", "statement.txt", "certificate.schema.json"],
)
def test_a_file_that_says_something_else_is_refused(
    bundle: Path, tmp_path: Path, name: str
) -> None:
    """A written file with one more space is refused, with its digest made anew or not.

    With the new digest it still does not follow from the certificate and the inquiry.
    """
    files = read_bundle(bundle)
    replace_signed(files, name, files[name] + b" ")
    sentence = f"'{name}' does not match the certificate and the inquiry."
    assert refusal_of(rezip(tmp_path / "t.zip", files)) == sentence

    # A second space, whose digest the certificate does not list.
    files[name] += b" "
    sentence = f"'{name}' does not match the certificate."
    assert refusal_of(rezip(tmp_path / "t.zip", files)) == sentence


@pytest.mark.parametrize(
    ("name", "old", "new", "sentence"),
    [
        (
            "inquiry.json",
            b'"count"',
            b'"table"',
            "'inquiry.json' or 'declaration.json' cannot be "
            "used. 'table' names from 1 to 3 columns.",
        ),
        ("inquiry.json", b'"epsilon": "1"', b'"epsilon": "2"', OTHER_SPEND),
        ("inquiry.json", b'"staff"', b'"guests"', OTHER_TABLE),
        (
            "inquiry.json",
            b'"tailor"',
            b'"sailor"',
            "'inquiry.json' is about another domain than 'declaration.json'.",
        ),
        (
            "declaration.json",
            b'"tailor"',
            b'"sailor"',
            "'inquiry.json' is about another domain than 'declaration.json'.",
        ),
    ],
)
def test_an_inquiry_that_was_changed_is_refused(
    bundle: Path, tmp_path: Path, name: str, old: bytes, new: bytes, sentence: str
) -> None:
    """Questions, spend, dataset and domain of an inquiry must be those of the certificate and
    the declaration.
    """
    files = read_bundle(bundle)
    edit_text(name, old, new)(files)

    assert refusal_of(rezip(tmp_path / "t.zip", files)) == sentence


def test_a_file_that_lacks_or_is_too_many_is_refused(bundle: Path, tmp_path: Path) -> None:
    """A bundle has the files that its certificate lists and those of every bundle, and no
    others.
    """
    files = read_bundle(bundle)
    del files["answers.csv"]
    assert (
        refusal_of(rezip(tmp_path / "t.zip", files))
        == "The bundle lacks the file 'answers.csv'."
    )

    # A file that is not listed.
    files = read_bundle(bundle) | {"x": b""}
    sentence = "The bundle holds a file that the certificate does not list: 'x'."
    assert refusal_of(rezip(tmp_path / "t.zip", files)) == sentence

    # A file that is neither there nor listed, and that every bundle of answers has.
    files = read_bundle(bundle)
    edit_certificate(files, lambda c: c["sha256"].pop("inquiry.json"))
    del files["inquiry.json"]
    sentence = "The bundle lacks the file 'inquiry.json'."
    assert refusal_of(rezip(tmp_path / "t.zip", files)) == sentence


def test_answers_of_another_version_are_not_read_again(
    answers_and_ledger: tuple[Asked, Ledger], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Answers that another version computed may differ from ours, which is said and not
    refuted.

    The upper end of the first interval is forged. The same forgery is refuted if this version
    computed the answers.
    """
    change = set_value("answers", 0, "high", value=1000)
    path = write_forged(
        answers_and_ledger[0],
        tmp_path / "a.zip",
        apply_all(change, set_value("versions", "synth", value="0.0")),
    )

    sentence = "Another version of Synth computed the answers; they were not computed again."
    assert sentence in verify(path).checks

    # Now the certificate names the version that runs.
    monkeypatch.setattr(versions, "__version__", "0.0")
    assert refusal_of(path) == OTHER_ANSWERS


def test_the_ledger_has_the_spend_and_the_certificate(
    bundle: Path, answers_and_ledger: tuple[Asked, Ledger], tmp_path: Path
) -> None:
    """The ledger confirms its own certificate, and refuses one with another time, record or
    head.

    The head is the hash of the ledger's last event when the certificate was made.
    """
    answers, ledger = answers_and_ledger
    verify(bundle, ledger)

    unseen = write_forged(
        answers, tmp_path / "a.zip", set_value("created", value="2020-01-01")
    )
    assert refusal_of(unseen, ledger) == "The ledger does not know this certificate."

    never = write_forged(
        answers, tmp_path / "b.zip", set_value("ledger", value="not recorded in a ledger")
    )
    assert refusal_of(never, ledger) == "The release is not recorded in this ledger."

    head = write_forged(
        answers, tmp_path / "c.zip", set_value("ledger", "head", value="0" * 64)
    )
    assert refusal_of(head, ledger) == "The certificate's ledger head is not in this ledger."


def test_a_spend_of_something_else_did_not_pay(tmp_path: Path) -> None:
    """A certificate for epsilon 1 that names an entry of epsilon 1/2 is refused."""
    answers, ledger = asked_of(tmp_path)
    entry = ledger.spend(
        dataset="staff",
        guarantee=Guarantee.pure(Fraction(1, 2)),
        neighbors=Neighbors.REPLACE_ONE,
        purpose="less",
    )

    path = write_forged(
        answers, tmp_path / "a.zip", set_value("ledger", "entry", value=entry.number)
    )

    sentence = (
        f"Entry {entry.number} of the ledger is a spend of epsilon = 1/2, not this one."
    )
    assert refusal_of(path, ledger) == sentence


def test_answers_are_no_release(bundle: Path) -> None:
    with pytest.raises(ReleaseError, match="not a release"):
        open_bundle(bundle)


def test_means_over_rows_and_over_persons_are_not_mixed(tmp_path: Path) -> None:
    """A mean over rows and one over persons sum different numbers, so each is measured by
    itself.

    The forger keeps one portion, which is what is measured together, and lets it answer both.
    `PORTIONS` is the sentence of the refusal.
    """
    answers = cached_answers(
        "mean age", "mean age over persons", unit=Unit("sex", 2), way="laplace"
    )

    def mix(content: dict[str, Any]) -> None:
        content["portions"] = [content["portions"][0] | {"questions": [1, 2]}]

    assert refusal_of(write_forged(answers, tmp_path / "a.zip", mix)) == PORTIONS


def test_a_total_from_a_middle_needs_public_rows(tmp_path: Path) -> None:
    """Where the number of rows is private, a total is not measured as differences from a
    middle.

    Such a sum gives the total only with the number of rows, which add-remove hides.
    """
    answers = cached_answers("total age", neighbors=Neighbors.ADD_REMOVE)
    path = write_forged(
        answers, tmp_path / "a.zip", set_in_portion(0, "grains", 0, "middle", value=9.0)
    )

    assert refusal_of(path) == not_this_strategy("Question 1", "grains")


def test_answers_say_where_their_declaration_is_from(tmp_path: Path) -> None:
    """The statement says that the domain was drafted from the table for epsilon 2.

    A certificate that leaves this sentence out is refused.
    """
    paid = Preparation(
        kind="draft",
        guarantee=Guarantee.pure(2),
        neighbors=Neighbors.REPLACE_ONE,
        unit=ROW,
        entry="0" * 64,
        said={"noisy": 1},
    )
    domain = replace(DOMAIN, origin=LOOKED_UP, drafts=(paid.to_json(),))

    answers, ledger = asked_of(tmp_path, "count where age >= 65", domain=domain)
    claim = answers.certificate.guarantee
    assert "drafted from the table for epsilon = 2, which adds to this." in claim.statement
    assert "The declaration is not covered" in claim.statement
    verify(answers.write_archive(tmp_path / "a.zip", ledger), ledger)

    def forget(content: dict[str, Any]) -> None:
        guarantee = content["guarantee"]
        guarantee["statement"] = guarantee["statement"].partition(" The declaration")[0]

    sentence = OTHER_STATEMENT
    assert refusal_of(write_forged(answers, tmp_path / "b.zip", forget)) == sentence


def test_what_is_public_has_no_noisy_number(tmp_path: Path) -> None:
    """A count that is public was not measured, so a noisy number for it is a forgery."""
    answers = cached_answers("count")
    path = write_forged(answers, tmp_path / "a.zip", set_in_portion(0, "noisy", value=[3]))
    assert refusal_of(path) == "Question 1: the noisy numbers do not match the questions."


def test_nothing_is_spent_on_what_is_public(tmp_path: Path) -> None:
    """The number of rows is public, so the count is known and only the mean is paid for.

    Each has a portion of the certificate. A certificate that swaps the two questions is
    refused, and so is one that pays for the count as well: its two costs exceed the spend.
    """
    answers = cached_answers("count", "mean age")
    assert [portion.way.value for portion in answers.certificate.portions] == [
        "known",
        "laplace",
    ]

    def swap(content: dict[str, Any]) -> None:
        content["portions"][0]["questions"] = [2]
        content["portions"][1]["questions"] = [1]

    assert refusal_of(write_forged(answers, tmp_path / "a.zip", swap)) == PORTIONS

    path = write_forged(
        answers,
        tmp_path / "a.zip",
        lambda c: c["portions"][0].update(
            c["portions"][1], questions=[1], grains=[{"weight": 1}]
        ),
    )
    assert refusal_of(path) == TOO_MUCH


def test_a_choice_is_of_the_most_frequent_value_alone(tmp_path: Path) -> None:
    """A private choice of the most frequent job cannot be the answer to a table of jobs.

    The forger swaps the questions of the two portions. Nor may a choice cost a delta that the
    spend does not have.
    """
    answers = cached_answers("table job", "top 1 job")

    def swap(content: dict[str, Any]) -> None:
        for portion in content["portions"]:
            # Question 1 becomes 2, and 2 becomes 1.
            portion["questions"] = [3 - portion["questions"][0]]

    assert [portion.way.value for portion in answers.certificate.portions][1] == "choice"
    assert refusal_of(write_forged(answers, tmp_path / "a.zip", swap)) == PORTIONS

    by_delta = set_in_portion(1, "cost", value={"epsilon": "1/4", "delta": "1/100"})
    sentence = refusal_of(write_forged(answers, tmp_path / "a.zip", by_delta))
    assert sentence == TOO_MUCH


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (("noisy", [74, 1, 2]), "the noisy numbers do not match the questions"),
        (("noisy", [1, 2]), "the noisy numbers do not match the questions"),
        (("grains", [{"weight": 1}]), not_this_strategy("Question 1", "grains")),
        (("way", "laplace"), not_this_strategy("Question 1", "way")),
        (
            ("noise", {"law": "exponential mechanism"}),
            not_this_strategy("Question 1", "noise"),
        ),
        (("cost", {"epsilon": "1/2", "delta": "1/100"}), TOO_MUCH),
        (("sensitivity", None), not_this_strategy("Question 1", "sensitivity")),
    ],
    ids=str,
)
def test_a_choice_of_quantiles_is_sound(tmp_path: Path, change: Any, sentence: str) -> None:
    """A median with its interval is a private choice of values; each forged field of it is
    refused.

    `change` is a field of the first portion of the certificate and its forged value. The ages
    17 to 90 are the candidates 0 to 73, so 74 is none. None stands for a sensitivity of 1.
    """
    answers = cached_answers("median age with interval", "count where age > 30")
    field_name, value = change

    def spoil(content: dict[str, Any]) -> None:
        portion = content["portions"][0]
        portion[field_name] = value or {**portion[field_name], "l_infinity": 1}

    assert sentence in refusal_of(write_forged(answers, tmp_path / "a.zip", spoil))


def test_answers_are_what_was_chosen(tmp_path: Path) -> None:
    """A certificate whose chosen candidate is not the one that its answer gives is refused.

    The median has 74 candidates, the ages 17 to 90, and the other question has two. Both
    numbers in the loop are other candidates than those chosen.
    """
    answers = cached_answers("median age", "best of [age < 30; age > 60] by count")
    for number, other_noisy in (
        (0, [73 - int(answers.noisy[0][0])]),
        (1, [1 - int(answers.noisy[1][0])]),
    ):
        path = write_forged(
            answers, tmp_path / "a.zip", set_in_portion(number, "noisy", value=other_noisy)
        )
        assert refusal_of(path) == OTHER_ANSWERS


def test_a_long_question_is_read(tmp_path: Path) -> None:
    """A question may be longer than 4,000 characters, the limit of all other texts.

    74 ages for each of two sexes make 148 conditions of over 30 characters each.
    """
    where = " or ".join(
        f"(age = {17 + i % 74} and sex = {'FM'[i // 74]} and job = clerk)" for i in range(148)
    )

    answers = cached_answers(f"count where {where}")
    assert len(answers.certificate.questions[0]) > 4_000
    verify(answers.write_archive(tmp_path / "a.zip"))

    long = write_forged(answers, tmp_path / "b.zip", set_value("created", value="9" * 5_000))
    assert refusal_of(long) == "The certificate holds a text of over 4,000 characters."


def test_json_of_answers_is_what_the_answers_tell(
    bundle: Path, answers_and_ledger: tuple[Asked, Ledger]
) -> None:
    """answers.json has the answers that were given, and what they cost: epsilon 1 and no
    delta.
    """
    content = json.loads(read_bundle(bundle)["answers.json"])
    assert content["answers"] == [
        json.loads(json.dumps(a.to_json())) for a in answers_and_ledger[0].answers
    ]

    assert (content["epsilon"], content["delta"], content["spent"]) == (
        "1",
        "0",
        {"epsilon": "1"},
    )
