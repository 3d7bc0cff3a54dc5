"""How the service is put together: settings, addresses, Celery, deploy checks."""
