"""`manage.py serve`: the web process and the worker together, until Ctrl-C."""

import os
from socket import socket

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from tournaments.management import service
from tournaments.management.service import only_one_serve
from tournaments.management.supervisor import CrashLoop, Supervisor
from tournaments.selectors.access.tokens import has_accounts
from tournaments.services.access.table_links import make_setup_link


class Command(BaseCommand):
    help = "Serve the site, web and worker together, until Ctrl-C."
    requires_system_checks = ()  # the children's own start says what does not load

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--host", default="127.0.0.1")
        parser.add_argument("--port", type=int, default=settings.PORT)

    def handle(self, *args: object, host: str, port: int, **options: object) -> None:
        """Exit status 2 if the port or the database is in use or static files are missing, 1
        after a crash loop."""
        try:
            service.require_static_files()
            with service.listen(host, port) as listening:
                addresses, refused_hosts = service.site_addresses(*listening.getsockname()[:2])
                with only_one_serve(addresses[0]) as lock:
                    # What the children write into mails names the same port.
                    os.environ.update(PORT=str(listening.getsockname()[1]))
                    service.prepare()
                    self._serve(listening, lock, addresses, refused_hosts)
        except service.CannotServe as refusal:
            raise CommandError(str(refusal), returncode=2) from refusal
        except CrashLoop as fault:
            raise CommandError(str(fault), returncode=1) from fault

    def _offer_setup(self, site: str) -> None:
        if has_accounts():
            return
        link = service.setup_address(site, make_setup_link(now=timezone.now()))
        self.stdout.write(f"Nobody has an account yet. Create the first one, once: {link}")

    def _print_addresses(self, addresses: list[str], refused_hosts: list[str]) -> None:
        text = " and ".join(f"{address}/" for address in addresses)
        self.stdout.write(f"Blacklady is at {text}, until Ctrl-C.")
        for host in refused_hosts:
            allowed = ",".join([host, *settings.ALLOWED_HOSTS])
            self.stdout.write(
                f"Other devices in your network can reach {host}, but pages open there only if "
                f"ALLOWED_HOSTS names it. Stop, and start again with ALLOWED_HOSTS={allowed}"
            )

    def _serve(
        self, listening: socket, lock: int, addresses: list[str], refused_hosts: list[str]
    ) -> None:
        with Supervisor() as supervisor:
            for child in service.web(listening, closes=[lock]):
                supervisor.keep(child)
            supervisor.keep(service.worker(closes=[lock, listening.fileno()]))
            self._print_addresses(addresses, refused_hosts)
            self._offer_setup(addresses[0])
            self.stdout.flush()
            supervisor.run()
            listening.close()  # whoever comes now is refused at once
