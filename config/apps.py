"""Makes every process know the Celery application and the deploy checks."""

from allauth.usersessions.apps import UserSessionsConfig
from django.apps import AppConfig
from django.contrib import admin
from django.contrib.admin import apps as admin_apps
from django.core.checks import register

from config.celery import app as celery_app
from config.checks import check_deployment, check_variant_files
from config.operation.extras import begin_reports


class Config(AppConfig):
    name = "config"
    default = True

    def ready(self) -> None:
        celery_app.set_default()
        register(check_deployment, deploy=True)
        register(check_variant_files)
        begin_reports()


class Admin(admin_apps.AdminConfig):
    default = False
    default_site = "config.admin_site.Site"

    def ready(self) -> None:
        super().ready()
        admin.site.hide_secrets()  # type: ignore[attr-defined]  # of `default_site`


class Sessions(UserSessionsConfig):
    """allauth's sessions, without its signals: config/accounts/sessions.py writes the rows."""

    def ready(self) -> None:
        """Connect nothing."""
