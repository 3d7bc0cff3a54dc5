"""`manage.py sendtestemail ADDRESS`: a mail that is sent at once, or why it is not."""

from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.core.validators import validate_email

from tournaments.delivery.mail.direct import send_test_mail


class Command(BaseCommand):
    """Takes the place of Django's command, whose refusals are tracebacks."""

    help = "Send a test mail at once, and say what the mail server answers."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("email", help="the address that gets it")

    def handle(self, *args: object, email: str, **options: Any) -> None:
        try:
            validate_email(email)
        except ValidationError as fault:
            raise CommandError(f"{email} is not a mail address.", returncode=2) from fault
        sent = send_test_mail(email)
        if not sent.is_sent:
            raise CommandError("\n".join(filter(None, (sent.sentence, sent.reply))), returncode=2)
        self.stdout.write(sent.sentence)
