"""Makes every process know the Celery application and the deploy checks."""

from allauth.usersessions.apps import UserSessionsConfig
from django.apps import AppConfig
from django.contrib.admin import apps as admin
from django.core.checks import register
from django.utils.module_loading import autodiscover_modules

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


class Admin(admin.AdminConfig):
    default = False
    default_site = "config.admin_site.Site"

    def ready(self) -> None:
        super().ready()
        autodiscover_modules("accounts.second_factor_admin")


class Sessions(UserSessionsConfig):
    """allauth's sessions, without its signals: config/accounts/sessions.py writes the rows."""

    def ready(self) -> None:
        """Connect nothing."""
