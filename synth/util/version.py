"""The version of Synth. PUBLIC."""

__version__ = "0.4.0"
