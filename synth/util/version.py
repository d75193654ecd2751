"""The version of Synth. PUBLIC."""

__version__ = "1.0.0"


def say_how_to_install(version: str) -> str:
    """Return a sentence on where a version of Synth comes from.

    Synth is on no registry of packages yet, where its name might be another package's.

    >>> say_how_to_install("1.0.0").split(",")[1]
    ' take its wheel'
    """
    wheel = f"synth_dp-{version}-py3-none-any.whl"
    return (
        f"To install Synth {version}, take its wheel, {wheel}, from the people who gave you "
        "these files, or build it by 'make wheel' in Synth's repository; then type "
        f"'pip install {wheel}'."
    )
