"""The version of Synth. PUBLIC."""

__version__ = "1.0.0"

WHEEL = f"synth_dp-{__version__}-py3-none-any.whl"
# Synth is on no registry of packages yet, where its name might be another package's.
INSTALLING = (
    f"To install Synth {__version__}, take its wheel, {WHEEL}, from the people who gave you "
    "these files, or build it by 'make wheel' in Synth's repository; then type "
    f"'pip install {WHEEL}'."
)
