"""Bundles and ledgers of earlier commits.

588ee49, e643ced (see `before_rooms`) and bf5c844 (see `before_favour`).
"""
