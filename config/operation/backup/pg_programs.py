"""PostgreSQL's own programs, run so that no password is on a command line or in a log."""

import os
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any, Final

from config.operation.backup.errors import BackupRefused, reason_in
from config.operation.backup.files import create_private

_SERVICE: Final = "blacklady"


@contextmanager
def service_file(parameters: Mapping[str, Any], place: Path) -> Iterator[Path]:
    """A file in `place`, for its owner only, with what libpq needs for a connection.

    Raises:
        BackupRefused: a value cannot be written in such a file.
    """
    if any("\n" in str(value) for value in parameters.values()):
        raise BackupRefused(
            "DATABASE_URL holds a line break, which PostgreSQL's programs cannot read."
        )
    lines = [f"[{_SERVICE}]", *(f"{name}={value}" for name, value in parameters.items())]
    path = create_private(place / "pg_service.conf")
    try:
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        yield path
    finally:
        path.unlink()


@contextmanager
def run_program(
    name: str, *words: str, service: Path | None = None, reads_input: bool = False
) -> Iterator[subprocess.Popen[bytes]]:
    """Run a program for the block and wait for its end; its output, or its input, is a pipe.

    A program is killed where the block fails, so that it commits nothing.

    Raises:
        BackupRefused: it is not installed, or ends with a fault.
    """
    # Its own settings would overrule the file's.
    environment = {key: value for key, value in os.environ.items() if not key.startswith("PG")}
    if service:
        environment |= {"PGSERVICEFILE": str(service), "PGSERVICE": _SERVICE}
    with tempfile.TemporaryFile() as errors:
        try:
            program = subprocess.Popen(  # noqa: S603  # words of our own
                [name, *words],
                stdin=subprocess.PIPE if reads_input else subprocess.DEVNULL,
                stdout=subprocess.DEVNULL if reads_input else subprocess.PIPE,
                stderr=errors,
                env={**environment, "LC_ALL": "C.UTF-8"},
            )
        except FileNotFoundError as fault:
            raise BackupRefused(
                f"{name} is not installed; it comes with PostgreSQL's client programs "
                "(Debian: postgresql-client)."
            ) from fault
        try:
            yield program
            _close(program)
        except BaseException as fault:
            program.kill()
            _close(program)
            program.wait()
            if isinstance(fault, BrokenPipeError) and reads_input:
                _require_done(name, program, errors)
            raise
        program.wait()
        _require_done(name, program, errors)


def _close(program: subprocess.Popen[bytes]) -> None:
    for pipe in (program.stdin, program.stdout):
        if pipe is not None:
            with suppress(BrokenPipeError):
                pipe.close()


def _require_done(name: str, program: subprocess.Popen[bytes], errors: IO[bytes]) -> None:
    if program.returncode:
        errors.seek(0)
        said = reason_in(errors.read().decode(errors="replace"))
        raise BackupRefused(f"{name} failed: {said}")
