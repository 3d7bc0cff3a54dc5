"""`manage.py unpack_publications`: before an installation goes back to 0.4.0."""

from django.core.management.base import BaseCommand

from tournaments.services.publishing.packing import undo_packs


class Command(BaseCommand):
    """Stop the workers first: a running one packs again."""

    help = "Store packed publications as 0.4.0 reads them; prints how many."
    requires_system_checks = ()

    def handle(self, *args: object, **options: object) -> None:
        self.stdout.write(str(undo_packs()))
