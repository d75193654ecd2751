"""A PostgreSQL server of the tests' own, in a temporary folder."""

import importlib.util
import os
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from synth.foreign import Facts, child, parent
from synth.private.table import postgresql_copy

PASSWORD = "correct-horse-17"


@dataclass(frozen=True)
class Server:
    """A running server.

    Attributes:
        port: Where it listens.
        log: What it writes for its operator.
    """

    port: int
    log: Path

    def address(self, table: str, *, user: str = "owner", database: str = "postgres") -> str:
        return f"postgresql://{user}@127.0.0.1:{self.port}/{database}?table={table}"

    def connect(self, *, user: str = "owner", database: str = "postgres") -> Any:
        from adbc_driver_postgresql import dbapi

        place = f"postgresql://{user}@127.0.0.1:{self.port}/{database}"
        return dbapi.connect(place, autocommit=True)

    def run(self, *statements: str, user: str = "owner", database: str = "postgres") -> None:
        with (
            self.connect(user=user, database=database) as connection,
            connection.cursor() as cursor,
        ):
            for statement in statements:
                cursor.execute(statement)


@pytest.fixture
def inside(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the child process does, in this one, so that a test can come between its steps."""

    def do_here(request: Facts) -> bool:
        child.do(request)
        return False

    # The settings for the start would reach the test's own connections, too.
    monkeypatch.setattr(postgresql_copy, "protect_start", lambda server: server)
    monkeypatch.setattr(parent, "run_child", do_here)


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    """Start a server; skip where PostgreSQL or its driver is missing: `make databases` has
    both.
    """
    installed_tools = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    tools = Path(
        installed_tools[-1] if installed_tools else shutil.which("initdb") or ""
    ).parent
    if (
        not (tools / "initdb").exists()
        or importlib.util.find_spec("adbc_driver_postgresql") is None
    ):
        pytest.skip("PostgreSQL or its driver (the extra databases) is not installed")
    folder = Path(tempfile.mkdtemp(dir="/tmp"))
    as_user = ("runuser", "-u", "postgres", "--") if os.getuid() == 0 else ()
    if as_user:
        shutil.chown(folder, "postgres")
    word = folder / "word"
    word.write_text(PASSWORD)
    word.chmod(0o644)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]

    def call(tool: str, *options: str) -> None:
        subprocess.run(
            [*as_user, str(tools / tool), "-D", str(folder / "data"), *options],
            check=True,
            stdout=subprocess.DEVNULL,
            cwd=folder,
        )

    call("initdb", "-A", "scram-sha-256", f"--pwfile={word}", "-U", "owner", "-E", "UTF8")
    settings = f"-p {port} -k {folder} -c fsync=off -c listen_addresses=127.0.0.1"
    call("pg_ctl", "-w", "-o", settings, "-l", str(folder / "log"), "start")
    os.environ["PGPASSWORD"] = PASSWORD
    try:
        time.sleep(0.1)
        yield Server(port, folder / "log")
    finally:
        del os.environ["PGPASSWORD"]
        call("pg_ctl", "-m", "immediate", "stop")
        shutil.rmtree(folder)
