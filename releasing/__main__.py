"""`make release VERSION=x.y.z`: changelog, version, commit, tag, and the row of releases.toml."""

import sys
from datetime import UTC, datetime
from pathlib import Path

from releasing.release import ReleaseRefused, make_release


def main(words: list[str]) -> int:
    if len(words) != 1:
        sys.stderr.write("Usage: make release VERSION=x.y.z\n")
        return 2
    try:
        for line in make_release(Path.cwd(), words[0], today=datetime.now(tz=UTC).date()):
            print(line)
    except ReleaseRefused as refused:
        sys.stderr.write(f"{refused}\n")
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
