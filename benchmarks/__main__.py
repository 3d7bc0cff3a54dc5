"""`python -m benchmarks`: a line a figure for each database, and all of them in a JSON file."""

import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from benchmarks.child import end_in_order
from benchmarks.databases import own_database, why_no_server
from benchmarks.report import DATABASES, as_line, as_table
from benchmarks.sizes import SIZES

ROOT = Path(__file__).resolve().parent.parent
PARTS: Final = ("in_process", "over_http", "corrections", "pages")
"""Parts of the measurement, each in a process and a database of its own."""

ASKED: Final = ("evening", "soak")
"""Parts that are measured when they are asked for: one that others contain, one that takes long."""

WITHOUT = "none"
"""In place of a database: the figures of the rules engine alone."""

LAID_OUT: Final[Mapping[str, Any]] = {"indent": 1, "ensure_ascii": False}


def main() -> None:
    """Measure; the exit status is 0 whether or not the goals are reached."""
    end_in_order()
    options = ArgumentParser(description="Measure every goal of docs/performance.md.")
    options.add_argument("--sizes", choices=sorted(SIZES), default="full")
    options.add_argument("--database", choices=(WITHOUT, *DATABASES), action="append")
    options.add_argument("--part", choices=(*PARTS, *ASKED), action="append")
    options.add_argument("--variants", action="store_true", help="a line for every variant")
    options.add_argument("--minutes", type=float, help="how long the soak lasts")
    options.add_argument("--rate", type=float, help="hands a minute of the soak")
    options.add_argument("--repeats", type=int, help="how often each figure is measured")
    options.add_argument("--out", type=Path, default=ROOT / "build" / "bench.json")
    options.add_argument("--markdown", type=Path, help="also write the table of the figures there")
    chosen = options.parse_args()
    begun = time.monotonic()
    about = {**machine(), "sizes": chosen.sizes}
    found: list[Mapping[str, Any]] = []
    for figures in asked_for(chosen):
        for figure in figures:
            found.append(figure)
            # After each, so that a run that is cut short leaves what it has.
            taken = {"seconds": round(time.monotonic() - begun)}
            keep(chosen.out, json.dumps({**about, **taken, "figures": found}, **LAID_OUT))
            if chosen.markdown:
                keep(chosen.markdown, as_table(found))
    print(f"{len(found)} figures in {time.monotonic() - begun:.0f} s; kept in {chosen.out}")


def asked_for(chosen: Namespace) -> Iterator[Iterator[Mapping[str, Any]]]:
    parts = chosen.part or PARTS
    without = () if chosen.part else (WITHOUT,)
    for database in chosen.database or (*without, *DATABASES):
        if database == WITHOUT:
            yield of_the_engine(chosen.sizes, *(["variants"] if chosen.variants else []))
        else:
            asked = {
                "soak_minutes": chosen.minutes,
                "soak_a_minute": chosen.rate,
                "repeats": chosen.repeats,
            }
            more = {name: value for name, value in asked.items() if value is not None}
            yield measured(database, chosen.sizes, parts, more)


def keep(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f"{text.rstrip()}\n", encoding="utf-8")


def measured(
    database: str, sizes: str, parts: Sequence[str], more: Mapping[str, float]
) -> Iterator[Mapping[str, Any]]:
    """Yield the figures of one database, each part in a process and a database of its own.

    `more`: sizes that are other than those of that name.
    """
    missing = why_no_server() if database == "postgresql" else None
    if missing:
        print(f"postgresql: not measured, {missing}")
        return
    for part in parts:
        with (
            tempfile.TemporaryDirectory(prefix="blacklady-bench-") as folder,
            own_database(database, Path(folder)) as url,
        ):
            yield from told_by(
                ["benchmarks.child", "figures", folder, sizes, part, json.dumps(more)],
                environment(url),
            )


def of_the_engine(sizes: str, *more: str) -> Iterator[Mapping[str, object]]:
    """Yield the figures of the rules engine, from a process without Django."""
    yield from told_by(["benchmarks.engine", sizes, *more], dict(os.environ))


def told_by(module: Sequence[str], environ: Mapping[str, str]) -> Iterator[Mapping[str, object]]:
    command = [sys.executable, "-m", *module]
    with (
        subprocess.Popen(
            command, cwd=ROOT, env=environ, stdout=subprocess.PIPE, text=True
        ) as child,
        ExitStack() as unless_it_ends,  # somebody has had enough, or a line cannot be read
    ):
        unless_it_ends.callback(child.terminate)
        for line in child.stdout or ():
            figure = json.loads(line)
            print(as_line(figure), flush=True)
            yield figure
        unless_it_ends.pop_all()
    if child.returncode:
        sys.exit(f"{module[0]}: the measurements ended with status {child.returncode}")


def environment(url: str) -> dict[str, str]:
    """Return the environment of a measuring process: a plain machine with that database."""
    ours = {
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "DATABASE_URL": url,
        "BROKER_URL": "memory://",
        "SECRET_KEY": "only-for-benchmarks",
        "EMAIL_URL": "consolemail://",
        "LOG_LEVEL": "WARNING",
        "BEHIND_TLS": "0",
        "STATIC_COLLECTED": "0",
        "DEBUG": "0",
    }
    others = {"ALLOWED_HOSTS", "CACHE_URL"}
    return {name: value for name, value in os.environ.items() if name not in others} | ours


def machine() -> dict[str, object]:
    return {
        "at": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "machine": f"{platform.machine()}, {os.cpu_count()} cores, {platform.system()}",
        "python": platform.python_version(),
        "load_before": os.getloadavg()[0],
    }


if __name__ == "__main__":
    main()
