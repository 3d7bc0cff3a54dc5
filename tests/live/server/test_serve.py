"""`manage.py serve`: entries are published; locks, crashes, ends; files for its account only."""

import json
import os
import signal
import socket
import stat
import subprocess
import urllib.request
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.live.conftest import Inside
from tests.support.live.events import computed_anew, enter, evening, is_published, newest, remainder
from tests.support.live.project import PATIENCE_S, LiveProject, wait_until
from tournaments.management.service import files_of, make_readable, restrict_to_owner

pytestmark = pytest.mark.worker


def child_pids(project: LiveProject, name: str) -> list[int]:
    """The process ids that `serve` has given to its child so far."""
    lines = [json.loads(line) for line in project.log.splitlines() if line.startswith("{")]
    return [
        line["pid"]
        for line in lines
        if line.get("event") == "child_started" and line["child"] == name
    ]


def is_gone(pid: int) -> bool:
    """Whether a process has ended; a dead one that nobody has waited for counts as well."""
    status = Path(f"/proc/{pid}/stat")
    try:
        return status.read_text(encoding="ascii").rpartition(")")[2].split()[0] == "Z"
    except FileNotFoundError:
        return True


def test_entry_is_published_within_seconds_and_shown(project: LiveProject, inside: Inside) -> None:
    project.serve()
    with inside(project):
        game = evening()
        enter(game, 1)
        took = wait_until(lambda: is_published(game.event_id), what="a publication")
        assert remainder(newest(game.event_id)) == computed_anew(game.event_id)
        stored = bytes(newest(game.event_id).body)
    print(f"published after {took:.2f} s")
    address = f"{project.url}/api/v1/clubs/riverside/events/league/standings"
    with urllib.request.urlopen(address, timeout=PATIENCE_S) as answer:  # noqa: S310  # our own URL
        assert answer.read() == stored


def test_second_serve_on_the_database_is_refused_with_a_clear_line(project: LiveProject) -> None:
    first = project.serve()
    second = project.manage("serve", "--port", "0")
    assert second.returncode == 2
    assert second.stderr == (
        f"CommandError: {project.place / 'live.sqlite3'} is being served already, "
        f"by process {first.pid}.\n"
    )
    assert project.status("/healthz") == 200


@pytest.mark.tier_long
def test_serve_after_a_killed_serve_is_not_refused(project: LiveProject) -> None:
    first = project.serve()
    pids = child_pids(project, "web") + child_pids(project, "worker")
    first.kill()
    wait_until(lambda: all(is_gone(pid) for pid in pids), what="the end of the children")
    project.serve()


def test_port_that_is_taken_is_refused_with_a_clear_line(project: LiveProject) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        refused = project.manage("serve", "--port", str(port))
    assert refused.returncode == 2
    assert refused.stderr == (
        f"CommandError: Cannot listen on 127.0.0.1:{port} (Address already in use); "
        "choose another with PORT=.\n"
    )


def start_web(project: LiveProject, listening: socket.socket) -> subprocess.Popen[bytes]:
    """Start `web` with a socket that is open already, as systemd does."""
    words = ("sh", "-c", 'exec 3<&0; LISTEN_PID=$$ LISTEN_FDS=1 exec "$@"', "sh", project.python)
    with (project.place / "live.log").open("ab") as log:
        process = subprocess.Popen(
            [*words, "manage.py", "web"], stdin=listening.fileno(), stdout=log, stderr=log,
            cwd=project.root, env=project.environment, start_new_session=True,
        )  # fmt: skip
    project.processes.append(process)
    return process


def test_caller_while_web_is_killed_waits_where_systemd_has_the_port(project: LiveProject) -> None:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", project.port))
        listening.listen()
        first = start_web(project, listening)
        assert project.status("/healthz") == 200, project.log
        children = Path(f"/proc/{first.pid}/task/{first.pid}/children").read_text().split()
        first.kill()
        first.wait()
        # One that still dies would take the connection.
        wait_until(lambda: all(is_gone(int(pid)) for pid in children), what="the children's end")
        with socket.create_connection(("127.0.0.1", project.port)) as caller:
            caller.sendall(b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
            start_web(project, listening)
            caller.settimeout(PATIENCE_S)
            assert caller.recv(12) == b"HTTP/1.1 200"


def test_serve_without_static_files_is_refused_with_the_command(project: LiveProject) -> None:
    project.environment["STATIC_COLLECTED"] = "1"
    for command in ("serve", "web"):
        refused = project.manage(command)
        assert refused.returncode == 2
        assert refused.stderr.startswith("CommandError: No static files are collected in ")
        assert "collectstatic --noinput`, then start again." in refused.stderr


def test_port_that_cannot_be_one_is_refused_with_a_clear_line(project: LiveProject) -> None:
    refused = project.manage("serve", "--port", "70000")
    assert refused.returncode == 2
    assert refused.stderr == (
        "CommandError: Cannot listen on 127.0.0.1:70000; a port is a number from 1 to 65535.\n"
    )


@pytest.mark.parametrize(
    "number",
    [
        pytest.param(signal.SIGTERM, id="term"),
        pytest.param(signal.SIGINT, id="int", marks=pytest.mark.tier_long),
    ],
)
def test_serve_ends_both_children_when_told(project: LiveProject, number: signal.Signals) -> None:
    serving = project.serve()
    pids = child_pids(project, "web") + child_pids(project, "worker")
    serving.send_signal(number)
    assert serving.wait(timeout=PATIENCE_S) == 0
    assert [is_gone(pid) for pid in pids] == [True, True]
    assert "child_killed" not in project.log


@pytest.mark.parametrize("name", ["web", "worker"])
def test_killed_child_is_started_again_and_work_goes_on(
    project: LiveProject, inside: Inside, name: str
) -> None:
    project.serve()
    with inside(project):
        game = evening()
        os.kill(child_pids(project, name)[0], signal.SIGKILL)
        enter(game, 1)
        wait_until(lambda: len(child_pids(project, name)) == 2, what="a restart")
        wait_until(lambda: is_published(game.event_id), what="a publication")
    wait_until(lambda: project.status("/healthz") == 200, what="the web process")


def test_import_while_serving_is_published_by_the_worker(
    project: LiveProject, inside: Inside, project_root: Path
) -> None:
    """What another process writes reaches the worker through the database alone."""
    project.serve()
    sheets = project_root / "tournaments" / "demo" / "sheets.csv"
    done = project.manage(
        "import_sheets", "--club", "riverside", "--event", "league", "--create", str(sheets)
    )
    assert done.returncode == 0, done.stderr

    def standings() -> subprocess.CompletedProcess[str]:
        return project.manage("standings", "--club", "riverside", "--event", "league", "--csv")

    wait_until(lambda: len(standings().stdout.splitlines()) == 41, what="40 rows")


@pytest.mark.tier_long
@pytest.mark.pg
@pytest.mark.redis
def test_second_serve_on_one_postgresql_database_is_refused(
    pg_url: str, redis_url: str, live_project: Callable[..., LiveProject], inside: Inside
) -> None:
    project = live_project(DATABASE_URL=pg_url, BROKER_URL=redis_url)
    first = project.serve()
    second = project.manage("serve", "--port", "0")
    assert second.returncode == 2
    name = pg_url.rpartition("/")[2]
    assert second.stderr == f"CommandError: Database {name} is being served already.\n"
    with inside(project):
        game = evening()
        enter(game, 1)
        wait_until(lambda: is_published(game.event_id), what=project.log)
    first.kill()
    wait_until(lambda: project.status("/healthz") == 0, what="the end of the web")
    project.serve()


UNDER_022 = ("sh", "-c", 'umask 022; exec "$@"', "sh")


def modes(place: Path) -> dict[str, str]:
    """The files of an installation with what each account may do."""
    found = {path.name: oct(stat.S_IMODE(path.stat().st_mode)) for path in place.iterdir()}
    found.pop("live.log", None)  # the test's own
    return found


def test_files_of_a_served_database_are_its_owners(project: LiveProject, inside: Inside) -> None:
    (project.place / "live.sqlite3").chmod(0o644)
    project.within = UNDER_022
    project.serve()
    with inside(project):
        enter(evening(), 1)
        found = modes(project.place)
    assert {"live.sqlite3", "live.sqlite3-wal", "live.sqlite3-shm"} <= found.keys()
    assert set(found.values()) == {"0o600"}


@pytest.mark.tier_long
def test_command_makes_a_database_for_its_owner(project: LiveProject) -> None:
    (project.place / "live.sqlite3").unlink()
    project.within = UNDER_022
    assert project.manage("migrate", "--verbosity", "0").returncode == 0
    assert modes(project.place)["live.sqlite3"] == "0o600"


def test_what_was_open_to_others_is_closed_but_static_files(tmp_path: Path) -> None:
    var = tmp_path / "var"
    (var / "mail").mkdir(parents=True)
    (var / "static").mkdir()
    files = [var / "demo.log", var / "mail" / "1.eml", var / "static" / "a.css"]
    for file in files:
        file.touch()
    for path in (var, *var.rglob("*")):
        path.chmod(0o777 if path.is_dir() else 0o666)
    outside = tmp_path / "outside"
    outside.touch()
    outside.chmod(0o644)
    (var / "link").symlink_to(outside)
    restrict_to_owner(files_of(var, str(tmp_path / "none.sqlite3")))
    assert {path.name: oct(stat.S_IMODE(path.stat().st_mode)) for path in (var, *files)} == {
        "var": "0o700",
        "demo.log": "0o600",
        "1.eml": "0o600",
        "a.css": "0o666",
    }
    assert oct(stat.S_IMODE(os.stat(outside).st_mode)) == "0o644"


def test_collected_files_are_readable_for_any_umask(project: LiveProject, tmp_path: Path) -> None:
    root = tmp_path / "srv" / "static"
    (root / "css").mkdir(parents=True, mode=0o700)
    (root / "css" / "of-an-earlier-release.css").touch(mode=0o600)
    root.chmod(0o700)
    outside = tmp_path / "outside"
    outside.touch(mode=0o600)
    (root / "link.css").symlink_to(outside)
    project.within = ("sh", "-c", 'umask 077; exec "$@"', "sh")
    project.environment |= {"STATIC_ROOT": str(root), "STATIC_COLLECTED": "1"}
    # What is compressed afterwards takes most of a minute; here a file stands for it.
    (root / "css" / "of-an-earlier-release.css.gz").touch(mode=0o600)
    words = ("collectstatic", "--noinput", "--no-post-process", "--verbosity", "0")
    assert project.manage(*words).returncode == 0
    found = [path for path in (root, *root.rglob("*")) if not path.is_symlink()]
    kinds = {(path.is_dir(), oct(stat.S_IMODE(path.stat().st_mode))) for path in found}
    assert len(found) > 50
    assert kinds == {(True, "0o755"), (False, "0o644")}
    assert oct(stat.S_IMODE(outside.stat().st_mode)) == "0o600"


def test_directory_that_holds_the_installation_is_not_opened(tmp_path: Path) -> None:
    var = tmp_path / "var"
    var.mkdir(mode=0o700)
    (var / "secret_key").touch(mode=0o600)
    for root in (var, tmp_path):
        make_readable(root, but=var)
    assert oct(stat.S_IMODE((var / "secret_key").stat().st_mode)) == "0o600"
