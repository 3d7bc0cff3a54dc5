"""The mail to the administrator that a unit failed."""

import os
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from pytest_django import Settings

from config import health
from config.management.commands.report_failure import report_file
from tests.support.cast import NOW
from tests.support.mail_server import MailServer

pytestmark = pytest.mark.django_db

UNIT = "blacklady-backup.service"


@pytest.fixture
def mail_server(settings: Settings, tmp_path: Path) -> Iterator[MailServer]:
    server = MailServer()
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST = "127.0.0.1"
    settings.EMAIL_PORT = server.port
    settings.EMAIL_TIMEOUT = 1
    settings.ADMIN_EMAIL = ["olga@a.example"]
    settings.SITE_URL = "http://127.0.0.1:8000"
    settings.VAR_DIR = tmp_path
    health.READINESS.forget()
    yield server
    server.end()


def test_mail_names_the_unit_its_log_and_what_status_finds(mail_server: MailServer) -> None:
    call_command("report_failure", UNIT)
    (mail,) = mail_server.mails
    assert mail["Subject"] == f"{UNIT} failed (http://127.0.0.1:8000)"
    body = mail.get_body(("plain",))
    assert body is not None
    text = " ".join(body.get_content().split())
    assert "No worker is running" in text
    assert f"Its log: journalctl --unit {UNIT}" in text


@pytest.mark.usefixtures("clock")
def test_same_failure_is_mailed_again_after_twenty_hours_or_a_success(
    mail_server: MailServer,
) -> None:
    call_command("report_failure", UNIT)
    file = report_file(UNIT)
    again_at = NOW.timestamp() - timedelta(hours=20).total_seconds()
    os.utime(file, (again_at + 1, again_at + 1))
    call_command("report_failure", UNIT)
    assert len(mail_server.mails) == 1
    os.utime(file, (again_at, again_at))
    call_command("report_failure", UNIT)
    assert len(mail_server.mails) == 2
    file.unlink()
    call_command("report_failure", UNIT)
    assert len(mail_server.mails) == 3


def test_other_problems_are_mailed_at_once(mail_server: MailServer) -> None:
    call_command("report_failure", UNIT)
    report_file(UNIT).write_text("no_worker disk_low")
    call_command("report_failure", UNIT)
    assert len(mail_server.mails) == 2


def test_report_that_the_mail_server_refuses_is_not_noted(mail_server: MailServer) -> None:
    mail_server.behaviour.data = b"554 5.7.1 spam"
    with pytest.raises(CommandError, match=r"refuses this mail\. 554 5\.7\.1 spam") as refused:
        call_command("report_failure", UNIT)
    assert refused.value.returncode == 2
    assert not report_file(UNIT).exists()


def test_without_an_address_the_command_names_the_setting(settings: Settings) -> None:
    settings.ADMIN_EMAIL = []
    with pytest.raises(CommandError, match="Set ADMIN_EMAIL") as refused:
        call_command("report_failure", UNIT)
    assert refused.value.returncode == 2
