"""DDI files that would unfold, or ask for as many steps as codes times ranges."""

from time import process_time

import pytest

from synth import limits
from synth.domain.codebooks.ddi import from_ddi
from synth.errors import LimitError

SECONDS = 20
"""Of the processor; the product of what stands in the file would take minutes."""


def write_code_lists(codes: int, variables: int, times: int = 1, code: str = "") -> bytes:
    """DDI Lifecycle of so many variables, each of which refers to one list of codes
    ``times``.

    Each code begins with the text ``code``.
    """
    code_elements = "".join(f"<Code><Value>{code}{i}</Value></Code>" for i in range(codes))
    variable_elements = "".join(
        f"<Variable><VariableName>v{i}</VariableName>"
        f"{'<CodeListReference><ID>k</ID></CodeListReference>' * times}</Variable>"
        for i in range(variables)
    )
    return (
        f"<i><CodeList><ID>k</ID>{code_elements}</CodeList>{variable_elements}</i>".encode()
    )


def test_references_unfold_up_to_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """Many variables may refer to one list of codes, up to a limit of all codes together.

    The limit is 1,000 here: 100 variables with 10 codes each are read, 101 are refused.
    """
    monkeypatch.setattr(limits, "CODES", 1_000)

    document, _ = from_ddi(write_code_lists(10, 100))
    assert [len(f["constraints"]["enum"]) for f in document["fields"]] == [10] * 100
    with pytest.raises(
        LimitError, match=r"more than 20,000 columns or 1,000 codes, the limit\.$"
    ):
        from_ddi(write_code_lists(10, 101))


def test_a_variable_within_a_variable_counts_its_codes_twice(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Nested variables count the codes within them once each, so that nesting evades no
    limit.

    The file lists 2 codes in 100 variables one within the other. That makes 200 codes, and
    the limit is 100 here.
    """
    inner = "<catgry><catValu>1</catValu></catgry><catgry><catValu>2</catValu></catgry>"
    nested = "<var name='a'>" * 100 + inner + "</var>" * 100
    monkeypatch.setattr(limits, "CODES", 100)

    with pytest.raises(LimitError, match="or 100 codes"):
        from_ddi(f"<codeBook>{nested}</codeBook>".encode())


@pytest.mark.slow
def test_a_list_that_is_referred_to_often_is_read_once() -> None:
    """A variable that refers 10,000 times to a list of 10,000 codes is read in seconds.

    It has each code once. Reading the list at every reference would take minutes of the
    processor.
    """
    content = write_code_lists(10_000, 1, 10_000)

    start = process_time()
    document, _ = from_ddi(content)
    assert len(document["fields"][0]["constraints"]["enum"]) == 10_000
    assert process_time() - start < SECONDS


@pytest.mark.parametrize("are_apart", [True, False])
def test_codes_and_ranges_are_no_product(*, are_apart: bool) -> None:
    """20,000 codes and 20,000 ranges of missing values are read in seconds, not in 4 * 10^8
    steps.

    The codes are 0 to 19,999. Ranges that are apart are all negative, and hold no code. The
    others overlap and reach up to 200: then the codes 0 to 200 are missing, besides the empty
    text.
    """
    codes = "".join(f"<catgry><catValu>{i}</catValu></catgry>" for i in range(20_000))
    ends = [
        (-3 * i - 2, -3 * i - 1) if are_apart else (-i, i // 100) for i in range(1, 20_001)
    ]
    ranges = "".join(f'<item min="{low}" max="{high}"/>' for low, high in ends)
    content = f"<codeBook><var name='a'>{codes}<invalrng>{ranges}</invalrng></var></codeBook>"

    start = process_time()
    document, _ = from_ddi(content.encode())

    codes = document["fields"][0].get("missingValues", [""])
    assert len(codes) == (1 if are_apart else 202)
    assert process_time() - start < SECONDS
