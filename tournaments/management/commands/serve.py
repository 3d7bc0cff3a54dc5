"""`manage.py serve`: the web process and the worker together, until Ctrl-C."""

from socket import socket

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from tournaments.management import service
from tournaments.management.lock import AlreadyServed, only_one_serve
from tournaments.management.supervisor import CrashLoop, Supervisor


class Command(BaseCommand):
    """Supervise one web process and one worker."""

    help = "Serve the site, web and worker together, until Ctrl-C."
    requires_system_checks = ()  # the children's own start says what does not load

    def add_arguments(self, parser: CommandParser) -> None:
        """Where to listen."""
        parser.add_argument("--host", default="127.0.0.1")
        parser.add_argument("--port", type=int, default=settings.PORT)

    def handle(self, *args: object, host: str, port: int, **options: object) -> None:
        """Exit status 2 where the port or the database is taken, 1 after a crash loop."""
        try:
            with service.listen(host, port) as listening, only_one_serve():
                service.prepare()
                self._serve(listening)
        except (service.PortTaken, AlreadyServed) as refusal:
            raise CommandError(str(refusal), returncode=2) from refusal
        except CrashLoop as fault:
            raise CommandError(str(fault), returncode=1) from fault

    def _serve(self, listening: socket) -> None:
        host, port = listening.getsockname()[:2]
        with Supervisor() as supervisor:
            supervisor.keep(service.worker())
            for child in service.web(listening):
                supervisor.keep(child)
            self.stdout.write(f"Blacklady is at {service.address(host, port)}/, until Ctrl-C.")
            self.stdout.flush()
            supervisor.run()
            listening.close()  # whoever comes now is refused at once
