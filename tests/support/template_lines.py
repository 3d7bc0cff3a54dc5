"""Check the length of lines in templates: `python -m tests.support.template_lines`."""

import re
import subprocess
import sys
from pathlib import Path

LIMIT = 120
MOST_OF_UNBREAKABLE = 160
TEMPLATE_TAG = re.compile(r"\{%.*?%\}|\{\{.*?\}\}|\{#.*?#\}")
VALUE_OF_ATTRIBUTE = re.compile(r'"[^"]*"')


def is_too_long(line: str) -> bool:
    """Return whether a line exceeds the limit; one that cannot be broken may have 160 columns.

    A line can be broken at a space that is not inside a template tag or the value of an attribute.
    """
    if len(line) <= LIMIT:
        return False
    breakable = VALUE_OF_ATTRIBUTE.sub("", TEMPLATE_TAG.sub("", line.strip()))
    return len(line) > MOST_OF_UNBREAKABLE or " " in breakable


def main() -> int:
    listed = subprocess.run(
        ["git", "ls-files", "*.html"],  # noqa: S607
        capture_output=True,
        text=True,
        check=True,
    )
    long = [
        f"{name}:{number}: {len(line)} columns"
        for name in listed.stdout.splitlines()
        for number, line in enumerate(Path(name).read_text("utf-8").splitlines(), 1)
        if is_too_long(line)
    ]
    print(*long, sep="\n", end="\n" if long else "")
    return 1 if long else 0


if __name__ == "__main__":
    sys.exit(main())
