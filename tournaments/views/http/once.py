"""A form that is sent twice from one page is stored once, and both get the first answer.

The key is the page's CSRF token, which Django masks anew for each page that it renders, with the
content of the form: a form that was corrected is another one, and so is that of another page.
"""

import hashlib
import json
import time
from collections.abc import Callable
from typing import Final

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _

from tournaments.domain.sealing import seal, unseal
from tournaments.services.audit.idempotency import FormRepeated, FormReply, StoredAnswer
from tournaments.services.db.transactions import first_write
from tournaments.views.http.layout import PageRequest

TOKEN: Final = "csrfmiddlewaretoken"  # noqa: S105 - the name of a field
OF_QUEUE: Final = "X-Outbox"
"""The header of hands that a device sends from its queue, which have keys of their own."""
MOST_BYTES: Final = 1024 * 1024
"""Size of an answer that is stored; after a larger one a repeated form leads to its page."""
LOOKS: Final = 40
PAUSE_S: Final = 0.05
"""How often, and at what distance, a repeated form looks for the answer to the first."""
_MESSAGES: Final = "messages"
_HEADERS: Final = ("Location", "Content-Type", "Content-Disposition")


def answer_once(request: PageRequest, view: Callable[[], HttpResponse]) -> HttpResponse:
    """Return the answer of a view; that to the first of two equal forms where it is stored.

    htmx and the queue of a device repeat requests on purpose, and are answered each time.
    """
    is_form = request.method == "POST" and TOKEN in request.POST
    if not is_form or request.htmx or OF_QUEUE in request.headers:
        return view()
    reply = FormReply(request.actor.label, _digest(request), timezone.now())
    if reply.stored() is not None:
        return _answer_again(request, reply)
    try:
        with first_write(reply.claim):
            response = view()
    except FormRepeated:
        return _answer_again(request, reply)
    if reply.is_claimed:
        reply.finish(_to_store(request, response) if response.status_code < 400 else None)
    return response


def _digest(request: PageRequest) -> str:
    digest = hashlib.sha256(request.get_full_path().encode())
    for name, values in sorted(request.POST.lists()):
        digest.update(repr((name, values)).encode())
    for name, files in sorted(request.FILES.lists()):
        for file in files:
            digest.update(repr((name, file.name)).encode())
            for chunk in file.chunks():
                digest.update(chunk)
            file.seek(0)
    return digest.hexdigest()


def _to_store(request: PageRequest, response: HttpResponse) -> StoredAnswer:
    headers = {name: response[name] for name in _HEADERS if name in response}
    queued = getattr(getattr(request, "_messages", ()), "_queued_messages", ())
    headers[_MESSAGES] = json.dumps([[each.level, str(each.message)] for each in queued])
    body = b"" if response.streaming else response.content
    is_whole = not response.streaming and len(body) <= MOST_BYTES
    return StoredAnswer(response.status_code if is_whole else 0, headers, seal(body))


def _answer_again(request: PageRequest, reply: FormReply) -> HttpResponse:
    for look in range(LOOKS):
        stored = reply.stored()
        if stored is None or stored.status is not None:
            break
        time.sleep(PAUSE_S if look + 1 < LOOKS else 0)
    if stored is None or not stored.status:
        messages.info(request, _("This is saved already."))
        return redirect(request.get_full_path())
    headers = dict(stored.headers)
    for level, text in json.loads(headers.pop(_MESSAGES)):
        messages.add_message(request, level, text)
    return HttpResponse(unseal(bytes(stored.body)), status=stored.status, headers=headers)
