"""The answer with a PDF file."""

from django.http import HttpResponse


def pdf_response(content: bytes, name: str) -> HttpResponse:
    """Return a PDF file to be shown in the browser; `name` is made of slugs."""
    response = HttpResponse(content, content_type="application/pdf")
    response["Content-Disposition"] = f'inline; filename="{name}"'
    return response
