"""The app's entry in Django's registry."""

from importlib import import_module

from django.apps import AppConfig

MODEL_ROOMS = (
    "clubs",
    "column_maps",
    "events",
    "variants",
    "meetings",
    "links",
    "imports",
    "hands",
    "photos",
    "read_backs",
    "second_typings",
    "standings",
    "ladders",
    "playoffs",
    "ledger",
    "changes",
    "disputes",
    "audit",
    "outbox",
    "tokens",
    "replies",
)


class TournamentsConfig(AppConfig):
    """Registers the models room by room, since package files here re-export nothing."""

    name = "tournaments"
    label = "tournaments"
    verbose_name = "Clubs and events"
    default_auto_field = "django.db.models.BigAutoField"

    def import_models(self) -> None:
        """Import every room of `tournaments.models`, then let Django collect what registered."""
        for room in MODEL_ROOMS:
            import_module(f"tournaments.models.{room}")
        super().import_models()
