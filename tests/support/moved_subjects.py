"""Refuses the old way of writing in subjects that use operations; `make check` runs it.

The table "Old and new subjects" of `docs/development.md` names their modules.
"""

import re
import sys
from collections.abc import Iterator
from typing import Final

from tests.support.sources import ROOT

TABLE: Final = ROOT / "docs" / "development.md"
MODULE: Final = re.compile(r"`([a-z0-9_/]+\.py)`")
OLD: Final = {
    "tournaments/services/": ("append_audit(",),
    "api/v1/": ("Listing(",),
}
"""Folder → what its moved modules do not contain."""


def moved() -> list[str]:
    """Return the modules of the table."""
    section = TABLE.read_text(encoding="utf-8").partition("## Old and new subjects")[2]
    return MODULE.findall(section.partition("\n## ")[0])


def faults() -> Iterator[str]:
    for module in moved():
        text = (ROOT / module).read_text(encoding="utf-8")
        for folder, patterns in OLD.items():
            for pattern in patterns if module.startswith(folder) else ():
                if pattern in text:
                    yield f"{module}: {pattern.strip()} is the old way; see docs/development.md"


if __name__ == "__main__":
    found = list(faults())
    print("\n".join(found) or f"{len(moved())} modules use operations")
    sys.exit(bool(found))
