"""Dossiers: every number is in the certificate, and what does not verify has none."""

import hashlib
import io
import json
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from pypdf import PdfReader

from synth.dossier import DOSSIER_FILES, Dossier, TypedAnswers, make_dossier, pack_dossier
from synth.dossier.data_protection import NO_ADVICE
from synth.dossier.guidance import LOOKED_UP
from synth.dossier.pieces import Citation, Figure, Question, text_of
from synth.errors import ReleaseError
from synth.verification import verify
from synth.verification.verified import Verified
from tests.bundle.bundles import edit_certificate, read_bundle, rezip
from tests.dossier.conftest import FIRST, KINDS, TYPED
from tests.dossier.tracing import NUMBER, MarkedText, is_in, list_untraced

BundleOf = Callable[[str], Path]
DossierOf = Callable[[str], Dossier]
Checked = Callable[[str], Verified]


def read_certificate(path: Path) -> bytes:
    """The bytes of the certificate of a bundle."""
    if path.is_dir():
        return (path / "certificate.json").read_bytes()
    return read_bundle(path)["certificate.json"]


@pytest.mark.parametrize("kind", KINDS)
def test_every_number_of_a_page_is_in_the_certificate(
    kind: str, bundle_of: BundleOf, dossier_of: DossierOf, checked: Checked
) -> None:
    """Outside of guidance and typed answers, each number on each page is of the certificate,
    its own digest, or in a sentence of the check.
    """
    content = read_certificate(bundle_of(kind))
    found = checked(kind)
    others = (hashlib.sha256(content).hexdigest(), *found.not_checked, *found.for_steward)
    dossier = dossier_of(kind)
    for name in dossier.sheets:
        page = dossier.files[f"{name}.html"].decode()
        assert list_untraced(page, json.loads(content), others) == [], name
        # The sources in the third column lead to something.
        assert MarkedText(page).of("figure")


def test_a_number_that_no_field_has_is_seen(bundle_of: BundleOf) -> None:
    """The rule finds a changed epsilon, and a number in a sentence of Synth's own."""
    content = json.loads(read_certificate(bundle_of("histogram")))
    page = '<p>Within 7 days: <bdi class="figure">3</bdi>, <bdi class="figure">4.5</bdi></p>'
    assert list_untraced(page, content, ()) == ["7", "4.5"]
    assert is_in("0.7253", {"cost": "475330581/655360000"})
    assert not is_in("0.7263", {"cost": "475330581/655360000"})


@pytest.mark.parametrize("kind", KINDS)
def test_a_figure_names_a_field_of_the_certificate(kind: str, dossier_of: DossierOf) -> None:
    """Every figure of a dossier leads to the value that it shows."""
    dossier = dossier_of(kind)
    facts = dossier.facts
    figures = [
        piece
        for sheet in dossier.sheets.values()
        for section in sheet.sections
        for part in section.parts
        if not isinstance(part, Question)
        for piece in part.content
        if isinstance(piece, Figure)
    ]
    assert len(figures) > 40
    for figure in figures:
        if figure.field in ("SHA-256 of certificate.json", "check by synth verify"):
            continue
        value = facts.find(figure.field)
        shown = facts.at(figure.field).text
        # The name of a linked table is the name of a field.
        assert figure.text == shown or (isinstance(value, dict) and figure.text in value)


@pytest.mark.parametrize("kind", KINDS)
def test_the_pdf_says_what_the_page_says(kind: str, dossier_of: DossierOf) -> None:
    """Each number of a PDF is on the page as well, but for numbers of pages."""
    dossier = dossier_of(kind)
    for name in dossier.sheets:
        reader = PdfReader(io.BytesIO(dossier.files[f"{name}.pdf"]))
        text = "".join(page.extract_text() for page in reader.pages)
        page = MarkedText(dossier.files[f"{name}.html"].decode())
        on_page = {n for _, part in page.texts for n in NUMBER.findall(part)}
        foot_numbers = {str(number) for number in range(1, len(reader.pages) + 1)}
        # A number may be cut at the end of a line.
        long_text = "".join(part for _, part in page.texts)
        strange = {
            number
            for number in NUMBER.findall(text)
            if number not in on_page | foot_numbers and number.strip(",") not in long_text
        }
        if kind != "hostile":  # where a sign that the font lacks is written by its number
            assert strange == set(), name


@pytest.mark.parametrize("kind", KINDS)
def test_typed_answers_are_on_pages_and_in_pdfs_and_in_no_certificate(
    kind: str, bundle_of: BundleOf, dossier_of: DossierOf
) -> None:
    """A typed answer stands where its question is, as text, and the question is no longer
    open; the bundle stays as it is.
    """
    dossier = dossier_of(kind)
    for name, sheet in dossier.sheets.items():
        asked = {question.key for question in sheet.questions}
        page = MarkedText(dossier.files[f"{name}.html"].decode())
        typed = [TYPED[key] for key in TYPED if key in asked]
        assert sorted(page.of("typed")) == sorted(typed)
        reader = PdfReader(io.BytesIO(dossier.files[f"{name}.pdf"]))
        text = "".join(part.extract_text() for part in reader.pages)
        for answer in typed:
            assert all(line in text for line in answer.splitlines())
        fields = reader.get_form_text_fields() if asked - TYPED.keys() else {}
        assert fields.keys() == asked - TYPED.keys()
    assert TYPED["board_number"].encode() not in read_certificate(bundle_of(kind))
    assert json.loads(dossier.files["answers.json"])["answers"].items() >= TYPED.items()


def test_answers_that_only_the_register_needs_are_in_its_entry(checked: Checked) -> None:
    """Answers about the entry are in the file of YAML, and open ones are marked there."""
    typed = TypedAnswers({"region": "Poland", "sector": "Education"})
    entry = make_dossier(checked("histogram"), typed).files["register.yaml"].decode()
    assert '    data_product_region: "Poland"' in entry
    assert '    data_product_sector: "Education"' in entry
    assert '    intended_use: "OPEN: Which purpose does the release have?"' in entry


@pytest.mark.parametrize("kind", KINDS)
def test_plain_texts_hold_no_number(kind: str, dossier_of: DossierOf) -> None:
    """A number of a sheet is in a figure or a citation, never in a sentence of its own."""
    for sheet in dossier_of(kind).sheets.values():
        texts = [sheet.reader]
        texts += [] if isinstance(sheet.title, Citation) else [text_of(sheet.title)]
        for section in sheet.sections:
            texts += [section.title] if isinstance(section.title, str) else []
            for part in section.parts:
                texts += [getattr(part, "topic", ""), getattr(part, "text", "")]
                texts += [p for p in getattr(part, "content", ()) if isinstance(p, str)]
        assert not [text for text in texts if NUMBER.search(text)]


def test_hostile_names_are_shown_as_text(dossier_of: DossierOf) -> None:
    """Names that look like markup, or turn the direction of text, are text on all sheets, and
    the policy of a page admits no program and no address.
    """
    files = dossier_of("hostile").files
    pages = [content.decode() for name, content in files.items() if name.endswith("html")]
    for page in pages:
        assert "<script" not in page
        assert "\u202e" not in page
        assert "default-src 'none'; style-src 'sha256-" in page
    health = MarkedText(files["health_data_access.html"].decode())
    assert "a\\u202eb" in health.of("figure")
    layers = "".join(
        text for _, text in MarkedText(files["nist_sp_800_226.html"].decode()).texts
    )
    assert "{{data}}" not in layers  # values of columns are no fact of the certificate
    reader = PdfReader(io.BytesIO(files["health_data_access.pdf"]))
    text = "".join(page.extract_text() for page in reader.pages)
    assert "a\\u202eb" in text
    assert "[U+5E74]" in text, "the font has no Chinese"


def test_it_is_said_once_that_it_is_no_legal_advice(dossier_of: DossierOf) -> None:
    files = dossier_of("model").files
    said = [name for name in files if NO_ADVICE.encode() in files[name]]
    assert said == ["data_protection.html"]
    for name in ("data_protection", "nist_sp_800_226", "health_data_access", "register"):
        assert LOOKED_UP.encode() in files[f"{name}.html"], "the state of guidance has a date"


def test_a_dossier_has_the_same_bytes_each_time(
    checked: Checked, dossier_of: DossierOf, tmp_path: Path
) -> None:
    """It holds the same files in the same bytes, in a folder and in a zip."""
    again = make_dossier(checked("linked"), TypedAnswers(TYPED))
    assert again.files == dossier_of("linked").files
    assert set(again.files) == {*DOSSIER_FILES}
    again.write(tmp_path / "dossier")
    with zipfile.ZipFile(io.BytesIO(pack_dossier(again))) as archive:
        for name in archive.namelist():
            assert archive.read(name) == (tmp_path / "dossier" / name).read_bytes()
    assert pack_dossier(again) == pack_dossier(dossier_of("linked"))


def test_questions_on_rows_of_a_person_are_asked_where_rows_are_protected(
    dossier_of: DossierOf,
) -> None:
    asked = {kind: {q.key for q in dossier_of(kind).questions} for kind in KINDS}
    assert {kind for kind in KINDS if "rows_per_person" not in asked[kind]} == {
        "person",
        "linked",
    }


def test_a_bundle_that_does_not_verify_has_no_dossier(tmp_path: Path) -> None:
    """The check refuses a forged bundle in one sentence, before a dossier is made."""
    files = read_bundle(FIRST / "histogram.zip")
    edit_certificate(files, lambda c: c.update(max_rows=2))
    forged = rezip(tmp_path / "forged.zip", files)
    with pytest.raises(ReleaseError) as refused:
        make_dossier(verify(forged))
    assert str(refused.value).count(". ") == 0


def test_rows_without_a_spend_have_no_dossier() -> None:
    with pytest.raises(ReleaseError, match="make the dossier of the release"):
        make_dossier(verify(FIRST / "dummy.zip"))


def test_answers_about_another_bundle_are_refused(checked: Checked) -> None:
    typed = TypedAnswers({"purpose": "teaching"}, checked("model").archive.digest)
    assert make_dossier(checked("model"), typed).answers == {"purpose": "teaching"}
    with pytest.raises(ReleaseError, match="typed for another bundle"):
        make_dossier(checked("linked"), typed)
