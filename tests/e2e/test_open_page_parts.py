"""The modules of ``open.html`` one by one, each against an implementation of its own."""

import hashlib
import json
import math
import zipfile
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from synth.bundle.open_html import join_modules
from synth.estimate import MomentSum, moment_sensitivity
from synth.noise import mechanism_of
from synth.privacy import (
    Guarantee,
    Neighbors,
    Sensitivity,
    Unit,
    gaussian_delta,
    zcdp_epsilon,
)
from synth.util import write_number

pytestmark = [pytest.mark.slow, pytest.mark.browser]

NORMS = """sensitivity => ({
  l1: String(sensitivity.l1),
  l2: String(sensitivity.squaredL2),
  l: String(sensitivity.lInfinity),
})"""


@pytest.fixture(scope="module")
def page(chromium: Browser) -> Iterator[Page]:
    """An empty page with the modules of all checks, each a constant ``NAME_module``."""
    context = chromium.new_context()
    opened = context.new_page()
    opened.add_script_tag(content=join_modules("checks"))
    yield opened
    context.close()


def test_digests_are_those_of_sha256(page: Page) -> None:
    """Digests of 200 lengths around the blocks agree with hashlib, also in pieces."""
    random = Random(1)
    contents = [random.randbytes(length) for length in (*range(190), 4095, 4096, 65_537)]
    contents.append(b"\xff" * 1_000_003)
    digests = page.evaluate(
        """contents => contents.map(bytes => {
          const whole = new Uint8Array(bytes);
          const digest = new sha256_module.Sha256();
          for (let start = 0; start < whole.length; start += 37) {
            digest.update(whole.subarray(start, start + 37));
          }
          return [sha256_module.digestOfBytes(whole), digest.finish()];
        })""",
        [list(content) for content in contents],
    )
    for content, pair in zip(contents, digests, strict=True):
        assert pair == [hashlib.sha256(content).hexdigest()] * 2


def test_rational_numbers_are_exact(page: Page) -> None:
    """Sums, differences, products and quotients of 300 pairs are those of Fraction."""
    random = Random(2)
    pairs = [
        [
            Fraction(random.randint(-(10**30), 10**30), random.randint(1, 10**20))
            for _ in range(2)
        ]
        for _ in range(300)
    ]
    results = page.evaluate(
        """pairs => pairs.map(pair => {
          const [a, b] = pair.map(text => rationals_module.Rational.read(text));
          return [a.plus(b), a.minus(b), a.times(b), a.over(b)].map(String)
            .concat([a.exceeds(b), a.toNumber()]);
        })""",
        [[str(number) for number in pair] for pair in pairs],
    )
    for (a, b), (total, difference, product, ratio, exceeds, number) in zip(
        pairs, results, strict=True
    ):
        assert [total, difference, product, ratio] == list(
            map(str, (a + b, a - b, a * b, a / b))
        )
        assert exceeds == (a > b)
        assert number == pytest.approx(float(a), rel=1e-12)


def test_estimates_have_the_digits_that_their_interval_allows(page: Page) -> None:
    """300 estimates, ends of intervals and errors are written as in Python.

    960.611 with an interval of 870.5 to 1050.7 is 961.
    """
    page.add_script_tag(content=join_modules("answers"))
    random = Random(5)
    triples = [[960.611, 870.5, 1050.7], [120, 119, 121], [8.41, 7.9, 8.9]]
    for _ in range(300):
        half = 10 ** random.uniform(-4, 5)
        value = random.gauss(0, 100 * half)
        triples.append([value, value - half, value + half])
    texts = page.evaluate(
        """triples => triples.map(numbers => [
          ...elements_module.formatInterval(...numbers),
          elements_module.formatError(numbers[2] - numbers[1]),
        ])""",
        triples,
    )
    assert texts[0] == ["961", "870", "1,051", "180"]
    for (value, low, high), written in zip(triples, texts, strict=True):
        half = (high - low) / 2
        assert written == [
            write_number(value, half),
            write_number(low, half, math.floor),
            write_number(high, half, math.ceil),
            write_number(high - low),
        ]


@pytest.mark.parametrize(
    "written", ["", "1/0", "0x1", "1e3", "1.5", "1/-2", "9" * 5000, " 1"]
)
def test_what_is_no_exact_number_is_refused(page: Page, written: str) -> None:
    """A text that certificates do not write as a number is none."""
    read = """text => { try { return String(rationals_module.Rational.read(text)); }
      catch (error) { return "refused"; } }"""
    assert page.evaluate(read, written) == "refused"


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
@pytest.mark.parametrize("long_form", [False, True])
def test_zips_are_read(page: Page, tmp_path: Path, method: int, long_form: bool) -> None:
    """Stored and deflated entries, with sizes in 32 and in 64 bits, unpack to their bytes."""
    random = Random(3)
    files = {"a.txt": b"", "ü/b.bin": random.randbytes(200_000), "c": b"x" * 300_000}
    path = tmp_path / "z.zip"
    with zipfile.ZipFile(path, "w", method) as archive:
        for name, content in files.items():
            with archive.open(name, "w", force_zip64=long_form) as target:
                target.write(content)
    digests = page.evaluate(
        """async bytes => {
          const file = new File([new Uint8Array(bytes)], "z.zip");
          const entries = await zip_module.readZip(file);
          const found = {};
          for (const [name, entry] of entries) {
            found[name] = await sources_module.digestOfFile(entry);
          }
          return found;
        }""",
        list(path.read_bytes()),
    )
    assert digests == {name: hashlib.sha256(text).hexdigest() for name, text in files.items()}


def damage_size(content: bytes) -> bytes:
    """Say in the directory of a zip with one deflated entry that it is one byte longer."""
    place = content.index(b"PK\x01\x02") + 24
    size = int.from_bytes(content[place : place + 4], "little") + 1
    return content[:place] + size.to_bytes(4, "little") + content[place + 4 :]


@pytest.mark.parametrize(
    ("name", "damage", "sentence"),
    [
        ("../x", bytes, "leads out of its folder"),
        ("/x", bytes, "leads out of its folder"),
        ("x", damage_size, "cut short"),
        ("x", lambda content: content[:-30], "no zip file"),
        ("x", lambda content: content.replace(b"PK\x03\x04", b"PK\x03\x03"), "is damaged"),
    ],
)
def test_damaged_zips_are_refused(
    page: Page, tmp_path: Path, name: str, damage: Any, sentence: str
) -> None:
    """A zip that is not what it says gets one sentence."""
    path = tmp_path / "z.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, b"abc" * 1000)
    said = page.evaluate(
        """async bytes => {
          try {
            const file = new File([new Uint8Array(bytes)], "z.zip");
            for (const entry of (await zip_module.readZip(file)).values()) {
              await sources_module.digestOfFile(entry);
            }
          } catch (error) { return error.message; }
          return "";
        }""",
        list(damage(path.read_bytes())),
    )
    assert sentence in said


def test_a_csv_file_is_read(page: Page) -> None:
    """Quotes, line breaks in cells, empty cells and either end of a line are read."""
    text = 'a,b\n"x ""y"", z","two\nlines"\n,\n1,2\r\n"",last'
    rows = page.evaluate("text => [...csv_module.rowsOfCsv(text)]", text)
    assert rows == [
        ["a", "b"],
        ['x "y", z', "two\nlines"],
        ["", ""],
        ["1", "2"],
        ["", "last"],
    ]


@pytest.mark.parametrize("neighbors", list(Neighbors))
def test_sensitivities_of_sums_are_those_of_the_proof(
    page: Page, neighbors: Neighbors
) -> None:
    """Sums that are measured together move by as much as Python says, in three norms."""
    random = Random(4)
    for _ in range(60):
        sums = [
            MomentSum(
                columns=random.choice([(), (0,), (1,), (0, 0), (1, 1), (0, 1)]),
                by=random.choice([(), (0,), (1,), (0, 1)]),
                given=random.choice([(), (2,)]),
            )
            for _ in range(random.randint(1, 6))
        ]
        unit = Unit("pid", random.randint(1, 5000))
        moves = moment_sensitivity(sums, unit, neighbors)
        certificate = {"neighbors": neighbors.value, "max_rows": unit.max_rows}
        records = []
        for moment_sum in sums:
            record = {"columns": moment_sum.columns, "by": moment_sum.by}
            if moment_sum.given:
                record["given"] = moment_sum.given
            records.append(record)
        found = page.evaluate(
            f"""([certificate, sums]) =>
              ({NORMS})(sensitivities_module.momentSensitivity(certificate, sums))""",
            [certificate, json.loads(json.dumps(records))],
        )
        expected = {"l1": moves.l1, "l2": moves.squared_l2, "l": moves.l_infinity}
        assert found == {name: str(number) for name, number in expected.items()}


NOISE = [
    ({"law": "discrete Laplace", "scale": "7/3"}, Guarantee.pure(1), "epsilon"),
    ({"law": "K-norm", "norm": "l1", "dimension": "4", "scale": "9"}, None, "epsilon"),
    ({"law": "K-norm", "norm": "l2", "dimension": "4", "scale": "9"}, None, "epsilon"),
    (
        {"law": "K-norm", "norm": "l-infinity", "dimension": "4", "scale": "9"},
        None,
        "epsilon",
    ),
    ({"law": "discrete Gaussian", "sigma2": "400"}, Guarantee.zcdp(1), "rho"),
    ({"law": "discrete Gaussian", "sigma2": "400"}, Guarantee.gaussian(1), "mu_squared"),
    ({"law": "discrete Gaussian", "sigma2": "5000"}, Guarantee.gaussian(1), "mu_squared"),
]


@pytest.mark.parametrize(("noise", "claim", "unit"), NOISE)
def test_prices_are_those_of_the_mechanisms(
    page: Page, noise: dict[str, str], claim: Guarantee | None, unit: str
) -> None:
    """Each law costs what Python's mechanism costs, exactly."""
    moves = Sensitivity(12, 50, 5)
    price = mechanism_of(noise).price(moves, claim)
    expected = {
        "epsilon": price.epsilon,
        "rho": price.rho,
        "mu_squared": None if price.rho is None else 2 * price.rho,
    }[unit]
    found = page.evaluate(
        """([noise, unit]) => {
          const number = value => rationals_module.Rational.read(value);
          const norms = { l1: number(12), squaredL2: number(50), lInfinity: number(5) };
          return String(costs_module.priceOf(noise, norms, unit).amount);
        }""",
        [noise, unit],
    )
    assert found == str(expected)


def test_conversions_are_those_of_the_theorems(page: Page) -> None:
    """A rho implies the epsilon, and a mu the delta, that Python computes."""
    for rho in (1e-4, 0.02, 0.5, 7.0):
        for delta in (1e-5, 1e-9, 1e-14):
            found = page.evaluate(
                "([rho, delta]) => costs_module.zcdpEpsilon(rho, delta)", [rho, delta]
            )
            assert found == pytest.approx(zcdp_epsilon(rho, delta), rel=1e-7)
    for epsilon, sigma in ((0.5, 5.0), (1.0, 3.7306), (2.0, 3.0), (8.0, 0.6), (1.0, 6.0)):
        found = page.evaluate(
            "([epsilon, mu]) => costs_module.gaussianDelta(epsilon, mu)", [epsilon, 1 / sigma]
        )
        assert found == pytest.approx(gaussian_delta(epsilon, sigma), rel=1e-7, abs=1e-300)


def test_a_rule_that_the_form_does_not_know_is_an_error(page: Page) -> None:
    """No word of a schema is passed over."""
    found = page.evaluate(
        """() => { try { return form_module.findFormFault(1, { multipleOf: 2 }); }
          catch (error) { return error.message; } }"""
    )
    assert "multipleOf" in found
