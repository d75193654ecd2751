"""A stand-in for the driver of PostgreSQL: it connects, and then waits for a server for
ever.
"""

import os
from pathlib import Path

import pytest

from tests.patience import until

DRIVER = """
import os, pathlib, signal, time

def connect(address):
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # as a library of another language
    place = pathlib.Path(__file__).with_name("waiting")
    place.with_suffix(".new").write_text(str(os.getpid()))
    place.with_suffix(".new").rename(place)
    time.sleep(3600)
"""


class SilentDriver:
    """The stand-in, in a folder of packages.

    Args:
        folder: An empty one, which goes on Python's path.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "adbc_driver_postgresql").mkdir(parents=True)
        (folder / "adbc_driver_manager.py").write_text("class Error(Exception):\n    pass\n")
        (folder / "adbc_driver_postgresql/__init__.py").write_text("")
        (folder / "adbc_driver_postgresql/dbapi.py").write_text(DRIVER)

    @property
    def path(self) -> str:
        """Python's path, with the stand-in first."""
        return os.pathsep.join(filter(None, (str(self.folder), os.environ.get("PYTHONPATH"))))

    def is_waiting(self) -> bool:
        return (self.folder / "adbc_driver_postgresql/waiting").exists()

    def process(self) -> int:
        """The number of the process that waits, as soon as it does."""
        assert until(self.is_waiting)
        return int((self.folder / "adbc_driver_postgresql/waiting").read_text())


def use_silent_driver(folder: Path, patch: pytest.MonkeyPatch) -> SilentDriver:
    """Put the stand-in in the place of the driver, for this process and those that it
    starts.
    """
    driver = SilentDriver(folder)
    patch.setenv("PYTHONPATH", driver.path)
    patch.syspath_prepend(str(folder))
    return driver
