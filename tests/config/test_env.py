"""config/env.py: typed readers, and a key that makes itself only where that is safe."""

import os
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured

from config import env
from tests.support.sources import ROOT


def run(*words: str, **environment: str) -> tuple[int, str, str]:
    done = subprocess.run(
        [sys.executable, *words], cwd=ROOT, env=environment, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    return done.returncode, done.stdout, done.stderr


def manage(command: str, **environment: str) -> tuple[int, str, str]:
    return run("manage.py", command, **{**os.environ, **environment})


def test_password_of_redis_goes_into_its_address_only(monkeypatch: pytest.MonkeyPatch) -> None:
    addresses = {
        "redis://redis:6379/0": "redis://:p%2F%40ss@redis:6379/0",
        "redis://:own@redis:6379/0": "redis://:own@redis:6379/0",
        "amqp://rabbit:5672//": "amqp://rabbit:5672//",
        "memory://": "memory://",
    }
    for address, expected in addresses.items():
        monkeypatch.setenv("BROKER_URL", address)
        assert env.redis_secret("BROKER_URL", password="p/@ss") == expected


def test_key_is_made_once_and_only_its_owner_may_read_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SECRET_KEY", raising=False)
    file = tmp_path / "var" / "secret_key"
    first = env.secret_key("SECRET_KEY", made_in=file)
    assert env.secret_key("SECRET_KEY", made_in=file) == first
    assert len(first) == 86
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert list(file.parent.iterdir()) == [file]


def test_two_processes_at_once_get_one_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SECRET_KEY", raising=False)
    code = (
        "import sys; from pathlib import Path; from config import env;"
        "print(env.secret_key('SECRET_KEY', made_in=Path(sys.argv[1])))"
    )
    words = ("-c", code, str(tmp_path / "secret_key"))
    with ThreadPoolExecutor() as pool:
        begun = [pool.submit(run, *words, **os.environ) for _ in range(4)]
        (answer,) = {future.result() for future in begun}
    assert answer[0] == 0


SECRETS = {
    "DATABASE_URL": "postgres://club:word@db/club",
    "BROKER_URL": "redis://:word@127.0.0.1/0",
    "CACHE_URL": "redis://:word@127.0.0.1/1",
    "EMAIL_URL": "smtp+tls://club:word@mail.example:587",
    "SECRET_KEY": "a-key-of-this-test",
}


def test_every_secret_is_read_from_a_file(tmp_path: Path) -> None:
    environment = {"PATH": os.environ["PATH"], "STATIC_ROOT": str(tmp_path / "static")}
    for name, value in SECRETS.items():
        (tmp_path / name).write_text(f"{value}\n", encoding="utf-8")
        environment[f"{name}_FILE"] = str(tmp_path / name)
    code = (
        "from config import settings as s; print(s.DATABASES['default']['PASSWORD'], s.BROKER_URL,"
        " s.CACHES['default']['LOCATION'], s.EMAIL_HOST_PASSWORD, s.SECRET_KEY, s.EMBEDDED)"
    )
    _status, out, _faults = run("-c", code, **environment)
    urls = (SECRETS["BROKER_URL"], SECRETS["CACHE_URL"])
    assert out.split() == ["word", *urls, "word", SECRETS["SECRET_KEY"], "False"]


@pytest.mark.parametrize(
    ("url", "password"),
    [("postgres://club@db/club", "of the file"), ("postgres://club:word@db/club", "word")],
)
def test_password_of_a_database_may_lie_in_a_file(tmp_path: Path, url: str, password: str) -> None:
    (tmp_path / "password").write_text("of the file\n", encoding="utf-8")
    environment = {
        "PATH": os.environ["PATH"],
        "STATIC_ROOT": str(tmp_path / "static"),
        "SECRET_KEY": "a-key-of-this-test",
        "EMAIL_URL": "consolemail://",
        "DATABASE_URL": url,
        "POSTGRES_PASSWORD_FILE": str(tmp_path / "password"),
    }
    code = "from config import settings; print(settings.DATABASES['default']['PASSWORD'])"
    assert run("-c", code, **environment) == (0, f"{password}\n", "")


@pytest.mark.parametrize(
    ("content", "why"), [(None, "cannot be read: No such file or directory"), ("\n", "is empty")]
)
def test_file_of_a_secret_that_cannot_be_read_is_refused_with_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: str | None, why: str
) -> None:
    file = tmp_path / "key"
    if content is not None:
        file.write_text(content, encoding="utf-8")
    monkeypatch.delenv("SECRET_KEY", raising=False)
    monkeypatch.setenv("SECRET_KEY_FILE", str(file))
    with pytest.raises(ImproperlyConfigured, match=f"SECRET_KEY_FILE: {file} {why}"):
        env.secret_key("SECRET_KEY", made_in=tmp_path / "made")


def test_server_without_a_key_is_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SECRET_KEY", raising=False)
    monkeypatch.delenv("SECRET_KEY_FILE", raising=False)
    with pytest.raises(ImproperlyConfigured, match="Set SECRET_KEY or SECRET_KEY_FILE"):
        env.secret_key("SECRET_KEY", made_in=None)


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("sqlite:///var/club.sqlite3", "/project/var/club.sqlite3"),
        ("sqlite:////srv/club.sqlite3", "/srv/club.sqlite3"),
        ("sqlite://:memory:", ":memory:"),
    ],
)
def test_sqlite_file_is_below_project(monkeypatch: pytest.MonkeyPatch, url: str, name: str) -> None:
    monkeypatch.setenv("DATABASE_URL", url)
    assert env.database("DATABASE_URL", default="", below=Path("/project"))["NAME"] == name


@pytest.mark.parametrize(
    ("port", "say"),
    [
        ("abc", 'PORT must be a whole number, not "abc".\n'),
        ("99999", "PORT must be a port from 0 to 65535, not 99999.\n"),
    ],
)
@pytest.mark.parametrize("command", ["serve", "demo"])
def test_command_that_cannot_begin_says_why_in_one_line(command: str, port: str, say: str) -> None:
    assert manage(command, PORT=port) == (2, "", say)


@pytest.mark.parametrize(
    "name",
    [
        "DATABASE_LOCK_TIMEOUT",
        "DATABASE_STATEMENT_TIMEOUT",
        "DATABASE_IDLE_TIMEOUT",
        "DATABASE_WORKER_STATEMENT_TIMEOUT",
        "DATABASE_WORKER_IDLE_TIMEOUT",
        "HSTS_SECONDS",
    ],
)
def test_negative_seconds_are_refused_at_start(name: str) -> None:
    say = f"{name} must be 0 or more, not -1.\n"
    assert manage("check", **{name: "-1", "BEHIND_TLS": "1"}) == (2, "", say)


@pytest.mark.parametrize(("name", "value"), [("DEBUG", "ture"), ("BEHIND_TLS", "2")])
def test_mistyped_switch_is_refused_at_start(name: str, value: str) -> None:
    say = f'{name} must be one of 1, true, yes, on or one of 0, false, no, off, not "{value}".\n'
    assert manage("check", **{name: value}) == (2, "", say)


@pytest.mark.parametrize(
    ("value", "is_on"),
    [
        *((word, True) for word in ("1", "True", " on ", "YES", "y")),
        *((word, False) for word in ("0", "False", "off", "no", "")),
    ],
)
def test_switch_is_on_or_off(monkeypatch: pytest.MonkeyPatch, value: str, is_on: bool) -> None:
    monkeypatch.setenv("DEBUG", value)
    assert env.flag("DEBUG", default=not is_on) is is_on
    monkeypatch.delenv("DEBUG")
    assert env.flag("DEBUG", default=is_on) is is_on


def test_mail_server_is_given_some_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EMAIL_TIMEOUT", "0")
    with pytest.raises(ImproperlyConfigured, match=r"must be 1 or more, not 0\."):
        env.count("EMAIL_TIMEOUT", default=10, least=1)


def test_lists_drop_blanks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALLOWED_HOSTS", "club.example, www.club.example,")
    assert env.words("ALLOWED_HOSTS") == ["club.example", "www.club.example"]


def test_directories_are_separated_as_in_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BLACKLADY_VARIANTS", "/srv/a:b")
    found = env.directories("BLACKLADY_VARIANTS", below=Path("/home"))
    assert found == (Path("/srv/a"), Path("/home/b"))


def test_home_is_created_for_its_owner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("BLACKLADY_HOME", raising=False)
    found = env.home("BLACKLADY_HOME", default=tmp_path / "state" / "blacklady")
    assert found == tmp_path / "state" / "blacklady"
    assert stat.S_IMODE(found.stat().st_mode) == 0o700


def test_unwritable_home_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BLACKLADY_HOME", str(tmp_path))
    monkeypatch.setattr(os, "access", lambda path, mode: False)  # root may write anywhere
    with pytest.raises(ImproperlyConfigured, match=f"This account cannot write to {tmp_path}"):
        env.home("BLACKLADY_HOME", default=tmp_path)


def test_everything_that_is_written_lies_in_the_home(tmp_path: Path) -> None:
    code = (
        "from config import settings as s;"
        "print(s.DATABASES['default']['NAME'], s.STATIC_ROOT, s.EMAIL_FILE_PATH, s.VAR_DIR)"
    )
    of_settings = ("DATABASE_URL", "SECRET_KEY", "EMAIL_URL", "STATIC_ROOT", "BROKER_URL")
    environment = {name: said for name, said in os.environ.items() if name not in of_settings}
    home = tmp_path / "a home of 100% & more?"
    environment["BLACKLADY_HOME"] = str(home)
    _status, out, _faults = run("-c", code.replace(", s.", ", '|', s."), **environment)
    expected = [home / "blacklady.sqlite3", home / "static", home / "mail", home]
    assert [Path(one.strip()) for one in out.split("|")] == expected
    assert (home / "secret_key").is_file()


@pytest.mark.parametrize(
    ("home", "say"),
    [
        ("state", 'BLACKLADY_HOME must be an absolute path, not "state".\n'),
        (
            "/dev/null/state",
            "Cannot create the directory /dev/null/state (Not a directory). Set BLACKLADY_HOME to "
            "another place.\n",
        ),
    ],
)
def test_home_that_cannot_be_is_refused_in_one_line(home: str, say: str) -> None:
    assert manage("serve", BLACKLADY_HOME=home) == (2, "", say)
