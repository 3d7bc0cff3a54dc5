"""How long a process lets PostgreSQL work, wait for a lock, or keep a transaction open.

Commands have none: a migration, a restore or a rebuild takes as long as it takes.
"""

from typing import Literal

from django.conf import settings
from django.db import connections


def limit_database_time(process: Literal["web", "worker"]) -> None:
    """Give every connection that this process opens from now on its time-outs; 0 is none.

    What the URL of the database says in its own `options` wins. SQLite has one time-out for all
    (`?timeout=`), so nothing is done there.
    """
    database = connections.settings["default"]
    if database["ENGINE"].endswith("sqlite3"):
        return
    limits = settings.DATABASE_TIMEOUTS[process]
    options = database.setdefault("OPTIONS", {})
    ours = [f"-c {name}={seconds * 1000}" for name, seconds in limits.items() if seconds]
    options["options"] = " ".join((*ours, options.get("options", ""))).strip()
