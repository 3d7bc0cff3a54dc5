"""`manage.py outgoing`: whether mails and webhooks leave; switch them on or off."""

from typing import Any, Final

from django.core.management.base import BaseCommand, CommandParser
from django.utils import timezone

from tournaments.selectors.jobs.outgoing import Outgoing, get_outgoing, has_mail_server
from tournaments.services.outgoing import Dropped, switch_outgoing

ON: Final = "on"
OFF: Final = "off"


class Command(BaseCommand):
    """Exit status 1 if the setting OUTGOING overrules what was asked for."""

    help = "Say whether mails and messages of webhooks leave; switch them on or off."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("state", nargs="?", choices=(ON, OFF), help="to switch them")

    def handle(self, *args: object, state: str | None, **options: Any) -> None:
        if state is None:
            self.stdout.write(_in_words(get_outgoing()))
            return
        outgoing, dropped = switch_outgoing(is_on=state == ON, now=timezone.now())
        if state == ON and outgoing.is_on:
            self.stdout.write(_dropped_in_words(dropped))
        self.stdout.write(_in_words(outgoing))
        if outgoing.is_on is not (state == ON):
            raise SystemExit(1)


def _in_words(outgoing: Outgoing) -> str:
    word = ON if outgoing.is_on else OFF
    setting = f" The setting OUTGOING={word} decides." if outgoing.by_setting else ""
    if outgoing.is_on and not has_mail_server():
        return f"Webhooks are sent. Nobody gets a mail: EMAIL_URL names no mail server.{setting}"
    if outgoing.is_on:
        return f"Mails and webhooks are sent.{setting}"
    since = outgoing.off_since
    when = "" if since is None else f" since {since:%Y-%m-%d %H:%M:%S} UTC"
    return f"Nothing is sent{when}: mails and webhooks wait.{setting}"


def _dropped_in_words(dropped: Dropped) -> str:
    mails = "1 mail" if dropped.mails == 1 else f"{dropped.mails} mails"
    n_messages = dropped.webhook_messages
    messages = "1 message" if n_messages == 1 else f"{n_messages} messages"
    return (
        f"Dropped {mails} and {messages} of webhooks: older than a day, or their evening is over."
    )
