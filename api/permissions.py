"""Permission classes: every view names one, and a view that names none is refused.

Selectors and services check what a caller may see or do, with the role table
(`tournaments/policy.py`); complaints about the content wait for that (`api/permission_first.py`).
"""

from rest_framework.permissions import SAFE_METHODS, BasePermission
from rest_framework.request import Request

from api.authentication import known_caller


class DenyAll(BasePermission):
    """The default: a view that names no permission answers nobody, not even administrators."""

    def has_permission(self, request: Request, view: object) -> bool:
        """Return no."""
        return False


class KnownCallerOrReadOnly(BasePermission):
    """Writes need a known caller; reads, and methods that do not exist, pass."""

    def has_permission(self, request: Request, view: object) -> bool:
        """Return whether the caller is known.

        Raises:
            NotAuthenticated: 401 not_signed_in.
            BadRequest: 404 link_opens_nothing.
        """
        method = request.method or ""
        if method not in SAFE_METHODS and hasattr(view, method.lower()):
            known_caller(request)
        return True
