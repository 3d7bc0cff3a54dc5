"""Making an account with an invitation or a set-up link: allauth's own form, with our words."""

from typing import Any

from allauth.account.adapter import get_adapter
from allauth.account.forms import SignupForm
from django.core.validators import MaxLengthValidator
from django.utils.translation import gettext_lazy as _

from tournaments.services.clubs.clubs import proposed_slug

LONGEST_PROPOSED = 60
LONGEST_EMAIL = 254
"""Characters of an address, as the column of accounts has them."""


class NewAccountForm(SignupForm):  # type: ignore[misc]  # untyped base
    """An e-mail address and a password; a user name is made where none is entered.

    Args:
        name: whom the account is for, which a user name is made of. Never of the e-mail address,
            which other members do not see.
    """

    def __init__(self, *args: Any, name: str = "", **more: Any) -> None:
        super().__init__(*args, username_required=False, email_required=True, **more)
        self.name = name
        email, password = self.fields["email"], self.fields["password1"]
        username = self.fields["username"]
        email.label = _("E-mail address")
        email.validators.append(MaxLengthValidator(LONGEST_EMAIL))
        email.help_text = _("For signing in and for the mails you choose.")
        username.label = _("User name (optional)")
        username.help_text = _("Other members see it. Letters, digits and @ . + - _ are allowed.")
        password.label = _("Password")
        password.help_text = _("At least 8 characters, and not one that many people use.")
        for field in (email, username, password):
            field.widget.attrs.pop("placeholder", None)
        self.use_required_attribute = False

    @property
    def has_problems(self) -> bool:
        """Whether anything typed was refused."""
        return self.is_bound and bool(self.errors)

    def clean(self) -> dict[str, Any]:
        """Propose a user name where none was entered."""
        typed: dict[str, Any] = super().clean()
        if not typed.get("username") and "username" not in self.errors:
            base = proposed_slug(self.name)[:LONGEST_PROPOSED] or "member"
            typed["username"] = get_adapter().generate_unique_username([base])
        return typed
