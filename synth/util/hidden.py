"""Objects with private data, which no message and no log shows."""


class Private:
    """What is built on it shows its name alone, also a dataclass.

    >>> class Rows(Private):
    ...     found = 41
    >>> Rows()
    Rows(private)
    """

    def __init_subclass__(cls) -> None:
        """Give a class this text, also if it is a dataclass."""
        cls.__repr__ = Private.__repr__  # type: ignore[method-assign]

    def __repr__(self) -> str:
        """Return the name alone."""
        return f"{type(self).__name__}(private)"
