"""Bundles and ledgers of earlier commits: 588ee49, and e643ced (see `before_rooms`)."""
