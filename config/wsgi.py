"""The WSGI application, for any server; ours is config/web/server.py."""

import os

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
django.setup(set_prefix=False)

from config.database_connections import limit_database_time  # noqa: E402  # needs the apps
from config.web.microcache import MicrocachedHandler  # noqa: E402

application = MicrocachedHandler()
limit_database_time("web")
