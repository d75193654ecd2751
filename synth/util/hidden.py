"""Objects with private data, which no message and no log shows."""


class Private:
    """Base class of objects with private data, whose `repr` shows the class name alone.

    >>> class Rows(Private):
    ...     found = 41
    >>> Rows()
    Rows(private)
    """

    def __init_subclass__(cls) -> None:
        """Give a derived class this `repr`.

        A dataclass would otherwise get one that lists its fields. The decorator keeps a
        `repr` that the class has already, and this method runs before it.
        """
        cls.__repr__ = Private.__repr__  # type: ignore[method-assign]

    def __repr__(self) -> str:
        """Return the name of the class, and nothing of its content."""
        return f"{type(self).__name__}(private)"
