"""The app's entry in Django's registry."""

from importlib import import_module

from django.apps import AppConfig

MODEL_MODULES = (
    "clubs",
    "notices",
    "events",
    "rules",
    "rounds",
    "seating_plans",
    "access",
    "imports",
    "hands",
    "standings",
    "ladders",
    "playoffs",
    "audit",
    "jobs",
    "webhooks",
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
