"""Mail addresses of people."""

from contextlib import suppress
from typing import Final

from django.core.exceptions import ValidationError
from django.core.validators import validate_email

from scoring.errors import Path, Problem, shown

LONGEST_EMAIL: Final = 254


def email_problem(email: str, at: Path) -> Problem | None:
    with suppress(ValidationError):
        if email:
            validate_email(email)
        if len(email) <= LONGEST_EMAIL:
            return None
    return Problem("bad_email", at, {"found": shown(email)})
