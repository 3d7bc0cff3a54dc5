"""Headers of security on every answer, also on those of middleware."""

from django.http import HttpRequest
from django.middleware.security import SecurityMiddleware


class SecurityHeaders(SecurityMiddleware):
    """Django's headers, outside of probes, preflights and refusals; it redirects nothing to TLS."""

    def process_request(self, request: HttpRequest) -> None:
        """Leave the redirect to the inner middleware: probes come by plain HTTP, for any host."""
