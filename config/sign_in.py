"""Sign-in: accounts are made by invitation or by staff, never by a stranger's form."""

from allauth.account.adapter import DefaultAccountAdapter
from django.http import HttpRequest


class ByInvitation(DefaultAccountAdapter):
    """allauth's own behaviour, with the open sign-up closed."""

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        """No: a club's people are invited."""
        return False
