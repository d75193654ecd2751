"""The style of sheets as HTML: light, dark, phone and print. PUBLIC."""

from functools import cache
from pathlib import Path


@cache
def read_style() -> str:
    """Return the style of a sheet as CSS."""
    return Path(__file__).with_name("sheet.css").read_text("utf-8")
