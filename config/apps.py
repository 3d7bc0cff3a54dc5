"""Makes every process know the Celery application and the deploy checks."""

from django.apps import AppConfig
from django.core.checks import register

from config.celery import app as celery_app
from config.checks import CHECKS, variant_files_stand


class Config(AppConfig):
    """The house itself: no models, only what must happen once at start."""

    name = "config"

    def ready(self) -> None:
        """Register the checks; make our Celery application the one that sends by name."""
        celery_app.set_default()
        for check in CHECKS:
            register(check, deploy=True)
        register(variant_files_stand)
