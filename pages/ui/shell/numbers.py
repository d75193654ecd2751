"""Numbers in readable form."""


def say_count(number: int, thing: str) -> str:
    """Return a number with its noun, in the plural unless it is one."""
    return f"{number:,} {thing}" if number == 1 else f"{number:,} {thing}s"


_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def write_count(number: int) -> str:
    """Return a count in readable form: 24,192, or from 10⁹ on a power of ten, about 10¹⁹."""
    if number < 10**9:
        return f"{number:,}"
    return "about 10" + str(len(str(number)) - 1).translate(_RAISED)


def percent(share: float) -> str:
    """Return a share as a percentage, such as 12.3 %."""
    return f"{100 * share:.1f} %"
