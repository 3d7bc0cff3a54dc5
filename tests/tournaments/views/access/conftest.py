"""An evening whose first table has a link."""

import pytest

from tests.support.builders import Cast
from tests.support.scenarios.table_links import Linked, linked


@pytest.fixture
def night(cast: Cast) -> Linked:
    return linked(cast)
