"""Sessions that showed a second factor, without a device."""

from django.test import Client


def show_factor(client: Client) -> None:
    """Let a signed-in browser count as one that showed the account's second factor."""
    session = client.session
    session["account_authentication_methods"] = [{"method": "mfa", "type": "totp", "at": 0}]
    session["account_authentication_methods_user"] = session["_auth_user_id"]
    session.save()
