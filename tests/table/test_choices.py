"""What a header leaves open is asked, with candidates, and decided by no row."""

import codecs
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synth.errors import SynthError
from synth.private.table import ENCODING_NAMES, EncodingError, Format, open_table
from synth.private.table.choices import (
    MAX_ENCODINGS,
    delimiters_of,
    encodings_of,
    marked_encoding,
)
from synth.private.table.format_guesses import suggest

HEADERS = {
    "cp1252": "Größe,Straße,Alter",
    "cp850": "Größe,Straße,Alter",
    "mac_roman": "Größe,Straße,Alter",
    "gb18030": "姓名,年龄,城市",
    "shift_jis": "名前,年齢,都市",
    "big5": "姓名,年齡,城市",
    "euc_kr": "이름,나이,도시",
    "euc_jp": "名前,年齢,都市",
    "cp1250": "Płeć,Wiek,Miasto",
    "cp1251": "Пол,Возраст,Город",
    "koi8_r": "Пол,Возраст,Город",
    "cp1253": "Φύλο,Ηλικία,Πόλη",
    "cp1254": "Cinsiyet,Yaş,Şehir",
    "utf-16-le": "name,âge",
    "utf-16-be": "name,âge",
}


@pytest.mark.parametrize("encoding", HEADERS)
def test_the_right_encoding_is_among_the_first_and_never_taken_in_silence(
    tmp_path: Path, encoding: str
) -> None:
    """A header that is not UTF-8 is refused, and its encoding is among the first proposals.

    `HEADERS` maps each encoding to a header in a language that uses it. One of the first
    three candidates must read this header as it was written. Once the steward names the
    encoding, the file opens.
    """
    path, header = tmp_path / "t.csv", HEADERS[encoding]
    path.write_bytes(f"{header}\n1,2,3\n".encode(encoding))

    # Zero bytes tell UTF-16 from all others, so the sentence must name it at once.
    named = "utf" if encoding.startswith("utf") else ""
    with pytest.raises(EncodingError, match=f"read.* --read encoding={named}") as refusal:
        open_table(path)
    candidates = refusal.value.candidates
    encodings = [candidate.encoding for candidate in candidates]
    assert header in [candidate.text for candidate in candidates[:3]], encodings

    table = open_table(path, Format(encoding=encoding))
    assert table.header == tuple(header.split(","))
    assert table.asked == (f"encoding={encoding}",)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32"])
def test_a_mark_in_the_first_bytes_decides_and_is_recorded(
    tmp_path: Path, encoding: str
) -> None:
    """A byte order mark settles the encoding, and the table records it as a chosen one.

    Python writes such a mark for UTF-16 and UTF-32. The mark of UTF-8 names no encoding,
    because UTF-8 is the default.
    """
    path = tmp_path / "t.csv"
    path.write_bytes("名前,年齢\n1,2\n".encode(encoding))
    table = open_table(path)
    assert table.header == ("名前", "年齢")
    assert table.asked == (f"encoding={encoding}",)
    assert table.notes == (
        f"The first bytes of the file say that it is {encoding.upper()} text.",
    )
    assert marked_encoding(codecs.BOM_UTF8) == ""


def test_rows_that_are_not_utf8_refuse_nothing_and_are_hinted_at(tmp_path: Path) -> None:
    """A file with a header in ASCII opens although its rows are not UTF-8.

    Only the header decides whether a file is refused. The steward gets a hint that names the
    likely encoding.
    """
    path = tmp_path / "t.csv"
    path.write_bytes("name,age\nMüller,3\nGrößer,4\n".encode("cp1252"))
    assert open_table(path).hint() == " Its shape suggests the format encoding=cp1252."


def test_a_header_of_no_known_encoding_is_one_sentence(tmp_path: Path) -> None:
    """The refusal of an unreadable header is one line and passes on no control character.

    The header has a byte that is not UTF-8, and an escape sequence that clears a terminal.
    """
    path = tmp_path / "t.csv"
    path.write_bytes(b"\xe9\x1b[2J,b\n1,2\n")
    with pytest.raises(SynthError) as e:
        open_table(path)

    assert "\x1b" not in str(e.value)
    assert str(e.value).count("\n") == 0


@given(st.binary(max_size=80))
def test_any_bytes_have_candidates_that_read_them(content: bytes) -> None:
    """Every proposed encoding is a known one and decodes the bytes to the text shown.

    No two candidates show the same text, and there are at most `MAX_ENCODINGS`. The guess of
    a whole format, `suggest`, does not fail on any bytes either.
    """
    candidates = encodings_of(content)
    assert len(candidates) <= MAX_ENCODINGS
    assert len({candidate.text for candidate in candidates}) == len(candidates)
    for candidate in candidates:
        assert content.decode(candidate.encoding) == candidate.text
        assert candidate.encoding in ENCODING_NAMES
    suggest(content)


@pytest.mark.parametrize(
    ("header", "marks"),
    [("a;b;c", ";,"), ("a\tb|c|d", "|\t,"), ("a", ","), ("a,b", ","), ('"a;b"', ",")],
)
def test_delimiters_that_cut_a_header(header: str, marks: str) -> None:
    """All delimiters that split a header are proposed, those with the most names first.

    The whole line as one name is the last proposal, under a comma. `marks` lists the expected
    delimiters in order. A delimiter inside quotation marks splits nothing.
    """
    cuts = delimiters_of(header)
    assert "".join(cut.delimiter for cut in cuts) == marks
    name_counts = [len(cut.names) for cut in cuts]
    assert name_counts == sorted(name_counts, reverse=True)


def test_one_column_asks_only_where_another_mark_cuts_it(tmp_path: Path) -> None:
    """A header without a comma offers the other ways to split it, if there are any.

    Nothing is offered if the steward named the delimiter, or if no delimiter splits it.
    """
    path = tmp_path / "t.csv"
    path.write_text("age\tsex\n1\t2\n")
    assert [cut.names for cut in open_table(path).cuts()] == [("age", "sex"), ("age\tsex",)]
    assert open_table(path, Format(delimiter="\t")).cuts() == ()

    path.write_text("age\n1\n")
    assert open_table(path).cuts() == ()
