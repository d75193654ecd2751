"""Differentially private synthetic tables.

Public domain -> private table -> private counts -> one door -> noisy counts -> distribution
-> rows. Each module imports only from those named before it in that sentence.
"""

__version__ = "0.2.0"
