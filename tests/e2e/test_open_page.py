"""The page ``open.html`` in a browser, opened from the disk: what it shows and checks."""

import hashlib
import json
import shutil
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from synth.domain import Categorical, Domain
from synth.plans import Method
from synth.privacy import Neighbors, Unit
from tests import patience
from tests.bundle.bundles import edit_certificate, make_bundle, read_bundle, rezip
from tests.e2e import axe
from tests.e2e.browser import PATIENCE
from tests.tables import MIXED
from tests.verification.redrawing import make_small_models

pytestmark = [pytest.mark.slow, pytest.mark.browser]
