"""A child whose source falls silent, such as a server that stalls, is ended by its parent.

The child touches a file whenever the source has sent something. The parent looks at the
file's time. So the child's own code, which may wait in a library of another language, has no
part in it. The silence begins with the first touch: the time in which the child starts does
not count.
"""

from pathlib import Path
from subprocess import Popen, TimeoutExpired
from time import monotonic

# The file in the child's private folder.
PULSE_FILE = "pulse"
# The fault of which the parent tells.
SILENT = "silent"
# Seconds between two looks at the file.
LOOK_SECONDS = 0.1


class Pulse:
    """Shows the parent that the source of its child goes on.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> Pulse(folder).beat()
    >>> (folder / "pulse").exists()
    True
    """

    def __init__(self, folder: Path) -> None:
        """Choose the file in the child's private folder."""
        self._file = folder / PULSE_FILE

    def beat(self) -> None:
        """Tell the parent that the source has sent something."""
        self._file.touch()


def wait_while_heard(child: "Popen[bytes]", folder: Path, seconds: float) -> bool:
    """Wait for the end of a child, or end it after a silence.

    Args:
        child: The child process.
        folder: The child's private folder, where it touches a file as its `Pulse`.
        seconds: The longest silence.

    Returns:
        Whether it ended by itself.
    """
    last_pulse = 0
    heard_at = monotonic()
    while True:
        try:
            child.wait(LOOK_SECONDS)
        except TimeoutExpired:
            pass
        else:
            return True
        pulse = _time_of_pulse(folder)
        # Before the first beat there is no silence.
        if pulse != last_pulse or not pulse:
            last_pulse = pulse
            heard_at = monotonic()
        elif monotonic() - heard_at > seconds:
            child.kill()
            child.wait()
            return False


def _time_of_pulse(folder: Path) -> int:
    """Return the time of the child's last sign, in nanoseconds; 0 before the first."""
    try:
        return (folder / PULSE_FILE).stat().st_mtime_ns
    except OSError:
        return 0
