"""The only place that reads the environment.

Every reader is typed and has a default that works on a bare machine; each variable has its line
in docs/settings.md.
"""

import os
import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import environ
from django.core.exceptions import ImproperlyConfigured

LAST_PORT: Final = 65535

_ENV = environ.Env()


_ON: Final = ("1", "true", "yes", "on", "y", "ok")
_OFF: Final = ("0", "false", "no", "off", "n", "")


def flag(name: str, *, default: bool) -> bool:
    """An on/off variable: 1, true, yes, on are on; 0, false, no, off and nothing at all are off."""
    found = text(name, default="on" if default else "off")
    if found.lower() in _ON:
        return True
    if found.lower() in _OFF:
        return False
    raise ImproperlyConfigured(
        f'{name} must be one of 1, true, yes, on or one of 0, false, no, off, not "{found}".'
    )


def number(name: str, *, default: int) -> int:
    """A whole number."""
    try:
        return int(_ENV.int(name, default=default))
    except ValueError as error:
        found = text(name)
        raise ImproperlyConfigured(f'{name} must be a whole number, not "{found}".') from error


def count(name: str, *, default: int, least: int = 0) -> int:
    """A whole number that is not negative, or not below `least`."""
    found = number(name, default=default)
    if found < least:
        raise ImproperlyConfigured(f"{name} must be {least} or more, not {found}.")
    return found


def port(name: str, *, default: int) -> int:
    """A port to listen on; 0 is any free one."""
    found = number(name, default=default)
    if not 0 <= found <= LAST_PORT:
        raise ImproperlyConfigured(f"{name} must be a port from 0 to {LAST_PORT}, not {found}.")
    return found


def text(name: str, *, default: str = "") -> str:
    """Plain text, outer blanks removed."""
    return str(_ENV.str(name, default=default)).strip()


def words(name: str, *, default: tuple[str, ...] = ()) -> list[str]:
    """A list separated by commas."""
    return [word.strip() for word in _ENV.list(name, default=list(default)) if word.strip()]


def directories(name: str) -> tuple[Path, ...]:
    """Directories, separated as in PATH."""
    return tuple(Path(part) for part in text(name).split(os.pathsep) if part)


def path(name: str, *, default: Path) -> Path:
    """One path of the file system."""
    return Path(text(name, default=str(default)))


def database(name: str, *, default: str, below: Path) -> dict[str, Any]:
    """A database by URL, as Django wants it; a relative SQLite file lies below `below`."""
    settings: dict[str, Any] = dict(_ENV.db_url(name, default=default))
    if not settings.get("ENGINE"):
        raise ImproperlyConfigured(f"{name} names no database that Django knows.")
    if settings["ENGINE"].endswith("sqlite3") and settings["NAME"] != ":memory:":
        settings["NAME"] = str(below / settings["NAME"])
    return settings


def cache(name: str, *, otherwise: Mapping[str, Any]) -> dict[str, Any]:
    """A cache by URL, or `otherwise` where none is named; one on Redis fails open."""
    if not text(name):
        return dict(otherwise)
    found = dict(_ENV.cache_url(name))
    if str(found["BACKEND"]).endswith(".RedisCache"):
        found["BACKEND"] = "config.cache.FailOpenRedisCache"
    return found


def mail(name: str, *, default: str) -> dict[str, object]:
    """Mail settings by URL (`smtp+tls://user:password@host:587`, `consolemail://`)."""
    return dict(_ENV.email_url(name, default=default))


def secret_key(name: str, *, made_in: Path | None) -> str:
    """The secret `name`, or the content of the file that `{name}_FILE` names.

    Args:
        made_in: a file to keep a random key in where neither is set; None where one must be given.
    """
    if value := text(name):
        return value
    if file := text(f"{name}_FILE"):
        return Path(file).read_text(encoding="utf-8").strip()
    if made_in is None:
        raise ImproperlyConfigured(
            f"Set {name} or {name}_FILE; it makes itself only with SQLite and the memory broker."
        )
    return _kept_secret(made_in)


def _kept_secret(file: Path) -> str:
    """Read the key in `file`; make it first where it is missing, whole or not at all."""
    if not file.exists():
        file.parent.mkdir(parents=True, exist_ok=True)
        draft = file.with_name(f"{file.name}.{os.getpid()}")
        draft.touch(mode=0o600)
        draft.write_text(secrets.token_urlsafe(64), encoding="utf-8")
        try:
            os.link(draft, file)
        except FileExistsError:
            pass  # another process was first; its key is the one
        finally:
            draft.unlink()
    return file.read_text(encoding="utf-8").strip()
