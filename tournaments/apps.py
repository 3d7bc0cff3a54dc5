"""The app's entry in Django's registry."""

from importlib import import_module

from django.apps import AppConfig

MODEL_MODULES = (
    "clubs",
    "invitations",
    "privacy",
    "notices",
    "column_maps",
    "events",
    "variants",
    "meetings",
    "matches",
    "walk_overs",
    "attendance",
    "seating_plans",
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
    "calendars",
    "club_imports",
    "changes",
    "disputes",
    "audit",
    "outbox",
    "webhooks",
    "tokens",
    "replies",
)


class TournamentsConfig(AppConfig):
    """Registers the models module by module; `tournaments.models` itself re-exports nothing."""

    name = "tournaments"
    label = "tournaments"
    verbose_name = "Clubs and events"
    default_auto_field = "django.db.models.BigAutoField"

    def import_models(self) -> None:
        """Import every module of `tournaments.models`, then let Django collect what registered."""
        for module in MODEL_MODULES:
            import_module(f"tournaments.models.{module}")
        super().import_models()
