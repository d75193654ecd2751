"""The version of Synth. PUBLIC."""

__version__ = "1.0.0"
