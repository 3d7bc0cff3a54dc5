"""`python -m benchmarks`: a line a figure for each database, and all of them in a JSON file."""

import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from argparse import ArgumentParser
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benchmarks.databases import own_database, why_no_server
from benchmarks.sizes import SIZES

ROOT = Path(__file__).resolve().parent.parent
DATABASES = ("postgresql", "sqlite")


def main() -> None:
    """Measure; the exit status is 0 whether or not the goals are reached."""
    options = ArgumentParser(description="The goals of P4 to P8, measured.")
    options.add_argument("--sizes", choices=sorted(SIZES), default="full")
    options.add_argument("--database", choices=DATABASES, action="append")
    options.add_argument("--out", type=Path, default=ROOT / "build" / "bench.json")
    chosen = options.parse_args()
    begun = time.monotonic()
    found = [
        figure
        for database in chosen.database or DATABASES
        for figure in measured(database, chosen.sizes)
    ]
    taken = round(time.monotonic() - begun)
    chosen.out.parent.mkdir(parents=True, exist_ok=True)
    kept = {**machine(), "sizes": chosen.sizes, "seconds": taken, "figures": found}
    chosen.out.write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    print(f"{len(found)} figures in {taken} s; kept in {chosen.out}")


def measured(database: str, sizes: str) -> Iterator[Mapping[str, Any]]:
    """Yield the figures of one database, measured in a process and a database of their own."""
    missing = why_no_server() if database == "postgresql" else None
    if missing:
        print(f"postgresql: not measured, {missing}")
        return
    with (
        tempfile.TemporaryDirectory(prefix="blacklady-bench-") as folder,
        own_database(database, Path(folder)) as url,
        subprocess.Popen(
            [sys.executable, "-m", "benchmarks.child", "figures", folder, sizes],
            cwd=ROOT,
            env=environment(url),
            stdout=subprocess.PIPE,
            text=True,
        ) as child,
    ):
        for line in child.stdout or ():
            figure = json.loads(line)
            print(as_line(figure), flush=True)
            yield figure
    if child.returncode:
        sys.exit(f"{database}: the measurements ended with status {child.returncode}")


def environment(url: str) -> dict[str, str]:
    """Return the environment of a measuring process: a plain machine with that database."""
    ours = {
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "DATABASE_URL": url,
        "BROKER_URL": "memory://",
        "SECRET_KEY": "only-for-benchmarks",
        "LOG_LEVEL": "WARNING",
        "BEHIND_TLS": "0",
        "STATIC_COLLECTED": "0",
        "DEBUG": "0",
    }
    others = {"ALLOWED_HOSTS", "CACHE_URL", "EMAIL_URL"}
    return {name: value for name, value in os.environ.items() if name not in others} | ours


def as_line(figure: Mapping[str, Any]) -> str:
    """Return a figure in one line: value, what it is compared with, ratio, goal."""
    parts = [
        f"{figure['goal_of']} {figure['database']:<10} {figure['name']}:",
        f"{shown(figure['value'])} {figure['unit']}",
    ]
    if figure["against"]:
        parts.append(f"/ {figure['against']} {shown(figure['against_value'])} {figure['unit']}")
        parts.append(f"= {shown(figure['ratio'])}x")
    if figure["goal"]:
        state = "reached" if figure["reached"] else "NOT REACHED"
        parts.append(f"(goal {figure['goal']}, {state})")
    return " ".join(parts)


def shown(number: float) -> str:
    """Return a number in three figures, whole ones as they are.

    >>> shown(0.0834), shown(12.345), shown(1500.0)
    ('0.083', '12.3', '1500')
    """
    if number == int(number) or number >= 100:
        return f"{number:.0f}"
    return f"{number:.3f}" if number < 1 else f"{number:.2f}" if number < 10 else f"{number:.1f}"


def machine() -> dict[str, object]:
    """Return when and on what the figures were measured, and how busy it was before."""
    return {
        "at": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "machine": f"{platform.machine()}, {os.cpu_count()} cores, {platform.system()}",
        "python": platform.python_version(),
        "load_before": os.getloadavg()[0],
    }


if __name__ == "__main__":
    main()
