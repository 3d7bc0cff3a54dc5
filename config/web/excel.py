"""`?for=excel` of a CSV file: the mark at its beginning that lets Excel read its accents."""

import codecs
from collections.abc import Callable

from django.http import HttpRequest, HttpResponse, HttpResponseBase

PARAMETER = "for"
EXCEL = "excel"


def csv_for_excel(
    get_response: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """Put the mark of UTF-8 before a CSV file that is asked for with `?for=excel`.

    The view does not see the parameter, and the file has no `ETag`: that of the view belongs to the
    bytes without the mark.
    """

    def respond(request: HttpRequest) -> HttpResponseBase:
        if not request.path.endswith(".csv") or request.GET.get(PARAMETER) != EXCEL:
            return get_response(request)
        query = request.GET.copy()
        del query[PARAMETER]
        request.GET = query  # type: ignore[assignment]  # the stubs want one that cannot change
        request.META["QUERY_STRING"] = query.urlencode()
        response = get_response(request)
        is_csv = response.headers.get("Content-Type", "").startswith("text/csv")
        if is_csv and isinstance(response, HttpResponse):
            response.content = codecs.BOM_UTF8 + response.content
            if response.has_header("ETag"):
                del response["ETag"]
        return response

    return respond
