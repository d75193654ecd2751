"""Keys are told from measures by what they hold; contacts by how they are spelled."""

from dataclasses import replace
from random import Random

import pytest

from synth.private.counting.profiles import Profile, Readings
from synth.private.counting.shapes import (
    OTHER_MINUS,
    SURE,
    are_codes,
    contact,
    is_file_number,
    is_key,
    name_marks,
    odd_numbers,
    odd_spelling,
    seem_keys_or_names,
)


def profile_numbers(name: str, numbers: list[int]) -> tuple[Profile, Readings]:
    """The profile of a column of whole numbers, and what it says of them as numbers."""
    ascending = sorted(numbers)
    low, high = ascending[len(numbers) // 10], ascending[len(numbers) * 9 // 10]
    values = Readings(
        rows=len(numbers),
        different=len(set(numbers)),
        is_whole=True,
        lowest=[(ascending[0], 1)],
        highest=[(ascending[-1], 1)],
        decade=sum(n % 10 == 0 for n in set(numbers)) / len(set(numbers)),
        middle=(low, high),
    )
    return Profile(
        name=name,
        rows=len(numbers),
        blank=0,
        different=values.different,
        common=[],
        sample=[],
        longest=9,
        decimals=0,
        zeros=False,
        numbers=values,
    ), values


def profile_texts(*cells: str) -> Profile:
    """The profile of a column with one row of each of these texts."""
    return Profile(
        name="c",
        rows=99,
        blank=0,
        different=len(cells),
        common=[(t, 1) for t in cells],
        sample=list(cells),
        longest=9,
        decimals=0,
        zeros=False,
        numbers=Readings(),
    )


DRAW = Random(5)
SALARIES = [round(DRAW.lognormvariate(8, 0.7)) for _ in range(1_000)]
PERSONS = [DRAW.randrange(10**8, 2 * 10**8) for _ in range(700)]


@pytest.mark.parametrize(
    ("name", "numbers", "key"),
    [
        ("c", list(range(1, 892)), True),
        ("c", DRAW.sample(range(10**5), 900), True),
        ("c", DRAW.choices(PERSONS, k=1_000), True),
        ("patient_nbr", DRAW.choices(range(135, 9_999), k=1_000), True),
        ("admission_type_id", DRAW.choices(range(1, 9), k=1_000), False),
        ("c", SALARIES, False),
        ("c", DRAW.choices(range(250, 18_424), k=1_000), False),
        ("id", list(range(12)), False),
    ],
)
def test_content_says_what_is_a_key(name: str, numbers: list[int], key: bool) -> None:
    assert is_key(*profile_numbers(name, numbers)) is key


@pytest.mark.parametrize(
    ("text", "contact_kind"),
    [
        ("a.b@c.org", "e-mail addresses"),
        ("https://a.org/x", "web addresses"),
        ("550e8400-e29b-41d4-a716-446655440000", "identifiers (UUID)"),
        ("192.168.0.1", "network addresses"),
        ("DE89 3704 0044 0532 0130 00", "account numbers"),
        ("+49 228 1234567", "telephone numbers"),
        ("(555) 123-4567", "telephone numbers"),
        ("0049 228 1234567", "telephone numbers"),
        ("0000808528", ""),  # a customer of SAP
        ("-1.2921", ""),
        ("-1.2921 36.8219", "coordinates"),
        ("-1.2921000 36.8219000 1795.2 4.5", "coordinates"),  # of KoBo
        ("Bonn", ""),
        ("3-4", ""),
    ],
)
def test_contacts_are_known_by_their_shape(text: str, contact_kind: str) -> None:
    assert contact(profile_texts(text, text, "NA")) == contact_kind
    assert contact(profile_texts(text, "Kiel")) == ""


def test_what_is_written_in_an_odd_way_is_said() -> None:
    """Decimal commas, signs of money and times of day are named; plain texts are not."""
    assert "decimal comma" in odd_spelling(profile_texts("1,5", "20,25"))
    # Blanks that do not break a line, as French and Swiss programs write them.
    assert "between thousands" in odd_spelling(profile_texts("10\u00a0250", "9\u202f100"))
    assert "between thousands" in odd_spelling(profile_texts("10’250", "1’009’100"))
    assert "per cent" in odd_spelling(profile_texts("12,5\u00a0%", "-3 %"))
    assert "sign of money" in odd_spelling(profile_texts("$1,200", "$30"))
    # Excel's format for accounts has brackets for minus and a dash for nothing.
    assert "sign of money" in odd_spelling(profile_texts("$ 1,200.00", "$ (30.50)", "$ -"))
    assert "sign of money" in odd_spelling(profile_texts("($1,200)", "($30)", "$7"))
    assert "sign of money" in odd_spelling(profile_texts("R$ 12,50", "₹30", "30 ₺"))
    assert "times of day" in odd_spelling(profile_texts("14:05", "3:20"))
    assert odd_spelling(profile_texts("a", "b")) == ""
    oracle = ("22-MAR-23 07.36.45.000000000 PM", "01-APR-23 11.00.00.000000000 AM")
    assert "dates in several forms" in odd_spelling(profile_texts(*oracle))
    assert odd_spelling(profile_texts("12-ABC-34", "13-DEF-20")) == ""  # plates of cars


def test_the_marks_of_numbers_are_named_where_they_are_clear() -> None:
    """A comma may stand before decimals or between thousands; other marks are not guessed."""
    assert name_marks(profile_texts("1,5", "20,25")) == ("decimal=,",)
    assert name_marks(profile_texts("1,500", "20,250")) == ("thousands=,",)
    assert name_marks(profile_texts("1.250.000,5", "20,25")) == ("decimal=,", "thousands=.")
    assert name_marks(profile_texts("10’250", "1’009’100")) == ("thousands=’",)
    assert name_marks(profile_texts("10\u00a0250,5", "100")) == (
        "decimal=,",
        "thousands=nbsp",
    )
    assert name_marks(profile_texts("10\u202f250", "1\u202f009\u202f100")) == (
        "thousands=narrow",
    )
    assert name_marks(profile_texts("010 250", "030 123")) == ()  # telephone numbers


def test_the_marks_of_other_columns_decide_what_can_be_read_in_two_ways() -> None:
    """Beside 1.234,50 in another column, 12,000 is a dozen; it is no other way round."""
    marks = ("decimal=,", "thousands=.")
    dozens = profile_texts("12,000", "7,500")
    assert name_marks(replace(dozens, marks=marks)) == marks
    assert name_marks(replace(dozens, marks=())) == ("thousands=,",)
    thousands = profile_texts("12,000.5", "7,500")
    assert name_marks(replace(thousands, marks=marks)) == ("thousands=,",)


@pytest.mark.parametrize(
    ("texts", "noun"),
    [
        (("(1,204.50)", "310.00", "-", "88.10"), "in brackets"),
        (("120/80", "95 / 60", "#N/A"), "blood pressure"),
        (("12.5 mg", "7 mg", "100 mg"), "unit of measurement"),
        (("12a", "7b", "100c"), ""),
        (("2018w16", "2018w17"), ""),
        (("00310", "11300", "03111"), ""),
        (("12.3", "4.5 p", ":", "7 bu"), "flag"),
    ],
)
def test_numbers_in_a_spelling_of_their_own_are_named(
    texts: tuple[str, ...], noun: str
) -> None:
    """Brackets of accountants, two numbers in a cell and units of measurement are named."""
    reason = odd_numbers(profile_texts(*texts))
    assert noun in reason
    assert bool(noun) == bool(reason)


def test_weeks_are_no_numbers_of_files() -> None:
    """Weeks such as 2021-W05 do not count as file numbers, while 2021-0149 does."""
    weeks = [f"20{year}-W{week:02}" for year in (21, 22, 23) for week in range(1, 53)]
    assert not is_file_number(profile_texts(*weeks), len(weeks))
    cases = [f"2021-{case:04}" for case in range(150)]
    assert is_file_number(profile_texts(*cases), len(cases))


@pytest.mark.parametrize(
    ("text", "seems_so"),
    [
        ("Anne-Marie O’Neil, Dr.", True),
        ("王小明", True),
        ("R_0f3a91bc", True),
        ("123-45-6789", True),
        ("120/80", False),
        ("PT1H30M", True),
        ("41_10", False),
        ("A/5 21171", True),
        ("STON/O2. 3101282", True),
        ("3 < 5 = yes", False),
    ],
)
def test_keys_and_names_have_letters_or_many_digits(text: str, seems_so: bool) -> None:
    assert seem_keys_or_names(profile_texts(text, text)) == seems_so


def test_what_spss_and_excel_write_for_no_value_is_missing() -> None:
    """Such texts are missing among other texts, too."""
    assert {"#null!", "#div/0!", "#n/a", "#nv"} <= SURE


def test_codes_beside_numbers_are_no_missing_values() -> None:
    """Texts such as V27 and E90.1 among numbers are codes; "?" is a spelling of a missing
    value.

    Of the first column's three texts two are codes. The second column has "?" only.
    """
    readings = Readings(others=[("V27", 3), ("E90.1", 2), ("?", 9)])

    profile = Profile(
        name="diag",
        rows=99,
        blank=0,
        different=9,
        common=[],
        sample=[],
        longest=9,
        decimals=0,
        zeros=False,
        numbers=readings,
    )

    assert are_codes(profile)

    assert not are_codes(
        Profile(
            name="n",
            rows=9,
            blank=0,
            different=9,
            common=[],
            sample=[],
            longest=9,
            decimals=0,
            zeros=False,
            numbers=Readings(others=[("?", 9)]),
        )
    )


@pytest.mark.parametrize("cells", [("\u22121.5", "2.5", "30"), ("1.50-", "3", "20.00-")])
def test_another_minus_than_the_hyphen_is_named(cells: tuple[str, ...]) -> None:
    """Typography has a sign of its own, and SAP writes the minus behind a number."""
    assert odd_numbers(profile_texts(*cells)) == OTHER_MINUS
    assert odd_numbers(profile_texts("12-", "a", "b")) == ""
    assert odd_numbers(profile_texts("-1", "2.5")) == ""
