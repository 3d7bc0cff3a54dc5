"""The sign-in page: allauth's, and how the first account is created while there is none."""

from typing import Any

from allauth.account.views import LoginView

from tournaments.selectors.access.setup_links import has_accounts


class SignInView(LoginView):
    """Asks for a name and a password, once somebody has an account."""

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Return what the template prints."""
        context: dict[str, Any] = super().get_context_data(**kwargs)
        return context | {"is_first_run": not has_accounts()}
