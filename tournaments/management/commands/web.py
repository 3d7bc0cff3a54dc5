"""`manage.py web`: the web processes alone, where workers run by themselves."""

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from tournaments.management import service
from tournaments.management.supervisor import CrashLoop, Supervisor


class Command(BaseCommand):
    help = "Serve pages and REST without a worker, until Ctrl-C."
    requires_system_checks = ()  # the children's own start says what does not load

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--host", default="127.0.0.1")
        parser.add_argument("--port", type=int, default=settings.PORT)
        parser.add_argument("--workers", type=int, help="one per core; one on SQLite")

    def handle(
        self, *args: object, host: str, port: int, workers: int | None, **options: object
    ) -> None:
        """Exit status 2 if the port is in use or static files are missing, 1 after a crash loop."""
        try:
            service.require_static_files()
            with (
                service.listen(host, port, at_once=False) as listening,
                Supervisor() as supervisor,
            ):
                for child in service.web(listening, workers):
                    supervisor.keep(child)
                supervisor.run()
                listening.close()  # whoever comes now is refused at once
        except service.CannotServe as refusal:
            raise CommandError(str(refusal), returncode=2) from refusal
        except CrashLoop as fault:
            raise CommandError(str(fault), returncode=1) from fault
