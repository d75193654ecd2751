"""Bundles of releases by marginals: every tampering is found."""

import hashlib
import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from synth.bundle import claim_of, in_words
from synth.errors import ReleaseError
from synth.estimate import in_sentence, name_method
from synth.plans import Method
from synth.privacy import Neighbors
from synth.verification import verify
from tests.bundle.bundles import (
    REPLACE,
    claim_values,
    edit_certificate,
    edit_text,
    read_bundle,
    refusal_of,
    replace_signed,
    rezip,
)
from tests.verification.models import DELTA, RULES, edit_counts, edit_rows, make_bundle

KIN = [b"head", b"", b"", b""]


def edit_spends(change: Any) -> Any:
    """Change the list of spends."""

    def edit(files: dict[str, bytes]) -> None:
        edit_certificate(files, lambda c: change(c["mechanism"]["marginals"]))

    return edit


def edit_first(kind: str, **fields: Any) -> Any:
    """Change the first spend that is a pair, a column, or neither."""

    def change(marginals: list[dict[str, Any]]) -> None:
        sizes = {"none": 0, "column": 1, "pair": 2}
        for spend in marginals:
            if len(spend.get("columns", ())) == sizes[kind]:
                spend.update(fields)
                return

    return edit_spends(change)


def edit_distance_noise(**changes: str) -> Any:
    """Change the noise on the distances, which all pure ones share."""

    def change(marginals: list[dict[str, Any]]) -> None:
        noise = next(spend["noise"] for spend in marginals if "columns" not in spend)
        assert noise["law"] == "K-norm"
        noise.update(changes)

    return edit_spends(change)


def with_column(name: str, change: Any) -> Any:
    def edited_table(table: pa.Table) -> pa.Table:
        place = table.column_names.index(name)
        values = table[name].to_pylist()
        return table.set_column(place, name, pa.array(change(values)))

    return edit_rows(edited_table)


def claim_smaller_epsilon(files: dict[str, bytes]) -> None:
    """A smaller epsilon wherever it is said, but not in the noise."""
    edit_text("plan.json", b'"epsilon": "10"', b'"epsilon": "5"')(files)
    content = json.loads(files["certificate.json"])
    statement = content["guarantee"]["statement"]
    neighbors = Neighbors(content["neighbors"])
    for part in (
        lambda epsilon: in_words(epsilon, neighbors),
        "are {}-".format,
        "are ({},".format,
    ):
        statement = statement.replace(part(Fraction(10)), part(Fraction(5)))
    claim_values(guarantee__epsilon="5", guarantee__statement=statement)(files)


def as_zcdp(files: dict[str, bytes]) -> None:
    """Every cost told as a rho of zCDP: its noise is worth it, and it is more than
    allowed.
    """
    content = json.loads(files["certificate.json"])["mechanism"]
    for spend in content["marginals"]:
        spend["cost"] = {"rho": str(Fraction(spend["cost"]["mu_squared"]) / 2)}
        if "sigma2" in spend["noise"]:
            spend["noise"]["sigma2"] = str(
                Fraction(spend["noise"]["sigma2"]) - Fraction(1, 11)
            )
    content["spent"] = {"rho": str(Fraction(content["spent"]["mu_squared"]) / 2)}
    content["accounting"] = "zero-concentrated (zCDP)"
    edit_certificate(files, lambda c: c.update(mechanism=content))


def without_margin(files: dict[str, bytes]) -> None:
    """The noise of a column as zCDP would price it, at the cost that Gaussian DP gives it."""

    def change(marginals: list[dict[str, Any]]) -> None:
        noise = next(
            spend["noise"] for spend in marginals if len(spend.get("columns", ())) == 1
        )
        noise["sigma2"] = str(Fraction(noise["sigma2"]) - Fraction(1, 11))

    edit_spends(change)(files)


def plan_with(files: dict[str, bytes], **changes: Any) -> bytes:
    return json.dumps({**json.loads(files["plan.json"]), **changes}).encode()


def another_count(lines: list[bytes]) -> list[bytes]:
    """In the histograms of the first column alone."""
    place = max(i for i, line in enumerate(lines) if line.split(b",")[1:5] == KIN)
    labels, value = lines[place].rsplit(b",", 1)
    return [*lines[:place], labels + b",%d\n" % (int(value) + 4_000), *lines[place + 1 :]]


def fewer_rows(files: dict[str, bytes]) -> None:
    edit_rows(lambda table: table.slice(1))(files)
    count = json.loads(files["certificate.json"])["rows"]
    claim_values(rows=count - 1)(files)
    edit_text(
        "statement.txt", f"{count:,} synthetic".encode(), f"{count - 1:,} synthetic".encode()
    )(files)


def child_marries(values: list[Any]) -> list[Any]:
    return ["married"] * len(values)


def gaussian_noise(sigma2: str) -> dict[str, str]:
    return {"law": "discrete Gaussian", "sigma2": sigma2}


LAPLACE = {"law": "discrete Laplace", "scale": "1/9"}
SHARE = "does not match its share of the budget"
DISTANCES = f"The noise on how far each pair of columns is from independence {SHARE}"
SCHEMA = "does not match the published schema"
ONE_EACH = "does not list one noisy distance for each pair of columns"
WORDS = "does not match the certificate and the domain"
NUMBER = "number of rows does not follow from the noisy counts"
VALUES = "does not hold values of the domain"
BY_HAND = "holds values that do not follow from the domain and the seed"
UNIT = "protects another privacy unit"
SUM = "spends do not add up"
GUARANTEE = "asks for another guarantee"
PUBLIC = "must be public under replace-one of one row"


TAMPERINGS: dict[str, tuple[Any, str]] = {
    "a changed byte": (
        lambda f: f.update({"noisy_counts.csv": f["noisy_counts.csv"] + b"1\n"}),
        "'noisy_counts.csv' does not match the certificate",
    ),
    "a file less": (lambda f: f.pop("dictionary.csv"), "lacks the file 'dictionary.csv'"),
    "a file more": (lambda f: f.update({"x.py": b""}), "does not list: 'x.py'"),
    "a field less": (
        lambda f: edit_certificate(f, lambda c: c.pop("mechanism")),
        "a part is missing",
    ),
    "a wrong type": (claim_values(rows="many"), "'rows' does not match the published schema"),
    "no spends": (edit_spends(lambda s: s.clear()), "'mechanism.marginals' does not match"),
    "a cost of nothing": (edit_first("pair", cost={"rho": "0"}), SCHEMA),
    "another law": (edit_first("pair", noise={"law": "none"}), SCHEMA),
    "a strategy of its own": (
        claim_values(mechanism__strategy="magic"),
        "'mechanism.strategy' does not match the published",
    ),
    "another strategy": (
        claim_values(mechanism__strategy="tree"),
        "asks for 'adaptive', which does not lead to 'tree'",
    ),
    "a smaller epsilon": (
        claim_smaller_epsilon,
        "The spend exceeds the certificate's epsilon and delta",
    ),
    "more rho than zCDP allows": (
        as_zcdp,
        "The spend exceeds the certificate's epsilon and delta",
    ),
    "noise without its margin": (without_margin, SHARE),
    "hardly any noise": (edit_first("column", noise=gaussian_noise("1/20")), SHARE),
    "an epsilon alone": (claim_values(guarantee__epsilon="1/2"), GUARANTEE),
    "no delta": (claim_values(guarantee__delta="0"), GUARANTEE),
    "a smaller delta": (claim_values(guarantee__delta="1/10000000000"), GUARANTEE),
    "a nicer statement": (
        claim_values(guarantee__statement="Safe."),
        "statement does not follow from its",
    ),
    "other neighbours": (claim_values(neighbors="add-remove"), GUARANTEE),
    "less spent": (claim_values(mechanism__spent={"rho": "1/9"}), SUM),
    "a spend less": (edit_spends(lambda s: s.pop()), SUM),
    "a cheaper pair": (edit_first("pair", cost={"rho": "1/99"}), SUM),
    "less noise on a pair": (edit_first("pair", noise=gaussian_noise("1/9")), SHARE),
    "noise of another law": (edit_first("pair", noise=LAPLACE), SHARE),
    "no noise on distances": (
        edit_first("none", noise={"law": "exponential mechanism"}),
        DISTANCES,
    ),
    "noise on distances for one pair": (
        edit_first("none", noise=gaussian_noise("99")),
        DISTANCES,
    ),
    "a distance less": (edit_first("none", values=[64]), ONE_EACH),
    "no distances": (edit_first("none", values=[]), SCHEMA),
    "a distance in words": (edit_first("none", values=["far"]), SCHEMA),
    "distances from a histogram": (edit_first("pair", values=[64] * 6), ONE_EACH),
    "rows left out and not counted": (
        edit_spends(lambda s: s[-1].pop("values")),
        "rules leave out",
    ),
    "a spend on something else": (
        edit_first("none", what="the mean age"),
        "a spend on something that no strategy measures",
    ),
    "a column of its own": (
        edit_first("column", columns=["salary"]),
        "names a column that the domain does not have",
    ),
    "columns turned round": (
        edit_spends(
            lambda s: [x.update(columns=x["columns"][::-1]) for x in s if "columns" in x]
        ),
        "does not name its columns in the order of the domain",
    ),
    "a histogram of a triple": (
        edit_first("pair", columns=["kin", "marital", "age"]),
        "The strategy 'adaptive' does not measure kin and marital and age",
    ),
    "another name for a pair": (edit_first("pair", what="kin and age, roughly"), WORDS),
    "a count changed": (
        edit_counts(another_count),
        "'open.html' does not follow from the certificate",
    ),
    "a count less": (
        edit_counts(lambda lines: lines[:-1]),
        "is not a table of the marginals that",
    ),
    "counts in another order": (
        edit_counts(lambda lines: [lines[0], *reversed(lines[1:])]),
        "does not list the cells of the marginals in their order",
    ),
    "a count that is none": (
        edit_counts(lambda lines: [*lines[:-1], lines[-1].rsplit(b",", 1)[0] + b",many\n"]),
        "is not a table of noisy counts of the domain",
    ),
    "private rows under replace-one": (claim_values(released__rows=None), PUBLIC),
    "another number of rows": (claim_values(released__total=2_999), NUMBER),
    "rows told otherwise": (
        claim_values(number_of_rows="about 3000, from the noisy counts"),
        WORDS,
    ),
    "a row less": (fewer_rows, "does not match the plan or the noisy counts"),
    "another count of rows": (claim_values(rows=9), WORDS),
    "a column less": (
        edit_rows(lambda table: table.drop_columns(["age"])),
        "does not have the columns of the domain",
    ),
    "a category of its own": (
        with_column("kin", lambda values: ["uncle", *values[1:]]),
        VALUES,
    ),
    "a value out of bounds": (with_column("age", lambda values: [700, *values[1:]]), VALUES),
    "a value by hand": (
        with_column("income", lambda values: [v // 1 for v in values]),
        BY_HAND,
    ),
    "a married child": (
        with_column("marital", child_marries),
        "breaks the rules of 'plan.json'",
    ),
    "no rules": (
        lambda f: replace_signed(
            f, "plan.json", plan_with(f, rules={"impossible": [{"kin": ["uncle"]}]})
        ),
        "'plan.json' is not a plan",
    ),
    "another plan": (
        edit_text("plan.json", b'"adaptive"', b'"dense"'),
        "'plan.json' is not a plan",
    ),
    "CSV rows of their own": (
        edit_text("synthetic.csv", b"child", b"head"),
        "'synthetic.csv' and 'synthetic.parquet' do not hold the same rows",
    ),
    "no Parquet": (
        lambda f: replace_signed(f, "synthetic.parquet", b"x"),
        "is not a Parquet file",
    ),
    "another seed": (claim_values(drawing__seed="5"), BY_HAND),
    "errors of other pairs": (
        lambda f: edit_certificate(f, lambda c: c["error_bars"][0].update(columns=["kin"])),
        "The error bars",
    ),
    "another first page": (
        edit_text("open.html", b"<h1 ", b"<h1  "),
        "'open.html' does not follow",
    ),
    "a nicer page": (
        edit_text("statement.txt", b"No row", b"No row at all"),
        "'statement.txt' does",
    ),
    "another schema": (
        edit_text("certificate.schema.json", b"object", b"array"),
        "schema.json' does",
    ),
}


@pytest.mark.parametrize("kind", TAMPERINGS)
def test_tampering_with_a_model_is_found(
    bundle_of_a_model: Path, tmp_path: Path, kind: str
) -> None:
    """Each forgery of a model is refused with a sentence that names what is wrong.

    `TAMPERINGS` maps a forgery to the change of the files and a part of that sentence. The
    digests before and after show that it changed some file at all.
    """
    tamper, sentence = TAMPERINGS[kind]
    files = read_bundle(bundle_of_a_model)

    before = hashlib.sha256(repr(sorted(files.items())).encode()).digest()
    tamper(files)
    assert hashlib.sha256(repr(sorted(files.items())).encode()).digest() != before

    with pytest.raises(ReleaseError) as caught:
        verify(rezip(tmp_path / "t.zip", files))
    assert sentence in str(caught.value)
    assert str(caught.value).endswith(".")


@pytest.mark.parametrize(
    ("epsilon", "followed", "claim", "sentence"),
    [
        (
            "10",
            "histogram",
            "one-shot",
            "'one-shot' does not measure kin and marital and age",
        ),
        ("1/100", "independent", "histogram", "'histogram' measures all columns in one"),
    ],
)
def test_auto_does_not_claim_what_it_did_not_measure(
    tmp_path: Path, epsilon: str, followed: str, claim: str, sentence: str
) -> None:
    """A certificate that names another strategy than was followed does not match its
    measurements.

    At epsilon 10 `auto` follows `histogram`, and at 1/100 `independent`; the forger claims
    another one.
    """
    files = read_bundle(
        make_bundle(tmp_path, method=Method.AUTO, rules=RULES, epsilon=Fraction(epsilon))
    )

    names = [f"method: {in_sentence(name_method(name, None))}" for name in (followed, claim)]
    edit_text("statement.txt", *(name.encode() for name in names))(files)
    claim_values(mechanism__strategy=claim)(files)

    with pytest.raises(ReleaseError, match=sentence):
        verify(rezip(tmp_path / "t.zip", files))


PURE_TAMPERINGS: dict[str, tuple[Any, str]] = {
    "less noise on a pair": (edit_first("pair", noise=LAPLACE), SHARE),
    "less noise on distances": (edit_distance_noise(scale="1/9"), DISTANCES),
    "noise on distances of another norm": (edit_distance_noise(norm="l1"), DISTANCES),
    "noise on fewer distances": (edit_distance_noise(dimension="5"), DISTANCES),
    "noise of distances on a pair": (
        edit_first(
            "pair", noise={"law": "K-norm", "norm": "l1", "dimension": "12", "scale": "9"}
        ),
        SHARE,
    ),
    "a rho": (claim_values(mechanism__spent={"rho": "50"}), SUM),
    "a smaller epsilon": (
        claim_smaller_epsilon,
        "The spend does not match the certificate's epsilon",
    ),
    "a delta that nobody asked for": (claim_values(guarantee__delta="1/9"), GUARANTEE),
    "a public number of rows": (claim_values(released__rows=3_000), PUBLIC),
    "another belief": (claim_values(released__total=4_000), NUMBER),
    "a count changed": (edit_counts(another_count), NUMBER),
}


@pytest.mark.parametrize("kind", PURE_TAMPERINGS)
def test_tampering_with_a_pure_model_is_found(
    bundle_of_a_pure_model: Path, tmp_path: Path, kind: str
) -> None:
    """A forged release without a delta, under add-remove, is refused with the sentence that
    names it.

    `PURE_TAMPERINGS` maps a forgery to the change of the files and a part of the sentence.
    """
    tamper, sentence = PURE_TAMPERINGS[kind]
    assert sentence in refusal_of(bundle_of_a_pure_model, tmp_path, tamper)


PERSON_TAMPERINGS: dict[str, tuple[Any, str]] = {
    "fewer rows of a person": (claim_values(max_rows=1), UNIT),
    "the number left out": (
        lambda f: edit_certificate(f, lambda c: c.pop("max_rows")),
        "does not have the published form: a part is missing",
    ),
    "another person column": (
        claim_values(privacy_unit="one person by the column 'ward', with at most 2 rows"),
        UNIT,
    ),
    "a row that is a person": (claim_values(privacy_unit="one row", max_rows=1), UNIT),
    "a plan with fewer rows": (
        lambda f: replace_signed(f, "plan.json", plan_with(f, max_rows=1)),
        UNIT,
    ),
    "a plan with no rows": (
        lambda f: replace_signed(f, "plan.json", plan_with(f, max_rows=0)),
        "'plan.json' is not a plan",
    ),
    "a statement about rows": (
        claim_values(guarantee__statement=claim_of(Fraction(10), REPLACE, DELTA).statement),
        "statement does not follow from its epsilon and neighbours",
    ),
    "the noise of one row": (edit_first("pair", noise=gaussian_noise("7")), SHARE),
    "a number of rows": (claim_values(released__rows=2_000), PUBLIC),
    "a page about rows": (
        edit_text(
            "statement.txt",
            b"Synth used 2 of them, chosen",
            b"Synth used all of them, chosen",
        ),
        "'statement.txt' does not match",
    ),
}


@pytest.mark.parametrize("kind", PERSON_TAMPERINGS)
def test_tampering_with_a_model_of_persons_is_found(
    bundle_of_persons: Path, tmp_path: Path, kind: str
) -> None:
    """A forged release by persons is refused: its unit, noise, number of rows or statement is
    false.

    `PERSON_TAMPERINGS` maps a forgery to the change of the files and a part of the sentence.
    """
    tamper, sentence = PERSON_TAMPERINGS[kind]
    assert sentence in refusal_of(bundle_of_persons, tmp_path, tamper)
