"""SAS: transport files of version 5, which have no labels of codes. PUBLIC."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from synth.bundle.exports.columns import HeldColumn
from synth.bundle.exports.names import NameRule
from synth.bundle.exports.statistics import StatisticsFormat


@dataclass(frozen=True, eq=False)
class Sas(StatisticsFormat):
    """Transport files of SAS, version 5."""

    def options(self, variables: tuple[HeldColumn, ...]) -> Mapping[str, Any]:
        """Return the options of pyreadstat's function, without labels of codes.

        Args:
            variables: How the format holds each column.
        """
        options = dict(super().options(variables))
        del options["variable_value_labels"]
        return {**options, "file_format_version": 5, "table_name": "SYNTH"}


SAS = Sas(
    name="xpt",
    title="SAS",
    mime="application/x-sas-xport",
    remarks=(
        "A transport file has no labels of codes; see dictionary.csv.",
        "Names are in capital letters, because SAS ignores case.",
        "Texts are UTF-8, as the file itself cannot say.",
    ),
    naming=NameRule(
        max_bytes=8,
        reserved=frozenset("_n_ _error_ _file_ _infile_ _msg_ _iorc_ _cmd_".split()),
        is_upper=True,
    ),
    max_label=40,
    max_text=200,
    first_date=datetime(1582, 10, 15),
    epoch=datetime(1960, 1, 1),
    writer="write_xport",
    date_forms=("DATE9", "DATETIME20"),
    # Nothing needs to stand before such a time, so the first group is empty.
    stamp=(re.compile(rb"()([0-9]{2}[A-Z]{3}[0-9]{2}(?::[0-9]{2}){3})"), b"01JAN80:00:00:00"),
)
