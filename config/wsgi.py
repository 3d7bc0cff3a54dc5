"""The WSGI application, for any server; ours is config/web/server.py."""

import os
from pathlib import Path

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
django.setup(set_prefix=False)

from django.template import Engine  # noqa: E402  # needs the apps
from django.urls import reverse  # noqa: E402
from django.utils.translation import gettext  # noqa: E402

from config.database_connections import limit_database_time  # noqa: E402
from config.web.microcache import MicrocachedHandler  # noqa: E402

application = MicrocachedHandler()
limit_database_time("web")


def load() -> None:
    """Load all addresses, templates and translations, so that no request waits for them."""
    reverse("tournaments:clubs")
    gettext("Clubs")
    engine = Engine.get_default()
    for directory in map(Path, engine.dirs):
        for path in directory.rglob("*.*"):
            engine.get_template(str(path.relative_to(directory)))
