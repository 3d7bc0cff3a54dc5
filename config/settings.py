"""The only settings module; every difference between machines comes from the environment (env.py).

`EMBEDDED` is the default on a bare machine: SQLite, and one Celery worker with the memory broker
beside the web process.
"""

import gc
import sys
from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import quote

import django_stubs_ext
from csp.constants import NONE, SELF

from config import env, installation, logs

django_stubs_ext.monkeypatch()
# A start makes some 300,000 objects that stay. Python's own 700 spends a fifth of it on looking
# for garbage among them.
gc.set_threshold(20_000)

BASE_DIR = installation.CODE_DIR
FILES_DIR = installation.FILES_DIR
COMMAND = installation.COMMAND
TYPED_COMMAND = installation.typed_command(Path(sys.executable))
VERSION = installation.version()

# --- Where state lives -------------------------------------------------------------------------

VAR_DIR = env.home("BLACKLADY_HOME", default=installation.default_home())
# Of relative paths: no process of an installed wheel works beside its code.
_below = VAR_DIR if installation.IS_WHEEL else BASE_DIR
_database = env.database(
    "DATABASE_URL", default=f"sqlite:///{quote(str(VAR_DIR / 'blacklady.sqlite3'))}", below=_below
)
# `transaction`: DATABASE_URL leads to a pooler that may give each transaction another session.
DATABASE_POOLER = env.choice("DATABASE_POOLER", default="none", among=("none", "transaction"))
_on_sqlite = _database["ENGINE"].endswith("sqlite3")
_redis_password = env.secret("REDIS_PASSWORD")
BROKER_URL = env.redis_secret("BROKER_URL", password=_redis_password, default="memory://")
EMBEDDED = _on_sqlite and BROKER_URL.startswith("memory:")

if _on_sqlite:
    # Without IMMEDIATE a transaction that reads first and writes later fails under a second writer.
    _database["OPTIONS"] = {
        "timeout": 10,
        **_database.get("OPTIONS", {}),
        "transaction_mode": "IMMEDIATE",
        "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;",
    }
    env.make_directory(Path(_database["NAME"]).parent, named="DATABASE_URL")
else:
    _database["CONN_HEALTH_CHECKS"] = True
    _database.setdefault("OPTIONS", {}).setdefault("connect_timeout", 5)
# A new connection costs more than reading a whole table of standings does, on SQLite too.
_database["CONN_MAX_AGE"] = 60
DATABASES = {"default": _database}
# A standby that visitors read while it is so many seconds behind at most (config/standby.py).
DATABASE_REPLICA_LAG = env.count("DATABASE_REPLICA_LAG", default=2)
if env.secret("DATABASE_REPLICA_URL") and not _on_sqlite:
    DATABASES["standby"] = env.database("DATABASE_REPLICA_URL", default="", below=_below)
    DATABASES["standby"].setdefault("OPTIONS", {}).setdefault("connect_timeout", 2)
    DATABASES["standby"] |= {"CONN_MAX_AGE": 60, "TEST": {"MIRROR": "default"}}
    DATABASE_ROUTERS = ["config.standby.StandbyRouter"]
if not _on_sqlite:
    # What every request asks is planned once a connection
    # (tournaments/selectors/db/statements.py). Behind a pooler no session keeps anything.
    _is_pooled = DATABASE_POOLER == "transaction"
    for _server in DATABASES.values():
        _server["PASSWORD"] = _server["PASSWORD"] or env.secret("POSTGRES_PASSWORD")
        _server["OPTIONS"]["prepare_threshold"] = None if _is_pooled else 1
        _server["DISABLE_SERVER_SIDE_CURSORS"] = _is_pooled
# `/readyz` is 200 although the database takes no writes: a web process on a standby.
DATABASE_READ_ONLY = env.flag("DATABASE_READ_ONLY", default=False)
# What PostgreSQL ends by itself, in seconds, by process (config/database_connections.py).
DATABASE_TIMEOUTS = {
    "web": {
        "lock_timeout": env.count("DATABASE_LOCK_TIMEOUT", default=5),
        "statement_timeout": env.count("DATABASE_STATEMENT_TIMEOUT", default=9),
        "idle_in_transaction_session_timeout": env.count("DATABASE_IDLE_TIMEOUT", default=60),
    },
    "worker": {
        "lock_timeout": env.count("DATABASE_LOCK_TIMEOUT", default=5),
        "statement_timeout": env.count("DATABASE_WORKER_STATEMENT_TIMEOUT", default=120),
        "idle_in_transaction_session_timeout": env.count(
            "DATABASE_WORKER_IDLE_TIMEOUT", default=600
        ),
    },
}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# Shared by all processes, so that a rate limit counts once; never one a process.
CACHES = {
    "default": env.cache(
        "CACHE_URL",
        password=_redis_password,
        otherwise={
            "BACKEND": "django.core.cache.backends.db.DatabaseCache",
            "LOCATION": "blacklady_cache",
            # Beyond this some are thrown away, and with them what a rate limit has counted.
            "OPTIONS": {"MAX_ENTRIES": 100_000},
        },
    )
}

# --- Secrets, hosts, transport -----------------------------------------------------------------

DEBUG = env.flag("DEBUG", default=False)
SECRET_KEY = env.secret_key("SECRET_KEY", made_in=VAR_DIR / "secret_key" if EMBEDDED else None)
# Former keys, separated by blanks: what they signed or sealed still counts.
SECRET_KEY_FALLBACKS = env.secret("SECRET_KEY_FALLBACKS").split()
ALLOWED_HOSTS = env.words("ALLOWED_HOSTS", default=("127.0.0.1", "localhost"))
CSRF_TRUSTED_ORIGINS = env.words("CSRF_TRUSTED_ORIGINS")
PORT = env.port("PORT", default=8000)
DEMO_SERVE = env.flag("DEMO_SERVE", default=True)

# A club's own machine speaks plain HTTP on 127.0.0.1; anything else sits behind TLS.
_behind_tls = env.flag("BEHIND_TLS", default=not DEBUG and not EMBEDDED)
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if _behind_tls else None
SECURE_SSL_REDIRECT = _behind_tls
# So many proxies of our own stand in front; the last of what they say of a caller's address counts
# (tournaments/domain/client_address.py), for REST, sign-in and table links alike.
TRUSTED_PROXIES = env.count("TRUSTED_PROXIES", default=1 if _behind_tls else 0)
# What concerns other hosts is the operator's to say.
SECURE_HSTS_SECONDS = env.count("HSTS_SECONDS", default=31_536_000) if _behind_tls else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = env.flag("HSTS_SUBDOMAINS", default=False)
SECURE_HSTS_PRELOAD = env.flag("HSTS_PRELOAD", default=False)
SILENCED_SYSTEM_CHECKS = ["security.W021"]  # it asks to set it: browsers remove no host
SESSION_COOKIE_SECURE = _behind_tls
CSRF_COOKIE_SECURE = _behind_tls
# No other host of the domain can plant a cookie with this prefix; browsers want TLS for it.
COOKIE_PREFIX = "__Host-" if _behind_tls else ""
SESSION_COOKIE_NAME = f"{COOKIE_PREFIX}sessionid"
CSRF_COOKIE_NAME = f"{COOKIE_PREFIX}csrftoken"
MESSAGE_STORAGE = "config.web.cookies.MessageStorage"
SESSION_COOKIE_HTTPONLY = True
SESSION_ENGINE = "config.accounts.sessions"
SESSION_COOKIE_AGE = env.count("SESSION_IDLE_DAYS", default=14, least=1) * 24 * 60 * 60
SESSION_LIFETIME = timedelta(days=env.count("SESSION_DAYS", default=30, least=1))
CSRF_COOKIE_HTTPONLY = True
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
CSRF_FAILURE_VIEW = "tournaments.views.http.errors.csrf_failure"

CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [SELF],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF, "data:"],
        "object-src": [NONE],
        "base-uri": [NONE],
        "form-action": [SELF],
        "frame-ancestors": [NONE],
    }
}

# --- What it is made of ------------------------------------------------------------------------

INSTALLED_APPS = [
    "config",
    "tournaments",
    "api",
    "config.apps.Admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.contrib.humanize",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "config.apps.Sessions",
    "csp",
    "django_htmx",
    "rest_framework",
    "drf_spectacular",
    "drf_spectacular_sidecar",
]
MIDDLEWARE = [
    "config.logs.request_log",
    # Outside of those that answer by themselves.
    "config.web.cookies.SecurityHeaders",
    "csp.middleware.CSPMiddleware",
    "config.operation.metrics.count_requests",
    "config.health.probes",
    "config.web.cookies.accept_old_cookies",
    "api.middleware.api_edge",
    "config.web.refusals.RefuseUnreadable",
    "config.web.refusals.limit_writers",
    "config.database_connections.reconnecting_reads",
    "config.standby.visitors_read_standby",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "config.accounts.sessions.note_use",
    "django_htmx.middleware.HtmxMiddleware",
    "config.web.excel.csv_for_excel",
]
ROOT_URLCONF = "config.urls"
WSGI_APPLICATION = "config.wsgi.application"
ASGI_APPLICATION = "config.asgi.application"
TEMPLATES: list[dict[str, Any]] = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [FILES_DIR / "templates"],
        "OPTIONS": {
            "loaders": [
                (
                    "django.template.loaders.cached.Loader",
                    [
                        "config.web.template_loader.CompactLoader",
                        "django.template.loaders.app_directories.Loader",
                    ],
                )
            ],
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    }
]

# --- Language and time -------------------------------------------------------------------------

LANGUAGE_CODE = "en"
# Only languages that everything is translated into: a browser that asks for another one would get
# its dates and Django's own sentences between English ones.
LANGUAGES = [("en", "English")]
LOCALE_PATHS = [FILES_DIR / "locale"]
TIME_ZONE = "UTC"
# What a new club is proposed where the browser does not say; each club chooses its own.
DEFAULT_TIME_ZONE = env.time_zone("DEFAULT_TIME_ZONE")
USE_TZ = True
USE_I18N = True

# --- Files that come in ------------------------------------------------------------------------

FILE_UPLOAD_HANDLERS = [
    "config.web.refusals.Quota",
    "django.core.files.uploadhandler.MemoryFileUploadHandler",
    "django.core.files.uploadhandler.TemporaryFileUploadHandler",
]

# --- Static files ------------------------------------------------------------------------------

STATIC_URL = "/static/"
STATICFILES_DIRS = [FILES_DIR / "static"]
# Whitenoise warns of a missing directory.
STATIC_ROOT = env.directory("STATIC_ROOT", default=VAR_DIR / "static", below=_below)
# Collected files carry their hash in the name and are cached for ever; a club's own machine needs
# no such step and serves them as they lie in the tree.
COLLECTED = env.flag("STATIC_COLLECTED", default=not EMBEDDED)
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {
        "BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"
        if COLLECTED
        else "django.contrib.staticfiles.storage.StaticFilesStorage"
    },
}
WHITENOISE_USE_FINDERS = not COLLECTED
WHITENOISE_AUTOREFRESH = DEBUG

# --- People ------------------------------------------------------------------------------------

# The second one is what sessions store; it is asked for no password (config/accounts/sign_in.py).
AUTHENTICATION_BACKENDS = [
    "config.accounts.sign_in.AccountBackend",
    "allauth.account.auth_backends.AuthenticationBackend",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator"},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
    {"NAME": "tournaments.selectors.people.password_strength.StrengthValidator"},
]
# How long the link to a new password works: a mailbox may be read by others later.
PASSWORD_RESET_TIMEOUT = 60 * 60
ACCOUNT_ADAPTER = "config.accounts.sign_in.AccountAdapter"
ACCOUNT_LOGIN_METHODS = {"username", "email"}
ACCOUNT_SIGNUP_FIELDS = ["username*", "email*", "password1*"]
ACCOUNT_EMAIL_VERIFICATION = "optional"
# `invitation`: who has one makes an account; `open`: anybody does.
SIGN_UP = env.choice("SIGN_UP", default="invitation", among=("invitation", "open"))
# A password reset for an address without an account mails nobody, but takes the same way: the
# mail is written and thrown away (config/accounts/sign_in.py).
ACCOUNT_EMAIL_UNKNOWN_ACCOUNTS = True
ACCOUNT_CHANGE_EMAIL = True
ACCOUNT_EMAIL_NOTIFICATIONS = True
# A change of the address or of the second factor asks for the password again after five minutes.
ACCOUNT_REAUTHENTICATION_REQUIRED = True
ACCOUNT_REAUTHENTICATION_METHODS = ("password", "mfa")  # no code by mail: it may never arrive
# Wrong passwords and links to a new one are counted by config/accounts/sign_in.py, by account
# and address together; what is left of `login_failed` are codes of a second factor, by account:
# only who knows the password gets to send any.
ACCOUNT_RATE_LIMITS = {"login": None, "login_failed": "5/5m/key", "reset_password": None}
ACCOUNT_FORMS = {
    "add_email": "config.accounts.forms.ChangeAddressForm",
    "change_password": "config.accounts.forms.ChangePasswordForm",
    "login": "config.accounts.forms.SignInForm",
    "reauthenticate": "config.accounts.forms.ConfirmPasswordForm",
    "reset_password": "config.accounts.forms.AskNewPasswordForm",
    "reset_password_from_key": "config.accounts.forms.NewPasswordForm",
    "set_password": "config.accounts.forms.FirstPasswordForm",
    "signup": "config.accounts.forms.SignUpForm",
}
ALLAUTH_TRUSTED_PROXY_COUNT = TRUSTED_PROXIES
ACCOUNT_DEFAULT_HTTP_PROTOCOL = "https" if _behind_tls else "http"
MFA_ADAPTER = "config.accounts.forms.SecondFactorAdapter"
MFA_FORMS = {
    "activate_totp": "config.accounts.forms.AddAppForm",
    "add_webauthn": "config.accounts.forms.AddPasskeyForm",
    "authenticate": "config.accounts.forms.CodeForm",
    "edit_webauthn": "config.accounts.forms.RenamePasskeyForm",
    "reauthenticate": "config.accounts.forms.ConfirmCodeForm",
}
MFA_SUPPORTED_TYPES = ["totp", "webauthn", "recovery_codes"]
# Signing up by passkey alone wants a code by mail, and a club may have no mail server.
MFA_PASSKEY_LOGIN_ENABLED = True
MFA_PASSKEY_SIGNUP_ENABLED = False
# An address may never be confirmed where no mail arrives.
MFA_ALLOW_UNVERIFIED_EMAIL = True
# A hall signs in from one address at the beginning of an evening.
MFA_RATE_LIMITS = {"webauthn_login": "60/m/ip"}
# Whose role waits until they have a second factor; a club may ask more, for itself.
REQUIRE_SECOND_FACTOR = env.choice(
    "REQUIRE_SECOND_FACTOR", default="nobody", among=("nobody", "owners", "directors")
)
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "/"
ACCOUNT_SIGNUP_REDIRECT_URL = "tournaments:offer-passkey"
ACCOUNT_LOGOUT_REDIRECT_URL = "/"

globals().update(env.mail("EMAIL_URL", made_in=VAR_DIR / "mail" if EMBEDDED else None))
# Whether mails and webhooks leave; unset: what the database says (selectors/jobs/outgoing.py).
OUTGOING = env.switch("OUTGOING")
# A thread of each worker sends (tournaments/delivery/mail/sender.py), which would wait for ever.
EMAIL_TIMEOUT = env.count("EMAIL_TIMEOUT", default=10, least=1)
# The same for webhooks (tournaments/delivery/webhooks/sender.py); the whole of one message.
WEBHOOK_TIMEOUT = env.count("WEBHOOK_TIMEOUT", default=10, least=1)
# Whether webhooks may go to private addresses and this machine, and by plain HTTP.
WEBHOOK_ALLOW_PRIVATE = env.flag("WEBHOOK_ALLOW_PRIVATE", default=False)
WEBHOOK_HOSTS = frozenset(env.words("WEBHOOK_HOSTS"))
DEFAULT_FROM_EMAIL = env.text("DEFAULT_FROM_EMAIL", default="Blacklady <blacklady@localhost>")
# Who gets reports of failures: the accounts of administrators are in a database that may be away.
ADMIN_EMAIL = env.words("ADMIN_EMAIL")
# What addresses in mails begin with; no request says it to a worker.
_begins = env.site_url(ALLOWED_HOSTS, port=PORT if EMBEDDED else None, is_secure=_behind_tls)
SITE_URL = (env.text("SITE_URL") or _begins).rstrip("/")

# --- REST --------------------------------------------------------------------------------------

REST_FRAMEWORK = {
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["rest_framework.parsers.JSONParser"],
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "api.authentication.TokenAuthentication",
        "api.authentication.BrowserSessionAuthentication",
        "api.authentication.TableLinkAuthentication",
    ],
    # Each view names its own; one that forgets to answers nobody.
    "DEFAULT_PERMISSION_CLASSES": ["api.permissions.DenyAll"],
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "DEFAULT_METADATA_CLASS": None,
    # `link`: links and codes that open nothing, from one address.
    # `evening_code`: short codes that open no evening, of one club.
    "DEFAULT_THROTTLE_RATES": {"score": "60/min", "link": "20/min", "evening_code": "60/hour"},
    "EXCEPTION_HANDLER": "api.exception_handler.handler",
    "NUM_PROXIES": TRUSTED_PROXIES,
    "URL_FORMAT_OVERRIDE": None,
    "TEST_REQUEST_DEFAULT_FORMAT": "json",
}
# REST requests of one token in a minute (api/rate_limit.py); 0 for no limit.
TOKEN_REQUESTS_PER_MINUTE = env.count("TOKEN_REQUESTS_PER_MINUTE", default=1200)
# Pages of these origins may use a token; all may read what is public (api/middleware.py).
CORS_READ_ORIGINS = env.origins("CORS_READ_ORIGINS", default=("*",))
CORS_WRITE_ORIGINS = env.origins("CORS_WRITE_ORIGINS")
SPECTACULAR_SETTINGS = {
    "TITLE": "Blacklady",
    "DESCRIPTION": "Entries, standings and publications of Hearts clubs.",
    "VERSION": "1",
    "OAS_VERSION": "3.1.0",
    "SCHEMA_PATH_PREFIX": "/api/v1",
    "SERVERS": [{"url": "/", "description": "The site that serves this document."}],
    "EXTERNAL_DOCS": {"url": "/help/api", "description": "The guide for programs."},
    "POSTPROCESSING_HOOKS": [
        "drf_spectacular.hooks.postprocess_schema_enums",
        "api.v1.rules.variants.with_variant_ids",
        "api.query_parameters.with_sparse_rows",
        "api.openapi_document.with_tags",
        "api.openapi_document.with_required_bodies",
        "api.openapi_refusals.with_refusals",
        "api.openapi_document.with_examples",
        "api.openapi_document.with_links",
    ],
    # Several things have a state; each set of words gets a name of its own.
    # What an edit needs is needed: no body of a PATCH is part of another one.
    "COMPONENT_SPLIT_PATCH": False,
    "ENUM_NAME_OVERRIDES": {
        "AttendanceState": "tournaments.models.rounds.AttendanceState",
        "BatchState": "tournaments.models.imports.BatchState",
        "ChallengeState": "tournaments.models.ladders.ChallengeState",
        "ClubVisibility": "tournaments.models.clubs.ClubVisibility",
        "DeliveryState": "tournaments.models.webhooks.DeliveryState",
        "DisputeState": "tournaments.models.hands.DisputeState",
        "EntrantKind": "tournaments.models.events.EntrantKind",
        "EntrantState": "tournaments.models.events.EntrantState",
        "EventPreset": "tournaments.domain.event_settings.PRESET_KEYS",
        "EventKind": "tournaments.models.events.EventKind",
        "EventState": "tournaments.models.events.EventState",
        "FoundKind": "tournaments.selectors.people.search.SEARCH_KINDS",
        "GameState": "tournaments.models.hands.GameState",
        "HandState": "tournaments.models.hands.HandState",
        "InvitationState": "tournaments.selectors.access.invitations.InvitationState",
        "LedgerKind": "tournaments.models.standings.LedgerKind",
        "LedgerLineStateEnum": ["active", "withdrawn"],
        "NamesPolicy": "tournaments.models.clubs.NamesPolicy",
        "MeetingState": "tournaments.models.rounds.MeetingState",
        "PlayoffState": "tournaments.models.playoffs.PlayoffState",
        "SeasonPreset": "tournaments.services.events.seasons.SEASON_PRESETS",
        "Visibility": "tournaments.models.events.Visibility",
        "PlayoffStepKind": "tournaments.models.playoffs.PlayoffStepKind",
        "ProblemState": "tournaments.models.imports.ProblemState",
        "RoundState": "tournaments.models.rounds.RoundState",
        "WebhookFormat": "tournaments.models.webhooks.WebhookFormat",
        "WebhookKind": "tournaments.models.webhooks.WebhookKind",
        "WebhookState": "tournaments.models.webhooks.WebhookState",
    },
}

# --- Background work (docs/decisions/0002-the-database-is-the-queue.md) -------------------------

CELERY_BROKER_URL = BROKER_URL
# Two installations that share a broker each name a queue of their own.
CELERY_TASK_DEFAULT_QUEUE = env.text("BROKER_QUEUE", default="blacklady")
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
# A Redis that refuses writes (out of memory, a replica) does not end the worker.
CELERY_BROKER_CHANNEL_ERROR_RETRY = True
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
# On a busy machine a forked process may need longer than Celery's 4 s until it is up. Killed then,
# it is followed by one that needs as long.
CELERY_WORKER_PROC_ALIVE_TIMEOUT = 60.0
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_STORE_ERRORS_EVEN_IF_IGNORED = False
CELERY_TASK_SERIALIZER = "json"
CELERY_RESULT_SERIALIZER = "json"
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_TASK_SOFT_TIME_LIMIT = 30
CELERY_TASK_TIME_LIMIT = 60
CELERY_TASK_PUBLISH_RETRY = False
CELERY_TASK_DEFAULT_DELIVERY_MODE = "transient"  # RabbitMQ confirms these without its disk
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_WORKER_CANCEL_LONG_RUNNING_TASKS_ON_CONNECTION_LOSS = True
CELERY_TIMEZONE = "UTC"
# Publishing a hint must not hold up a request: a broker that does not answer counts as lost.
CELERY_BROKER_CONNECTION_TIMEOUT = 0.3
CELERY_BROKER_CONNECTION_MAX_RETRIES = None
# Without these who sends sleeps for two seconds before the connection is tried once more.
CELERY_BROKER_TRANSPORT_OPTIONS: dict[str, float] = {"max_retries": 0, "interval_start": 0}
BROKER_OPTIONS: dict[str, dict[str, float]] = {
    # The worker looks for hints this often; a second is usual, and far too slow for a page.
    "memory": {"polling_interval": 0.05},
    "redis": {"unacked_restore_throttle": 1, "socket_timeout": 0.3, "socket_connect_timeout": 0.3},
    # When paused or with an alarm, RabbitMQ takes messages without an error, and does nothing.
    "amqp": {"confirm_publish": True, "read_timeout": 1.0, "write_timeout": 1.0},
}
for transport, options in BROKER_OPTIONS.items():
    if BROKER_URL.startswith(transport):
        CELERY_BROKER_TRANSPORT_OPTIONS |= options

# --- Monitoring --------------------------------------------------------------------------------

METRICS_ALLOW = env.networks("METRICS_ALLOW", default=("127.0.0.1", "::1"))
# Where the processes of an installation share their counters; `serve` and `web` set it.
PROMETHEUS_MULTIPROC_DIR = env.text("PROMETHEUS_MULTIPROC_DIR")
# Each needs an extra of the wheel (config/operation/extras.py).
SENTRY_DSN = env.secret("SENTRY_DSN")
OTEL_EXPORTER_OTLP_ENDPOINT = env.text("OTEL_EXPORTER_OTLP_ENDPOINT")

# --- Ours --------------------------------------------------------------------------------------

# Backups are encrypted for the age keys in it (config/operation/backup/archive.py).
_backup_key = env.text("BACKUP_KEY_FILE")
BACKUP_KEY_FILE: Path | None = _below / _backup_key if _backup_key else None

BLACKLADY_VARIANTS = env.directories("BLACKLADY_VARIANTS", below=_below)
# On: only a site administrator makes clubs. Off: whoever signs in, and owns the club then.
RESERVE_CLUBS = env.flag("RESERVE_CLUBS", default=False)

LOGGING_CONFIG = None
logs.configure(level=env.text("LOG_LEVEL", default="INFO"))
