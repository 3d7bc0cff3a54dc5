"""What makes the same state another page: who reads it, and in which language."""

from django.conf import settings
from django.utils.translation import get_language

from tournaments.models.events import Event
from tournaments.policy import PUBLIC


def reader_mark(event: Event) -> str:
    """Return the reader's part of the ETag of a live page: their role and their language.

    That of a visitor who reads in the site's language is empty, for the page has it in its bytes.

    Args:
        event: as it was read for them.
    """
    role = getattr(event, "role", PUBLIC)
    return (f"-{role}" if role != PUBLIC else "") + language_mark()


def language_mark() -> str:
    """Return the part of that of whoever has no role: the language."""
    language = get_language()
    return f"-{language}" if language != settings.LANGUAGE_CODE else ""
