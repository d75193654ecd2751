"""Bundles and ledgers of earlier commits: 588ee49, e643ced (`before_rooms`), bf5c844 (`before_favour`)."""
