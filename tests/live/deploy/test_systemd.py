"""The units of deploy/systemd: their own commands, under the environment file of deploy/."""

import shlex
import shutil
from collections.abc import Iterator

import pytest
from django.conf import settings

from config.management.commands.report_failure import report_file
from tests.conftest import own_database
from tests.live.deploy.conftest import ServerMaker
from tests.support import services
from tests.support.live.deployment import DEPLOY, UNITS, Machine, exec_start, unit, variables
from tests.support.live.project import own_redis, wait_until
from tests.support.sources import ROOT

pytestmark = [pytest.mark.pg, pytest.mark.redis, pytest.mark.worker]

SERVICES = sorted(path.name for path in UNITS.glob("*.service"))


@pytest.fixture(scope="module")
def machine(server: ServerMaker, migrated_pg: str) -> Iterator[Machine]:
    """A server with an empty database, set up by the commands of docs/operations.md."""
    with (
        own_database(template=migrated_pg) as database,
        own_redis(services.address("redis")) as redis,
        server(database) as made,
    ):
        yield Machine(made, database, redis)


@pytest.mark.tier_long
def test_units_start_what_is_ready_and_end_in_order(machine: Machine) -> None:
    server = machine.server
    checked = machine.blacklady("check", "--deploy", "--fail-level", "WARNING")
    assert checked.returncode == 0, checked.stderr
    web, worker = (machine.start(name) for name in ("blacklady-web", "blacklady-worker"))
    server.project.wait_ready(web)
    backup = server.run(*exec_start("blacklady-backup.service"), environment=machine.environment)
    assert backup.returncode == 0, backup.stderr
    assert len(list(server.path("/var/backups/blacklady").glob("blacklady-*.zip"))) == 1
    assert server.path("/var/lib/blacklady/last-backup.json").is_file()
    assert server.files_outside_the_state() == []
    for process in (web, worker):
        process.terminate()
    wait_until(
        lambda: all(process.poll() is not None for process in (web, worker)),
        what=f"the end of web and worker\n{server.project.log}",
    )
    assert (web.returncode, worker.returncode) == (0, 0), server.project.log


@pytest.mark.parametrize("name", SERVICES)
def test_unit_has_an_account_and_files_that_are_described(name: str) -> None:
    service = unit(name)["Service"]
    assert (service["User"], service["Group"]) == ("blacklady", "blacklady")
    assert service["EnvironmentFile"] == "/etc/blacklady/blacklady.env"
    assert service["ProtectSystem"] == "strict"
    assert service["ProtectProc"] == "invisible"
    assert service["SystemCallFilter"] == "~@privileged"
    assert (service["PrivateUsers"], service["MemoryDenyWriteExecute"]) == ("yes", "yes")
    written = [f"/var/lib/{service['StateDirectory']}"]
    written += service.get("ReadWritePaths", "").split()
    words = exec_start(name)
    assert [word for word in words[1:] if word.startswith("/") and word not in written] == []
    assert variables(DEPLOY / "blacklady.env.example")["BLACKLADY_HOME"] in written


def test_target_starts_every_unit() -> None:
    wanted = set(unit("blacklady.target")["Unit"]["Wants"].split())
    templates = {name for name in SERVICES if "@." in name}
    by_timers = {name for name in SERVICES if (UNITS / name).with_suffix(".timer").exists()}
    started = {*SERVICES} - templates - by_timers
    others = {path.name for end in ("timer", "socket") for path in UNITS.glob(f"*.{end}")}
    assert wanted == started | others
    for name in wanted:
        assert unit(name)["Unit"]["PartOf"] == "blacklady.target"


@pytest.mark.parametrize("name", ["blacklady-backup.service", "blacklady-status.service"])
def test_failure_of_a_unit_is_mailed_and_its_success_is_noted(name: str) -> None:
    assert unit(name)["Unit"]["OnFailure"] == "blacklady-failed@%n.service"
    assert exec_start("blacklady-failed@.service")[1:] == ["report_failure", "%i"]
    remove, option, file = shlex.split(unit(name)["Service"]["ExecStartPost"])
    assert (remove, option) == ("-/bin/rm", "-f")
    noted = report_file(name).relative_to(settings.VAR_DIR)
    assert file.replace("%n", name) == f"/var/lib/blacklady/{noted}"


@pytest.mark.tier_long
def test_systemd_finds_no_fault_in_the_units(machine: Machine) -> None:
    """Only where systemd is installed, which a container has no need of."""
    if shutil.which("systemd-analyze") is None:
        assert SERVICES
        return
    paths = []
    for file in sorted(UNITS.iterdir()):
        paths.append(f"/etc/systemd/system/{file.name}")
        machine.server.write(paths[-1], file.read_text(encoding="utf-8"))
    done = machine.server.run(
        "systemd-analyze", "verify", "--man=no", *paths, environment={}, as_root=True
    )
    said = [line for line in done.stderr.splitlines() if "blacklady" in line]
    assert said == []


def test_every_variable_of_the_environment_file_is_a_setting() -> None:
    settings = (ROOT / "docs" / "settings.md").read_text(encoding="utf-8")
    named = variables(DEPLOY / "blacklady.env.example")
    assert [name for name in named if f"`{name}`" not in settings] == []
