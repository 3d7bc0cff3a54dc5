"""Fixtures of tests with a browser."""

import pytest
from django.core.cache import cache
from django.utils import timezone

from tournaments.services.access.table_links import make_setup_link


@pytest.fixture
def setup(db: None) -> str:
    """The secret of the link that makes the first account of an installation."""
    cache.clear()
    return make_setup_link(now=timezone.now())
