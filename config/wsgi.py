"""The WSGI application, for any server; ours is config/server.py."""

import os

from django.core.wsgi import get_wsgi_application

from config.timeouts import limit_database_time

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

application = get_wsgi_application()
limit_database_time("web")
