"""The ASGI application, for servers without WSGI; WSGI is what we run and test."""

import os

from django.core.asgi import get_asgi_application

from config.database_connections import limit_database_time

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

application = get_asgi_application()
limit_database_time("web")
