"""Services that refuse us, by password, right or name, told apart from those that do not answer."""

import re
from collections.abc import Iterator
from typing import Final

from amqp.exceptions import AccessRefused, NotAllowed
from redis.exceptions import (
    AuthenticationError,
    AuthorizationError,
    NoPermissionError,
    ResponseError,
)

_CLASSES: Final = (
    AccessRefused,
    NotAllowed,
    AuthenticationError,
    AuthorizationError,
    NoPermissionError,
)
_OF_REDIS: Final = re.compile(
    r"NOAUTH|WRONGPASS|NOPERM|AUTH.* (?:called|password)|max number of clients|DB index"
)
_OF_POSTGRESQL: Final = re.compile(r"\bFATAL:")
_NOT_READY: Final = re.compile(
    r"starting up|shutting down|in recovery|not yet accepting|not accepting|terminating connection"
    r"|server login has been failing|cannot connect to server|server conn crashed"
    r"|query_wait_timeout"
)
"""Words of a PostgreSQL that will answer again by itself, and of PgBouncer before such a one."""


def is_refusal(fault: BaseException) -> bool:
    """Whether a service answered, and takes nothing from us until somebody changes something.

    >>> is_refusal(AuthenticationError("invalid username-password pair or user is disabled."))
    True
    >>> is_refusal(ConnectionRefusedError(111, "Connection refused"))
    False
    """
    return any(_is_refusal(each) for each in _causes(fault))


def _causes(fault: BaseException) -> Iterator[BaseException]:
    cause: BaseException | None = fault
    while cause is not None:
        yield cause
        cause = cause.__cause__


def _is_refusal(fault: BaseException) -> bool:
    if isinstance(fault, _CLASSES):
        return True
    text = str(fault)
    if isinstance(fault, ResponseError):
        return _OF_REDIS.search(text) is not None
    return bool(_OF_POSTGRESQL.search(text)) and not _NOT_READY.search(text)
