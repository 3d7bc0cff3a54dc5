"""How the service is put together: settings, addresses, Celery, deploy checks. Holds no rule of the game."""
