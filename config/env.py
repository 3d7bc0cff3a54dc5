"""The only place that reads the environment.

Every reader is typed and has a default that works on a bare machine; each variable has its line
in docs/settings.md. A password or a key can be in a file that `NAME_FILE` names.
"""

import os
import secrets
import warnings
import zoneinfo
from collections.abc import Mapping, Sequence
from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path
from typing import Any, Final, TypeAlias
from urllib.parse import quote, urlsplit

import environ
from django.core.exceptions import ImproperlyConfigured

LAST_PORT: Final = 65535
MAIL_FILES: Final = "tournaments.delivery.mail.files.EmailBackend"

Network: TypeAlias = IPv4Network | IPv6Network

_ENV = environ.Env()
_ON: Final = ("1", "true", "yes", "on", "y", "ok")
_OFF: Final = ("0", "false", "no", "off", "n", "")


def flag(name: str, *, default: bool) -> bool:
    """An on/off variable: 1, true, yes, on are on; 0, false, no, off and an empty value are off."""
    value = text(name, default="on" if default else "off")
    if value.lower() in _ON:
        return True
    if value.lower() in _OFF:
        return False
    raise ImproperlyConfigured(
        f'{name} must be one of 1, true, yes, on or one of 0, false, no, off, not "{value}".'
    )


def switch(name: str) -> bool | None:
    """An on/off variable that overrules something else; None where it is not set or empty."""
    if not text(name):
        return None
    return flag(name, default=False)


def number(name: str, *, default: int) -> int:
    try:
        return int(_ENV.int(name, default=default))
    except ValueError as error:
        value = text(name)
        raise ImproperlyConfigured(f'{name} must be a whole number, not "{value}".') from error


def count(name: str, *, default: int, least: int = 0) -> int:
    """A whole number that is not negative, or not below `least`."""
    value = number(name, default=default)
    if value < least:
        raise ImproperlyConfigured(f"{name} must be {least} or more, not {value}.")
    return value


def port(name: str, *, default: int) -> int:
    value = number(name, default=default)
    if not 0 <= value <= LAST_PORT:
        raise ImproperlyConfigured(f"{name} must be a port from 0 to {LAST_PORT}, not {value}.")
    return value


def text(name: str, *, default: str = "") -> str:
    return str(_ENV.str(name, default=default)).strip()


def choice(name: str, *, default: str, among: tuple[str, ...]) -> str:
    value = text(name, default=default) or default
    if value not in among:
        raise ImproperlyConfigured(f'{name} must be one of {", ".join(among)}, not "{value}".')
    return value


def words(name: str, *, default: tuple[str, ...] = ()) -> list[str]:
    return [word.strip() for word in _ENV.list(name, default=list(default)) if word.strip()]


def networks(name: str, *, default: tuple[str, ...]) -> tuple[Network, ...]:
    try:
        return tuple(ip_network(word) for word in words(name, default=default))
    except ValueError as error:
        raise ImproperlyConfigured(
            f"{name} must be addresses or networks such as 127.0.0.1, 10.0.0.0/8: {error}."
        ) from error


def directories(name: str, *, below: Path) -> tuple[Path, ...]:
    """Directories, separated as in PATH; relative ones are resolved below `below`."""
    return tuple(below / part for part in text(name).split(os.pathsep) if part)


def directory(name: str, *, default: Path, below: Path) -> Path:
    """A directory, created if missing; a relative path is resolved below `below`."""
    path = below / (text(name) or default)
    make_directory(path, named=name)
    return path


def home(name: str, *, default: Path) -> Path:
    """The directory of an installation's state, created if missing, for its owner only."""
    path = Path(text(name) or default).expanduser()
    if not path.is_absolute():
        raise ImproperlyConfigured(f'{name} must be an absolute path, not "{path}".')
    make_directory(path, named=name, mode=0o700)
    if not os.access(path, os.W_OK | os.X_OK):
        raise ImproperlyConfigured(
            f"This account cannot write to {path}. Set {name} to a directory where it can."
        )
    return path


def make_directory(path: Path, *, named: str, mode: int = 0o777) -> None:
    try:
        path.mkdir(mode=mode, parents=True, exist_ok=True)
    except OSError as fault:
        raise ImproperlyConfigured(
            f"Cannot create the directory {path} ({fault.strerror}). Set {named} to another place."
        ) from fault


def secret(name: str, *, default: str = "") -> str:
    """The secret `name`, else the content of the file that `{name}_FILE` names, else `default`."""
    if value := text(name):
        return value
    file = text(f"{name}_FILE")
    if not file:
        return default
    try:
        content = Path(file).read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as fault:
        why = fault.strerror if isinstance(fault, OSError) else "it is not UTF-8 text"
        raise ImproperlyConfigured(f"{name}_FILE: {file} cannot be read: {why}.") from fault
    if not content:
        raise ImproperlyConfigured(f"{name}_FILE: {file} is empty.")
    return content


def use_direct_database(name: str) -> None:
    """Let a command connect to the address `name`: past a pooler, and as the owner of the tables.

    It changes the environment, so it is called before the settings are read.
    """
    direct = secret(name)
    if not direct and text("DATABASE_POOLER", default="none") == "none":
        return
    if not direct:
        raise ImproperlyConfigured(
            f"Set {name} to the address of the database server itself: this command "
            "needs a session of its own, and DATABASE_POOLER says that DATABASE_URL has none."
        )
    os.environ.update(DATABASE_URL=direct, DATABASE_POOLER="none")


def database(name: str, *, default: str, below: Path) -> dict[str, Any]:
    return database_of(secret(name, default=default), named=name, below=below)


def database_of(url: str, *, named: str, below: Path) -> dict[str, Any]:
    """The `DATABASES` entry of a URL; a relative SQLite path is resolved below `below`."""
    try:
        with warnings.catch_warnings(action="ignore"):  # what is wrong is said below
            settings: dict[str, Any] = dict(_ENV.db_url_config(url))
    except ValueError as fault:
        raise ImproperlyConfigured(f"{named} is not the URL of a database.") from fault
    if not settings.get("ENGINE"):
        raise ImproperlyConfigured(f"{named} names no database that Django knows.")
    if settings["ENGINE"].endswith("sqlite3") and settings["NAME"] != ":memory:":
        settings["NAME"] = str(below / settings["NAME"])
    return settings


def redis_secret(name: str, *, password: str, default: str = "") -> str:
    """The secret `name`, a URL; one of Redis without a password gets this one."""
    url = secret(name, default=default)
    scheme, _, rest = url.partition("://")
    if not password or scheme not in ("redis", "rediss") or "@" in rest:
        return url
    return f"{scheme}://:{quote(password, safe='')}@{rest}"


def cache(name: str, *, password: str, otherwise: Mapping[str, Any]) -> dict[str, Any]:
    """A cache by URL, by default `otherwise`; one on Redis fails open."""
    url = redis_secret(name, password=password)
    if not url:
        return dict(otherwise)
    settings = dict(_ENV.cache_url_config(url))
    if str(settings["BACKEND"]).endswith(".RedisCache"):
        settings["BACKEND"] = "config.cache.FailOpenRedisCache"
    return settings


def mail(name: str, *, made_in: Path | None) -> dict[str, object]:
    """Mail settings by URL (`smtp+tls://user:password@host:587`, `consolemail://`).

    Args:
        made_in: the directory that mails are written to as files if the variable is not set;
            None makes the variable required.
    """
    url = secret(name)
    if not url:
        if made_in is None:
            raise ImproperlyConfigured(
                f"Set {name}: smtp+tls://user:password@host:587, or consolemail:// where there is "
                "no mail server. Only with SQLite and the memory broker mails are files by default."
            )
        return {"EMAIL_BACKEND": MAIL_FILES, "EMAIL_FILE_PATH": str(made_in)}
    return dict(_ENV.email_url_config(url))


def origins(name: str, *, default: tuple[str, ...] = ()) -> tuple[str, ...]:
    """Origins as browsers send them, `https://club.example`, separated by commas."""
    addresses = tuple(words(name, default=default))
    if addresses == default:
        return default
    for address in addresses:
        parts = urlsplit(address)
        if parts.scheme not in ("http", "https") or address != f"{parts.scheme}://{parts.netloc}":
            raise ImproperlyConfigured(
                f"{name} must have origins as in https://club.example, without a path, "
                f'not "{address}".'
            )
        if not parts.hostname or "*" in parts.netloc or "@" in parts.netloc:
            raise ImproperlyConfigured(f'{name} must name each host, not "{address}".')
    return addresses


def site_url(hosts: Sequence[str], *, port: int | None, is_secure: bool) -> str:
    """The base URL of a site, from the first host that it answers to.

    >>> site_url(["club.example", "www.club.example"], port=None, is_secure=True)
    'https://club.example'
    >>> site_url(["127.0.0.1"], port=8000, is_secure=False)
    'http://127.0.0.1:8000'
    """
    host = next((name.lstrip(".") for name in hosts if name.strip(".*")), "localhost")
    scheme = "https" if is_secure else "http"
    behind = "" if port is None else f":{port}"
    return f"{scheme}://{host}{behind}"


def time_zone(name: str) -> str:
    """A named time zone; by default that of this machine, else UTC.

    `TZ` is not read: Django sets it for itself and its child processes.
    """
    zone = text(name) or _zone_of_machine()
    if zone in zoneinfo.available_timezones():
        return zone
    if text(name):
        raise ImproperlyConfigured(
            f'{name} must be a time zone such as Europe/Berlin, not "{zone}".'
        )
    return "UTC"


def _zone_of_machine() -> str:
    try:
        return Path("/etc/timezone").read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError):
        return str(Path("/etc/localtime").resolve()).partition("zoneinfo/")[2]


def secret_key(name: str, *, made_in: Path | None) -> str:
    """The secret `name`, or the content of the file that `{name}_FILE` names.

    Args:
        made_in: a file to store a random key in if neither is set; None makes one required.
    """
    if value := secret(name):
        return value
    if made_in is None:
        raise ImproperlyConfigured(
            f"Set {name} or {name}_FILE; it makes itself only with SQLite and the memory broker."
        )
    return _kept_secret(made_in)


def _kept_secret(file: Path) -> str:
    """Read the key in `file`; create it atomically if it is missing."""
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
