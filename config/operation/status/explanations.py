"""What each fault means, in a sentence, and what to do about it.

The page, the command, the metrics and the alert rules share this table. `{about}` is the rule's
finding, `{ago}` its age.
"""

from dataclasses import dataclass
from typing import Final, Literal

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

Severity = Literal["error", "warning", "note"]
"""An error keeps people from something now, a warning will; a note makes nothing degraded."""
Area = Literal[
    "database",
    "migrations",
    "disk",
    "broker",
    "cache",
    "workers",
    "jobs",
    "outgoing",
    "mail",
    "webhooks",
    "backup",
    "clock",
    "certificate",
    "static_files",
]


@dataclass(frozen=True, slots=True)
class Explanation:
    """How a fault is shown, and to which line of the page it belongs."""

    area: Area
    severity: Severity
    sentence: str | Promise
    advice: str | Promise


EXPLANATIONS: Final = {
    "database_away": Explanation(
        "database",
        "error",
        _("The database does not answer ({about})."),
        _("Start the database. Check DATABASE_URL and the network to the database server."),
    ),
    "database_pooler": Explanation(
        "database",
        "error",
        _("A connection pooler changes sessions that the service relies on ({about})."),
        _("Set DATABASE_POOLER=transaction, and restart web and workers."),
    ),
    "database_refused": Explanation(
        "database",
        "error",
        _("The database refuses us ({about})."),
        _("Check the role, the password and the name in DATABASE_URL, and the server's rights."),
    ),
    "database_was_away": Explanation(
        "database",
        "warning",
        _("Within the last minute requests lost their connection to the database."),
        _("Read the log of the database server: did it restart, or end connections?"),
    ),
    "database_was_read_only": Explanation(
        "database",
        "warning",
        _("Within the last minute the database refused writes of requests."),
        _("After a failover, point DATABASE_URL at the server that takes writes."),
    ),
    "disk_was_full": Explanation(
        "disk",
        "error",
        _("Within the last minute hands were refused because the disk of the database was full."),
        _("Free some space. Everything continues by itself."),
    ),
    "database_read_only": Explanation(
        "database",
        "error",
        _("The database takes no writes, so no hand can be entered."),
        _("After a failover, point DATABASE_URL at the server that takes writes."),
    ),
    "standby_away": Explanation(
        "database",
        "warning",
        _("The standby does not answer ({about}). Visitors read the primary."),
        _("Start the standby. Check DATABASE_REPLICA_URL and the network to it."),
    ),
    "standby_refused": Explanation(
        "database",
        "warning",
        _("The standby refuses us ({about}). Visitors read the primary."),
        _("Check the role, the password and the name in DATABASE_REPLICA_URL."),
    ),
    "standby_behind": Explanation(
        "database",
        "warning",
        _("The standby is not close to the primary: {about}. Visitors read the primary."),
        _("Read the log of the standby: does it receive from the primary, is its disk slow?"),
    ),
    "database_busy": Explanation(
        "database",
        "warning",
        _("Something has held the database for longer than a second."),
        _(
            "Wait a minute. If this stays, find out who holds locks: pg_stat_activity on "
            "PostgreSQL, another program that has the file open on SQLite."
        ),
    ),
    "migrations_missing": Explanation(
        "migrations",
        "error",
        _("The database is older than this version: {about}."),
        _("Back up, then run the command migrate, then restart web and workers."),
    ),
    "static_files_missing": Explanation(
        "static_files",
        "error",
        _("No static files are collected in {about}, so every page fails."),
        _("Run the command collectstatic, then restart the web processes."),
    ),
    "disk_full": Explanation(
        "disk",
        "error",
        _("The disk of the database is full, so no hand can be entered."),
        _("Free some space. Everything continues by itself."),
    ),
    "disk_low": Explanation(
        "disk",
        "warning",
        _("The disk is nearly full: {about} are free."),
        _("Free some space: old backups, logs, files of other programs. Or use a larger disk."),
    ),
    "broker_away": Explanation(
        "broker",
        "warning",
        _(
            "The message broker (Redis or RabbitMQ) does not answer, or takes no messages "
            "({about})."
        ),
        _(
            "Start it, and check BROKER_URL. If it runs, it may lack memory or disk space: read "
            "its log. Meanwhile workers find their work in the database: standings come a little "
            "later."
        ),
    ),
    "broker_refused": Explanation(
        "broker",
        "warning",
        _("The message broker (Redis or RabbitMQ) refuses us ({about})."),
        _(
            "Check the user, the password and the name in BROKER_URL. Meanwhile workers find "
            "their work in the database: standings come a little later."
        ),
    ),
    "cache_refused": Explanation(
        "cache",
        "warning",
        _("The cache refuses us ({about})."),
        _(
            "Check the user, the password and the number in CACHE_URL: meanwhile each process "
            "counts wrong passwords alone."
        ),
    ),
    "cache_away": Explanation(
        "cache",
        "warning",
        _("The cache does not answer ({about})."),
        _(
            "Start Redis, and check CACHE_URL: meanwhile each process counts wrong passwords "
            "alone. Where the cache is in the database, run the command createcachetable."
        ),
    ),
    "no_worker": Explanation(
        "workers",
        "error",
        _("No worker is running. Hands are saved, but nothing is published and no mail is sent."),
        _(
            "Start a worker: restart “serve”, or the worker service. Its log says why it ended. "
            "It then does all pending work."
        ),
    ),
    "worker_silent": Explanation(
        "workers",
        "error",
        _("The worker {about} does not work any more. It did not end in order."),
        _(
            "Read its log and start it again. If you removed it, do nothing: it disappears from "
            "this list a day after its last report."
        ),
    ),
    "worker_without_process": Explanation(
        "workers",
        "error",
        _("No process of the worker {about} lasts: they end, or do not start."),
        _(
            "Its dispatcher publishes standings meanwhile, later than usual. Read its log. If the "
            "machine is short of processor time or memory, give it more; then restart the worker."
        ),
    ),
    "job_late": Explanation(
        "jobs",
        "warning",
        _("Work that is due waits, and no worker begins it."),
        _("If all workers are busy, start another one. Else read the log of the workers."),
    ),
    "job_parked": Explanation(
        "jobs",
        "warning",
        _("A background job was given up after three tries. Its last result stays as it was."),
        _(
            "The Manage page of its event shows the error and “Try again”. If the error is not "
            "clear, read the log of the worker at that time."
        ),
    ),
    "outgoing_off": Explanation(
        "outgoing",
        "warning",
        _("Nothing is sent: {about}."),
        _(
            "On a copy of the club's server this is right. On the club's server itself run the "
            "command outgoing on; where the setting OUTGOING is off, unset it and restart."
        ),
    ),
    "mail_late": Explanation(
        "mail",
        "warning",
        _("Mail is not sent: {about}."),
        _("Check EMAIL_URL and the mail server. The page Mail of a club shows its last answer."),
    ),
    "mail_given_up": Explanation(
        "mail",
        "note",
        _("Mail could not be delivered within the last day: {about}."),
        _("The page Mail of each club shows to whom and why. Often the address is wrong."),
    ),
    "webhook_late": Explanation(
        "webhooks",
        "warning",
        _("Messages of webhooks are not sent: {about}."),
        _("Read the log of the workers. If they send many messages, start another worker."),
    ),
    "webhook_given_up": Explanation(
        "webhooks",
        "note",
        _("Messages of webhooks could not be delivered within the last day: {about}."),
        _("The page Webhooks of each club shows the answers of the receivers."),
    ),
    "backup_never": Explanation(
        "backup",
        "warning",
        _("There is no backup of this installation."),
        _("Run the command backup now, and every day by a timer. Keep a copy on another machine."),
    ),
    "backup_old": Explanation(
        "backup",
        "warning",
        _("The last backup is old: {about}."),
        _("Run the command backup, and find out why the timer does not: read its log."),
    ),
    "backup_left": Explanation(
        "backup",
        "warning",
        _("A backup or a restore that was killed left a copy of the database: {about}."),
        _("Run the command backup: it removes what killed commands left, if nobody uses it."),
    ),
    "clock_off": Explanation(
        "clock",
        "warning",
        _("The clock of this machine cannot be relied on: {about}."),
        _(
            "Let the machine keep its time by NTP (timedatectl, chrony). Deadlines and the times "
            "of hands follow this clock."
        ),
    ),
    "certificate_ends": Explanation(
        "certificate",
        "warning",
        _("The certificate of the site ends soon: {about}."),
        _("Find out why the proxy does not renew it (its log, port 80, the DNS entry)."),
    ),
    "certificate_refused": Explanation(
        "certificate",
        "error",
        _("Browsers refuse the certificate of the site ({about})."),
        _("Renew it in the proxy, and check that it is made for the host name of SITE_URL."),
    ),
    "certificate_unreadable": Explanation(
        "certificate",
        "note",
        _("The certificate of the site cannot be read from this machine ({about})."),
        _("Open the site in a browser. If that works, this machine cannot reach its own address."),
    ),
}
"""Code → explanation, the gravest areas first."""
