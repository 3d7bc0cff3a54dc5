"""Deploy checks: settings that are unsafe or cannot work in production."""

from collections.abc import Iterator

from django.conf import settings
from django.core.checks import CheckMessage, Error, Warning

from scoring.rules.catalogue import catalogue
from tournaments.management.service import has_static_files


def broker_keeps_messages() -> Iterator[CheckMessage]:
    """The broker is Redis or RabbitMQ, or the memory of the embedded worker."""
    url: str = settings.BROKER_URL
    # The transports over files and SQL lost messages; the SQL one also left tables stale.
    if url.startswith(("filesystem:", "sqla", "sqlalchemy", "db+")):
        yield Error(
            "BROKER_URL names a transport that loses messages when a worker is killed.",
            hint="Use redis://, amqp://, or memory:// with SQLite.",
            id="blacklady.E001",
        )
    elif url.startswith("memory:") and not settings.EMBEDDED:
        yield Error(
            "BROKER_URL is memory://, which reaches no worker in another process, "
            "but the database is a server.",
            hint="Name a Redis or a RabbitMQ in BROKER_URL.",
            id="blacklady.E002",
        )


def tasks_run_in_a_worker() -> Iterator[CheckMessage]:
    if getattr(settings, "CELERY_TASK_ALWAYS_EAGER", False):
        yield Error(
            "CELERY_TASK_ALWAYS_EAGER is on: a request would wait for every publication.",
            hint="Remove it; tests call the plain function under the task.",
            id="blacklady.E003",
        )


def hosts_are_named() -> Iterator[CheckMessage]:
    if "*" in settings.ALLOWED_HOSTS:
        yield Warning(
            "ALLOWED_HOSTS accepts every host name, so links in mails can be forged.",
            hint="Name the public host.",
            id="blacklady.W001",
        )
    elif not settings.EMBEDDED and set(settings.ALLOWED_HOSTS) <= {"127.0.0.1", "localhost"}:
        yield Warning(
            "ALLOWED_HOSTS holds only this machine: nobody else can open a page.",
            hint="Set ALLOWED_HOSTS to the public host name.",
            id="blacklady.W002",
        )


def static_files_are_collected() -> Iterator[CheckMessage]:
    """In server mode static files have been collected, so that they can be cached for ever."""
    if not has_static_files():
        yield Warning(
            f"No static files are collected in {settings.STATIC_ROOT}: every page would fail.",
            hint=f"Run `{settings.COMMAND} collectstatic --noinput`.",
            id="blacklady.W003",
        )


def owners_need_a_second_factor() -> Iterator[CheckMessage]:
    if not settings.EMBEDDED and settings.REQUIRE_SECOND_FACTOR == "nobody":
        yield Warning(
            "A password alone signs in an owner: REQUIRE_SECOND_FACTOR is nobody.",
            hint="Set it to owners, after the owners have added a passkey or an app.",
            id="blacklady.W005",
        )


def check_deployment(app_configs: object, **kwargs: object) -> list[CheckMessage]:
    return [
        *broker_keeps_messages(),
        *tasks_run_in_a_worker(),
        *hosts_are_named(),
        *static_files_are_collected(),
        *owners_need_a_second_factor(),
    ]


def check_variant_files(app_configs: object, **kwargs: object) -> list[CheckMessage]:
    """Every file of BLACKLADY_VARIANTS is a valid variant; invalid ones are skipped."""
    if not settings.BLACKLADY_VARIANTS:
        return []
    return [
        Warning(
            f"{why} This variant is left out.",
            hint="Mend the line, or look at the file with `python -m scoring check`; then restart.",
            id="blacklady.W004",
        )
        for _, _, why in catalogue(tuple(settings.BLACKLADY_VARIANTS)).bad_files
    ]
