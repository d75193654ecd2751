"""Times of day and durations, recognised by the shape of a column's texts. PRIVATE."""

import re
from collections.abc import Sequence

from synth.domain import Clock, Span, SpanReading, sounds_like
from synth.private.counting.profiles import MAX_CODES, Profile

# Share of the known texts that must be read.
LEAST_READ = 0.9
# Words in the name of a column of durations.
DURATION_WORDS = frozenset(
    "duration dur wait waiting length elapsed runtime los stay interval lag delay spent "
    "dauer wartezeit laufzeit".split()
)
# Beyond this many hours a text is no time of day.
LAST_HOUR = 23

_CLOCK = re.compile(
    r"(?P<hour>[0-9]{1,7}):[0-5][0-9](?P<second>:[0-5][0-9])?(?P<fraction>[.,][0-9]+)?"
    r"(?P<noon> ?[AaPp][Mm])?",
    re.ASCII,
)


def clock_readings(profile: Profile) -> tuple[SpanReading, ...]:
    """Return how the texts of a column may be read as times of day or durations.

    There is one way at most: hours beyond 23, or a name such as wait, mean durations.

    Args:
        profile: The statistics of the column.
    """
    texts = [text for text in profile.known_texts if any(map(str.isdigit, text))]
    # Durations such as PT1H5M or "3 days".
    if any(text.startswith("P") or " day" in text for text in texts):
        for span in (Span("default"), Span("%d days"), Span("%d days %H:%M:%S")):
            if _reads_most(span, texts):
                return (span,)
    matches = [match for match in map(_CLOCK.fullmatch, texts) if match]
    if not matches or len(matches) < LEAST_READ * len(texts):
        return ()
    if profile.numbers.different > MAX_CODES:  # numbers beside times are neither
        return ()
    hours = [match["hour"] for match in matches]
    singles = sum(len(hour) == 1 for hour in hours)
    padded = sum(len(hour) == 2 and hour[0] == "0" for hour in hours)
    flag = "-" if singles > padded else ""  # without it, hours have two digits
    seconds = ":%S" if any(match["second"] for match in matches) else ""
    noons = [match["noon"] for match in matches if match["noon"]]  # AM or PM
    if noons:
        noon = "%_p" if noons[0].strip().islower() else "%p"
        gap = " " if noons[0].startswith(" ") else ""
        return _if_read(Clock(f"%{flag}I:%M{seconds}{gap}{noon}"), texts)
    form = f"%{flag}H:%M{seconds}"
    is_beyond_day = any(int(hour) > LAST_HOUR for hour in hours)
    if is_beyond_day or sounds_like(profile.name, DURATION_WORDS):
        return _if_read(Span(form), texts)
    return _if_read(Clock(form), texts)


def _if_read(reading: SpanReading, texts: Sequence[str]) -> tuple[SpanReading, ...]:
    return (reading,) if _reads_most(reading, texts) else ()


def _reads_most(reading: SpanReading, texts: Sequence[str]) -> bool:
    """Return whether a reading reads nearly all texts."""
    read = sum(_is_read(reading, text) for text in texts)
    return read >= LEAST_READ * len(texts)


def _is_read(reading: SpanReading, text: str) -> bool:
    """Return whether a reading accepts a text."""
    try:
        reading.read(text)
    except ValueError:
        return False
    return True
