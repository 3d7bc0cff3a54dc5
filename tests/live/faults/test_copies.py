"""A second installation on a copy of the database sends nothing until an administrator says so."""

import json
import os
import pty
import subprocess
from collections.abc import Iterator
from datetime import timedelta
from functools import partial
from pathlib import Path

import pytest
from django.utils import timezone

from tests.live.conftest import Inside
from tests.live.faults.test_backup_and_restore import destroy, tables_of
from tests.support.builders import by_tests
from tests.support.live.project import PATIENCE_S, LiveProject, wait_until
from tests.support.mail_server import MailServer
from tests.support.webhook_receiver import Receiver
from tournaments.models.jobs import Heartbeat, Outbox
from tournaments.models.webhooks import WebhookDelivery
from tournaments.services.clubs.clubs import create_club
from tournaments.services.notices.outbox import enqueue_sign_in_mail
from tournaments.services.webhooks.manage import create_webhook
from tournaments.services.webhooks.manage import test_webhook as send_test

pytestmark = pytest.mark.worker


@pytest.fixture
def mail_server() -> Iterator[MailServer]:
    server = MailServer()
    yield server
    server.end()


@pytest.fixture
def backup(
    installation: LiveProject, inside: Inside, mail_server: MailServer, receiver: Receiver
) -> Path:
    """A backup with a mail and a message of a webhook that wait, and one of each from before."""
    installation.environment |= {
        "EMAIL_URL": mail_server.url, "WEBHOOK_ALLOW_PRIVATE": "1",
    }  # fmt: skip
    now = timezone.now()
    with inside(installation):
        club = create_club(by_tests(now), name="Riverside")
        webhook = create_webhook(
            by_tests(now), club, url=receiver.url, kinds=("publication.created",)
        )
        for subject, written_at in (("Old", now - timedelta(days=2)), ("Young", now)):
            send_test(by_tests(written_at), webhook)
            enqueue_sign_in_mail(
                to="a@riverside.example", subject=subject, text="Hello.", now=written_at
            )
    place = str(installation.place / "backups")
    done = installation.manage("backup", "--to", place, "--verify", "--json")
    assert done.returncode == 0, done.stderr
    destroy(installation)
    return Path(json.loads(done.stdout)["file"])


def answered(project: LiveProject, answer: str, *words: str) -> tuple[int, str]:
    """The exit status and output of `manage.py` at a terminal where somebody types an answer."""
    terminal, its_input = pty.openpty()
    try:
        with subprocess.Popen(
            project.words("manage.py", *words), cwd=project.root, env=project.environment,
            stdin=its_input, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        ) as program:  # fmt: skip
            os.write(terminal, answer.encode())
            output, _ = program.communicate(timeout=PATIENCE_S)
    finally:
        os.close(terminal)
        os.close(its_input)
    return program.returncode, output


def beats() -> list[object]:
    return list(Heartbeat.objects.values_list("seen_at", flat=True))


def has_beaten_since(before: list[object]) -> bool:
    return beats() not in ([], before)


def wait_for_beats(project: LiveProject) -> None:
    """Wait until a worker has written three heartbeats; meanwhile its senders look ten times."""
    for _ in range(3):
        wait_until(partial(has_beaten_since, beats()), what=project.log)


def test_copy_of_an_installation_sends_nothing_until_it_is_switched_on(
    installation: LiveProject,
    inside: Inside,
    backup: Path,
    mail_server: MailServer,
    receiver: Receiver,
) -> None:
    unsaid = installation.manage("restore", str(backup))
    assert (unsaid.returncode, unsaid.stdout) == (2, "")
    assert unsaid.stderr == (
        "CommandError: Say with --moved that this is the club's server, or with --copy that it is "
        "a copy, which sends no mails and webhooks. Nothing was restored.\n"
    )
    assert tables_of(installation) == []

    status, output = answered(installation, "yes\ncopy\n", "restore", str(backup))
    assert status == 0, output
    assert output.count("Type moved for the club's server, copy for a copy") == 2
    assert "It is a copy: mails and webhooks wait until manage.py outgoing on." in output

    installation.start_worker("copy@tests")
    with inside(installation):
        wait_for_beats(installation)
        assert list(Outbox.objects.values_list("attempts", flat=True)) == [0, 0]
    assert (mail_server.connections, receiver.received) == (0, [])

    said = installation.manage("outgoing", "on")
    assert said.stdout.splitlines()[0] == (
        "Dropped 1 mail and 1 message of webhooks: older than a day, or their evening is over."
    )
    assert mail_server.wait_for(1), installation.log
    assert receiver.wait_for(len), installation.log
    with inside(installation):
        wait_until(lambda: not Outbox.objects.filter(sent_at=None).exists(), what=installation.log)
        states = WebhookDelivery.objects.order_by("pk").values_list("state", flat=True)
        wait_until(lambda: list(states.all()) == ["skipped", "delivered"], what=installation.log)
    assert [str(mail["Subject"]) for mail in mail_server.mails] == ["Young"]
    assert len(receiver.received) == 1


def test_moved_installation_sends_what_waited(
    installation: LiveProject, backup: Path, mail_server: MailServer, receiver: Receiver
) -> None:
    done = installation.manage("restore", "--moved", str(backup))
    assert done.returncode == 0, done.stderr
    assert "copy" not in done.stdout
    installation.start_worker("moved@tests")
    assert mail_server.wait_for(2), installation.log
    assert receiver.wait_for(lambda received: len(received) == 2), installation.log


def test_copy_that_was_made_otherwise_sends_nothing_with_the_setting(
    installation: LiveProject,
    inside: Inside,
    backup: Path,
    mail_server: MailServer,
    receiver: Receiver,
) -> None:
    assert installation.manage("restore", "--moved", str(backup)).returncode == 0
    installation.environment["OUTGOING"] = "off"
    installation.start_worker("copy@tests")
    with inside(installation):
        wait_for_beats(installation)
    assert (mail_server.connections, receiver.received) == (0, [])
