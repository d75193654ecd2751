"""XML parts of workbooks, read as a stream.

Elements are matched by their names without prefixes. A part that declares its own entities,
which could unfold, is refused.
"""

import zipfile
from collections.abc import Callable, Iterator
from xml.parsers import expat

from synth.foreign.files import read_blocks

Attributes = dict[str, str]


class Reader:
    """A reader of a part of a workbook, by handlers of an element's start and end.

    Attributes:
        begins: The handlers of an element's start, by its name.
        ends: The handlers of an element's end.
        takes: Whether it wants the current text.
        text: The pieces of text that it took.
    """

    def __init__(self) -> None:
        """Make a parser whose events call the handlers, of which there are none yet."""
        self.begins: dict[str, Callable[[Attributes], None]] = {}
        self.ends: dict[str, Callable[[], None]] = {}
        self.takes = False
        self.text: list[str] = []
        parser = expat.ParserCreate()
        # Neighbouring pieces of text come as one.
        parser.buffer_text = True
        parser.StartElementHandler = self._begin
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._take
        parser.EntityDeclHandler = _refuse_entity
        self._parser = parser

    def read(self, archive: zipfile.ZipFile, part: str) -> Iterator[None]:
        """Read a part block by block, and yield after each one.

        Handlers are called in between, so the caller can use what they collected.

        Args:
            archive: The packed workbook.
            part: The name of the part in it.
        """
        with archive.open(part) as file:
            for block in read_blocks(file):
                self._parser.Parse(block, False)
                yield
        self._parser.Parse(b"", True)
        yield

    def read_all(self, archive: zipfile.ZipFile, part: str) -> None:
        """Read a part to its end; an empty name stands for a missing part, which has
        nothing.
        """
        if part:
            for _ in self.read(archive, part):
                pass

    def _begin(self, name: str, attributes: Attributes) -> None:
        """Call the handler of an element's start, by its name without a prefix, if there is
        one.
        """
        begin = self.begins.get(name.rpartition(":")[2])
        if begin is not None:
            begin(attributes)

    def _end(self, name: str) -> None:
        end = self.ends.get(name.rpartition(":")[2])
        if end is not None:
            end()

    def _take(self, text: str) -> None:
        if self.takes:
            self.text.append(text)


def _refuse_entity(*_: object) -> None:
    raise ValueError("A part of a workbook declares entities.")
