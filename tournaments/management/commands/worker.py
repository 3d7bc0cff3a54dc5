"""`manage.py worker`: one Celery worker, where the web processes run by themselves."""

import os
import re
import sys

from django.core.management.base import BaseCommand, CommandError, CommandParser

from tournaments.management import service


class Command(BaseCommand):
    """Become a Celery worker: the process keeps its id, so that signals reach it."""

    help = "Run one worker, until Ctrl-C or SIGTERM."
    requires_system_checks = ()  # its tasks need no addresses, and those would load every page

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--concurrency", type=int, help="tasks at once; one a core")
        parser.add_argument("--name", default="", help="its name; that of the state directory")

    def handle(self, *args: object, concurrency: int | None, name: str, **options: object) -> None:
        """Exit status 2 if the number or the name is refused; else that of Celery."""
        if concurrency is not None and concurrency < 1:
            raise CommandError("--concurrency must be 1 or more.", returncode=2)
        if name and not re.fullmatch(rf"[\w.-]{{1,{service.NAME_LENGTH}}}", name):
            raise CommandError(
                f"--name takes up to {service.NAME_LENGTH} letters, digits and . _ -", returncode=2
            )
        words = service.worker_words(concurrency, name)
        command = [sys.executable, "-m", "celery", "--app", "config.celery", *words]
        os.execv(sys.executable, command)  # noqa: S606  # words of our own
