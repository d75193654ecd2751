"""The DDI codebook of a bundle: it counts synthetic rows, and nothing of the table."""

import csv
import io
from collections import Counter
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

from synth.bundle.ddi import DDI, NAMESPACE, codebook
from synth.domain import Categorical, Domain, load_schema
from synth.noise import DiscreteLaplace
from synth.privacy import Neighbors
from synth.rows import SyntheticTable
from synth.verification import verify
from tests.bundle.bundles import read_bundle, refusal_of, release_of, replace_signed
from tests.bundle.shapes import DATES, DOMAINS, FOLLOWING, OUTSIDE, rows_of
from tests.golden.same import PASSING, fixed_noise
from tests.tables import MIXED

SPACE = {"": NAMESPACE}


def variables_by_name(content: bytes) -> dict[str, Any]:
    """The elements of the columns by name."""
    root = ElementTree.fromstring(content)
    return {
        variable.get("name", ""): variable for variable in root.findall("dataDscr/var", SPACE)
    }


@pytest.mark.parametrize(
    "domain", [MIXED, OUTSIDE, FOLLOWING], ids=["mixed", "outside", "rules"]
)
def test_it_counts_the_synthetic_rows(tmp_path: Path, domain: Domain) -> None:
    """In the codebook each category has the number of synthetic rows in synthetic.csv that
    hold it.

    Columns that are not measured, but follow from others, have no counts.
    """
    result, _ = release_of(tmp_path, rows=rows_of(domain), domain=domain)
    written = result.write(tmp_path / "out")["synthetic.csv"].read_text(encoding="utf-8")
    header, *rows = csv.reader(io.StringIO(written))

    variables_found = variables_by_name(codebook(result.certificate, result.synthetic))
    assert [*variables_found] == header

    for name, cells in zip(header, zip(*rows, strict=True), strict=True):
        count_of = Counter(cells)
        counts = [
            int(statistic.text)
            for statistic in variables_found[name].iterfind(".//catStat", SPACE)
        ]

        assert sum(counts) == (len(rows) if name in domain.names else 0)
        for category in variables_found[name].iterfind("catgry", SPACE):
            # A missing value that is written as an empty cell has no text to look up.
            if counts and not (category.get("missing") and domain.missing_marker == ""):
                value = category.findtext("catValu", namespaces=SPACE)
                assert category.findtext("catStat", namespaces=SPACE) == str(count_of[value])


def test_every_count_refers_to_the_note_with_the_guarantee(bundle_path: Path) -> None:
    """Each count in the codebook refers to the note that says it is noisy, and has the
    guarantee.

    There are no other statistics (sumStat), such as means.
    """
    content = read_bundle(bundle_path)[DDI]
    root = ElementTree.fromstring(content)
    note = root.find("stdyDscr/method/notes", SPACE)
    assert note is not None
    assert note.text is not None
    assert note.text.startswith("All counts of categories are noisy.")
    assert "1-differentially private" in note.text

    counts = root.findall(".//catStat", SPACE)
    assert counts
    assert {count.get("methrefs") for count in counts} == {note.get("ID")}
    assert not root.findall(".//sumStat", SPACE)


@pytest.mark.parametrize(
    ("name", "neighbors"),
    [
        ("mixed", Neighbors.REPLACE_ONE),
        *(pytest.param(n, r, marks=pytest.mark.slow) for n in DOMAINS for r in Neighbors),
    ],
)
def test_another_table_with_the_same_noisy_counts_has_the_same_codebook(
    name: str, neighbors: Neighbors, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two tables with equal noisy counts give the same codebook, so it has nothing else of
    them.

    Noise is added to zeros in place of the exact counts, and is the same for both tables.
    """
    noise = DiscreteLaplace.release
    monkeypatch.setattr(
        DiscreteLaplace, "release", lambda law, n: noise(law, np.zeros_like(n))
    )
    domain = DOMAINS[name]
    codebooks = []
    rows = rows_of(domain)

    # The second table has the first 150 rows twice, so that other values are as frequent.
    for number, table in enumerate((rows, rows[:150] * 2)):
        with fixed_noise(f"codebook {name}"):
            result, _ = release_of(
                tmp_path, f"b{number}", table, domain=domain, neighbors=neighbors
            )
            codebook_text = codebook(result.certificate, result.synthetic).decode()
        # Times and digests may differ.
        codebooks.append(PASSING.sub("", codebook_text))

    assert codebooks[0] == codebooks[1]
    assert "catStat" in codebooks[0]


def test_one_more_row_in_a_cell_is_one_more_in_the_codebook() -> None:
    """The codebook counts the rows that it is given: another row in a cell raises its count.

    So a codebook made from the confidential rows would differ from that of synthetic ones.

    Of four rows, three are M in the first two cases; `picked` gives rows as numbers of
    distinct ones. The third case has two of each sex.
    """
    domain = Domain((Categorical(name="sex", categories=("F", "M")),))
    codes = [np.array([0, 1, 1, 1], np.int32)]
    certificate: Any = _Certificate()
    texts = [
        codebook(
            certificate, SyntheticTable(domain=domain, distinct=codes, picked=picked, seed=0)
        )
        for picked in (
            None,  # every distinct row once: one F, three M
            np.array([0, 1, 2, 2], np.int32),  # one F, three M
            np.array([0, 0, 1, 2], np.int32),  # two F, two M
        )
    ]

    assert texts[0] == texts[1] != texts[2]
    assert b">3</catStat>" in texts[0]


class _Certificate:
    """What a codebook looks at."""

    created = "2026-01-01"
    dataset = "s"
    number_of_rows = "4, public"
    domain_origin = "declared"
    versions = {"synth": "1"}  # noqa: RUF012

    class guarantee:
        statement = "A statement."


def test_synth_reads_its_own_codebook_as_a_declaration(tmp_path: Path) -> None:
    """A codebook that Synth wrote can be read as a declaration of the same columns."""
    for domain in (MIXED, DATES):
        result, _ = release_of(tmp_path, domain.names[0], rows_of(domain), domain=domain)
        fields = load_schema(codebook(result.certificate, result.synthetic))[0]["fields"]
        assert isinstance(fields, list)
        assert [field["name"] for field in fields if isinstance(field, dict)] == [
            *domain.names
        ]


def test_a_character_that_xml_lacks_is_replaced() -> None:
    """Control characters, which XML cannot hold, become the replacement character U+FFFD."""
    odd = Domain(
        (Categorical(name="a\x01<b>", categories=("x\x0b&", "y\rz"), description='"\n"'),)
    )
    certificate: Any = _Certificate()
    rows = SyntheticTable(domain=odd, distinct=[np.zeros(1, np.int32)], picked=None, seed=0)
    ((name, variable),) = variables_by_name(codebook(certificate, rows)).items()

    assert name == "a\ufffd<b>"

    texts = [
        item.findtext("catValu", namespaces=SPACE)
        for item in variable.iterfind("catgry", SPACE)
    ]
    assert texts == ["x\ufffd&", "y\rz"]


@pytest.mark.slow
def test_a_changed_count_is_refuted(bundle_path: Path, tmp_path: Path) -> None:
    """A codebook whose first count has another digit is refuted, though its digest is made
    anew.
    """

    def put_a_digit_before_it(files: dict[str, bytes]) -> None:
        replace_signed(files, DDI, files[DDI].replace(b'"noise">', b'"noise">1', 1))

    sentence = refusal_of(bundle_path, tmp_path, put_a_digit_before_it)
    assert sentence == "'ddi.xml' does not follow from the domain and the synthetic rows."
    assert "'ddi.xml' describes the columns, and counts the synthetic rows alone." in (
        verify(bundle_path).in_words
    )
