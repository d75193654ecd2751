"""Fixtures that the tests of this folder share."""

from tests.bundle.conftest import whole

__all__ = ["whole"]
