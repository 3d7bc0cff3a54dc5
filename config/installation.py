"""The paths of an installation's code, files and state, and its version.

A checkout has templates, static files and documentation in top-level directories and its state in
`var/`. A wheel has the same files in the package `config.files` (pyproject.toml says so), and its
state in the account's state directory: nothing is ever written beside installed code.
"""

import importlib.metadata
import tomllib
from pathlib import Path
from typing import Final

import platformdirs

CODE_DIR: Final = Path(__file__).resolve().parent.parent
"""The directory of the packages: the checkout, or site-packages."""
_PACKED: Final = Path(__file__).resolve().parent / "files"
IS_WHEEL: Final = _PACKED.is_dir()
FILES_DIR: Final = _PACKED if IS_WHEEL else CODE_DIR
"""The directory of `templates`, `static` and `docs`."""
COMMAND: Final = "blacklady" if IS_WHEEL else "manage.py"
"""Name of the command line of this installation."""


def typed_command(python: Path) -> str:
    """Return what is typed in the directory of this installation, which runs by `python`.

    >>> typed_command(CODE_DIR / ".venv" / "bin" / "python")
    '.venv/bin/python manage.py'
    """
    if IS_WHEEL:
        return COMMAND
    if python.is_relative_to(CODE_DIR):
        return f"{python.relative_to(CODE_DIR)} {COMMAND}"
    return f"python {COMMAND}"


def default_home() -> Path:
    if IS_WHEEL:
        return platformdirs.user_state_path("blacklady", appauthor=False)
    return CODE_DIR / "var"


def version() -> str:
    """Return the version: that of the installed wheel, or the one that pyproject.toml gives."""
    if IS_WHEEL:
        return importlib.metadata.version("blacklady")
    project = tomllib.loads((CODE_DIR / "pyproject.toml").read_text(encoding="utf-8"))
    return str(project["project"]["version"])
