"""The log of sign-ins: a private file in the ledger's folder, a JSON object a line.

It lists each session once and begins anew at a few megabytes: nobody fills the disk by signing in.
"""

import json
import os
from datetime import UTC, datetime

import streamlit as st

from synth.foreign import home_folder

FILE = "sign-ins.jsonl"
MOST_BYTES = 5_000_000
"""Size at which a new file begins; the file before keeps the ending ``.1``."""
_NOTED = "sign_in_noted"


def note_sign_in(address: str | None, *, admitted: bool) -> None:
    """Log once a session that an account was admitted or refused; skip the line on a full disk.

    Args:
        address: As the provider says it.
        admitted: Whether it is on the list of users.
    """
    if st.session_state.get(_NOTED) == (address, admitted):
        return
    st.session_state[_NOTED] = (address, admitted)
    time = datetime.now(UTC).isoformat(timespec="seconds")
    line = json.dumps({"time": time, "by": (address or "")[:320], "admitted": admitted})
    path = home_folder() / FILE
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        if path.exists() and path.stat().st_size > MOST_BYTES:
            path.replace(path.with_name(f"{FILE}.1"))
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), "w") as file:
            file.write(f"{line}\n")
    except OSError:
        return
