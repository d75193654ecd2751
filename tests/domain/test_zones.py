"""Time zones: known ones, their offsets, and the hours that a clock skips or repeats."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from synth.domain.zones import (
    CLOCK_RANGE,
    clock_changes,
    first_second,
    offset_at,
    offset_text,
    read_zone,
)
from synth.errors import DomainError

BERLIN = "Europe/Berlin"


@pytest.mark.parametrize(
    "name", ["", "Mars/Base", "../etc/passwd", "+25:00", "Europe", "a b"]
)
def test_an_unknown_zone_is_refused_with_what_works_everywhere(name: str) -> None:
    with pytest.raises(DomainError, match="not known on this computer: write UTC, an offset"):
        read_zone(name)


@pytest.mark.parametrize("name", ["UTC", "Z", "+02:00", "-0330", "+05"])
def test_utc_and_offsets_need_no_list_of_zones(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """UTC and fixed offsets work on a computer without a list of zones, such as Windows."""
    monkeypatch.setattr("synth.domain.zones.ZoneInfo", None)
    read_zone.cache_clear()
    assert offset_at(name, 0) == offset_at(name, 10**9)
    assert len(clock_changes(name)) == 1


def test_offsets_are_those_of_the_zone() -> None:
    """Offsets agree with those of zoneinfo for each hour of two years, and at both calendar
    ends.
    """
    start = datetime(2023, 1, 1, tzinfo=UTC)
    for hour in range(2 * 365 * 24):
        moment = start + timedelta(hours=hour)
        offset = moment.astimezone(ZoneInfo(BERLIN)).utcoffset()
        assert timedelta(seconds=offset_at(BERLIN, int(moment.timestamp()))) == offset
    for second in (-62_135_596_800, 253_402_300_799):
        assert offset_at(BERLIN, second) % 60 == 0


def test_changes_are_the_moments_at_which_the_offset_differs() -> None:
    """`clock_changes` lists exactly the moments at which Berlin's offset from UTC changes."""
    changes = clock_changes(BERLIN)
    assert changes[0].second == CLOCK_RANGE[0]
    for change in changes[1:]:
        assert offset_at(BERLIN, change.second) == change.offset
        assert offset_at(BERLIN, change.second - 1) != change.offset
    # Two changes in each year since 1980.
    recent = [change for change in changes if change.second >= 315_532_800]
    assert len(recent) == 2 * (2100 - 1980)


def test_a_clock_names_its_first_moment() -> None:
    """An hour that repeats is the first of both.

    One that is skipped is by the clock before.
    """
    repeated = int(datetime(2024, 10, 27, 2, 30, tzinfo=UTC).timestamp())
    assert repeated - first_second(BERLIN, repeated) == 7_200
    skipped = int(datetime(2024, 3, 31, 2, 30, tzinfo=UTC).timestamp())
    assert skipped - first_second(BERLIN, skipped) == 3_600
    assert offset_text(-16_200) == "-04:30"
