"""The address of a table in a database: how it is spelled and read. PRIVATE."""

import re
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

from synth.errors import ArgumentError

SCHEMES = ("postgresql://", "postgres://")
# Seconds to wait for a server to answer, unless the address says otherwise.
CONNECT_SECONDS = "10"
# One name: in groups 1 and 2, within quotation marks or plain.
NAME_PART = r'"((?:[^"]|"")+)"|([^".]+)'
# A table, with or without its schema; names with points or quotation marks are quoted.
NAMES = re.compile(rf"(?:(?:{NAME_PART})\.)?(?:{NAME_PART})")

TABLE_OPTION = re.compile("[?&]table=")


@dataclass(frozen=True)
class Address:
    """The address of a table.

    Attributes:
        server: The address of the database, without the table.
        schema: The table's schema.
        table: The table's name.
    """

    server: str
    schema: str
    table: str

    @property
    def name(self) -> str:
        """The schema and the table, for messages."""
        return f"{self.schema}.{self.table}"


def is_address(name: str | Path) -> bool:
    """Return whether a table's name is the address of a database.

    >>> is_address("postgresql://db.example/clinic?table=visits"), is_address("visits.csv")
    (True, False)
    """
    return isinstance(name, str) and name.startswith(SCHEMES)


def parse_address(text: str) -> Address:
    """Read the address of a table, with the table's name in its setting ``table``.

    Without a schema the table is in ``public``.

    Raises:
        ArgumentError: It holds a password, or names no table.

    >>> parse_address("postgresql://db.example/clinic?table=public.visits").name
    'public.visits'
    """
    try:
        parts = urlsplit(text)
        # Settings must be spelled right, but there may be none.
        query = parse_qsl(
            parts.query, keep_blank_values=True, strict_parsing=bool(parts.query)
        )
    except ValueError:
        raise ArgumentError("The address of the database cannot be read.") from None
    settings = dict(query)
    if ":" in parts.netloc.rpartition("@")[0] or settings.keys() & {
        "password",
        "sslpassword",
    }:
        raise ArgumentError(
            "An address must not hold a password. Write it into the password file "
            "(~/.pgpass) or a service file (~/.pg_service.conf), or set PGPASSWORD."
        )
    names = NAMES.fullmatch(settings.pop("table", ""))
    if names is None:
        raise ArgumentError(
            "The address must name one table, such as postgresql://host/database?table=public.visits."
        )
    # The first two groups are the schema, quoted or plain, and the last two the table.
    schema, table = (
        (quoted or plain or "").replace('""', '"')
        for quoted, plain in (names.groups()[:2], names.groups()[2:])
    )
    settings.setdefault("connect_timeout", CONNECT_SECONDS)
    # PostgreSQL's library takes a plus sign for itself, not for a blank.
    server = parts._replace(query=urlencode(settings, quote_via=quote), fragment="").geturl()
    return Address(server, schema or "public", table)


def table_address(server: str, schema: str, table: str) -> str:
    """Return the address of a table, from that of its server and its plain names.

    >>> table_address("postgresql://db/clinic?sslmode=require", "public", "visits")
    'postgresql://db/clinic?sslmode=require&table=%22public%22.%22visits%22'
    """
    from synth.foreign import quote_name

    names = f"{quote_name(schema)}.{quote_name(table)}"
    query = urlencode({"table": names}, quote_via=quote)
    return f"{server}{'&' if '?' in server else '?'}{query}"
