"""The WSGI application, for any server; ours is config/server.py."""

import os

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
django.setup(set_prefix=False)

from config.timeouts import limit_database_time  # noqa: E402  # needs the apps
from config.unreadable import Handler  # noqa: E402

application = Handler()
limit_database_time("web")
