"""What commands share: how one is added, and how its answer is shown."""

import argparse
from collections.abc import Callable
from typing import Protocol

from synth.check import Document

Run = Callable[[argparse.Namespace], None]
"""Carries out a command."""

Print = Callable[[argparse.Namespace, Document, list[str]], None]
"""Shows an answer: as JSON, or as lines."""


class Commands(Protocol):
    """Where commands are added."""

    def add_parser(self, name: str, *, help: str, description: str) -> argparse.ArgumentParser: ...
