"""Bundles and ledgers of earlier commits: 588ee49, and `before-rooms` (see `before_rooms`)."""
