"""The log of sign-ins: a private file in the ledger's folder, one JSON object per line.

It lists an account once an hour and starts again at a few megabytes, so that sign-ins cannot
fill the disk."""

import json
import os
from datetime import UTC, datetime

from synth.util import home_folder

FILE = "sign-ins.jsonl"
# Size at which a new file starts; the earlier file gets the ending ``.1``.
MOST_BYTES = 5_000_000
# The hour in which this process last logged an account.
_LOGGED: dict[tuple[str, bool], str] = {}


def note_sign_in(address: str | None, *, admitted: bool) -> None:
    """Log that an account was admitted or refused; skip the line on a full disk.

    Each account is logged once an hour. ``address`` is None for an account without one.
    """
    time = datetime.now(UTC).isoformat(timespec="seconds")
    by = (address or "")[:320]  # no e-mail address is longer
    hour = time[:13]  # the date and the hour of an ISO time
    if _LOGGED.get((by, admitted)) == hour:
        return
    _LOGGED[by, admitted] = hour
    line = json.dumps({"time": time, "by": by, "admitted": admitted})
    path = home_folder() / FILE
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        if path.exists() and path.stat().st_size > MOST_BYTES:
            path.replace(path.with_name(f"{FILE}.1"))
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        with os.fdopen(handle, "w") as file:
            print(line, file=file)
    except OSError:
        return
