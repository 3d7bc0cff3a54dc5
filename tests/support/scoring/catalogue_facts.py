"""The shipped variants and what is known of them."""

import json

from tests.support.sources import ROOT

FACTS = {
    row["id"]: row for row in json.loads((ROOT / "tests/scoring/rules/catalogue.json").read_text())
}
"""Cards, totals and columns of each variant, typed by a person from the rule pages."""

VARIANTS = sorted(FACTS)
