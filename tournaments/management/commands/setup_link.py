"""`manage.py setup_link`: a one-time link that creates the first account."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser
from django.utils import timezone

from tournaments.management import service
from tournaments.management.import_commands import exit_where_refused
from tournaments.management.service import served_address
from tournaments.services.access.table_links import make_setup_link


class Command(BaseCommand):
    """Prints only the link on stdout, for use in scripts; the link itself is not stored."""

    help = "Create a link that makes the site's first account; it works once, for 24 hours."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        where = parser.add_mutually_exclusive_group()
        where.add_argument(
            "--address",
            metavar="URL",
            help="how the address of the site begins, such as https://hearts.example; by default "
            "the address of the running `serve`, else SITE_URL",
        )
        where.add_argument(
            "--port", type=int, help="the port of this machine that the site is served on"
        )

    def handle(self, *args: Any, address: str | None, port: int | None, **options: Any) -> None:
        """Exit status 2 if an account exists."""
        running = served_address()
        if port is not None:
            address = service.address("127.0.0.1", port)
        with exit_where_refused():
            token = make_setup_link(now=timezone.now())
        self.stdout.write(service.setup_address(address or running or settings.SITE_URL, token))
        self.stderr.write(
            "Open it within 24 hours. It works once. A link that was printed before no longer "
            "works."
        )
        if settings.EMBEDDED and not (address or running):
            self.stderr.write(
                "No running server was found. If yours has another address, give the command "
                "again with --port or --address."
            )
