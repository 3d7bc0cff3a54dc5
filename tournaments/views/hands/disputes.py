""" "Report a problem" with a hand, and the rulings of directors."""

from collections.abc import Iterable
from typing import ClassVar

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tournaments.errors import Forbidden
from tournaments.models.events import Event
from tournaments.models.hands import Dispute, DisputeState
from tournaments.selectors.clubs.clubs import may_do
from tournaments.selectors.hands import disputes as found_disputes
from tournaments.selectors.hands import score_sheet
from tournaments.selectors.hands.score_sheet_views import HandView
from tournaments.services.hands.disputes import open_dispute, rule_on_dispute, withdraw_dispute
from tournaments.views.hands.hand_form_fields import natural_number
from tournaments.views.http import layout
from tournaments.views.http.decorators import event_form_page, event_page
from tournaments.views.http.layout import PageRequest
from tournaments.views.http.pages import done, go_to, render_event, render_table
from tournaments.views.http.service_form import (
    ReasonForm,
    RefusalMessages,
    ServiceForm,
    hidden_field,
    operation_of,
    posted,
    submit,
)


class DisputeForm(ServiceForm):
    """Which hand of a table is wrong, and what about it.

    Args:
        hands: numbers of the table's hands, each with its name.
    """

    required_fields = ("hand",)
    sentences: ClassVar = {"reason_required": gettext_lazy("Describe the problem in one sentence.")}
    argument_names: ClassVar = {"hand": "number"}
    hand = forms.IntegerField(
        label=gettext_lazy("Hand"),
        error_messages=dict.fromkeys(
            ("required", "invalid"), gettext_lazy("Choose a hand of this table.")
        ),
    )
    words = forms.CharField(
        label=gettext_lazy("Problem"),
        max_length=500,
        help_text=gettext_lazy(
            "One sentence. Only your table, and the hosts and directors of the club, read it."
        ),
        widget=forms.Textarea(attrs={"rows": 2}),
    )

    def __init__(
        self, data: object = None, *, hands: Iterable[tuple[int | str, str]] = (), **more: object
    ) -> None:
        super().__init__(data, **more)
        hands = list(hands)
        if len(hands) > 1:
            hands.insert(0, ("", _("Choose a hand")))
        self.fields["hand"].widget = forms.Select(choices=hands)


class RulingForm(ReasonForm):
    argument_names: ClassVar = {"reason": "ruling"}
    to = hidden_field()
    all_of_person = forms.BooleanField(
        label=gettext_lazy("Rule on all open disputes of this person in the event")
    )


@event_page("read_public")
def disputes(request: PageRequest, event: Event) -> HttpResponse:
    rows = found_disputes.visible_disputes(
        request.actor, event, found_disputes.list_disputes(event)
    )
    context = {
        "disputes": sorted(rows, key=lambda row: (row.state != DisputeState.OPEN, row.number)),
        "n_open": sum(row.state == DisputeState.OPEN for row in rows),
        "may_rule": may_do(event, "rule_on_disputes"),
        "own": request.actor.label,
    }
    return render_event(request, "hands/disputes.html", event, context)


@event_form_page((open_dispute, DisputeForm), at_table=True)
def dispute(request: PageRequest, event: Event, code: str) -> HttpResponse:
    sheet = score_sheet.table_sheet(event, code)
    game = score_sheet.get_game(event, code)
    is_over = event.state == "final"
    if not is_over and not found_disputes.may_dispute(request.actor, event, code):
        raise Forbidden("open_dispute")
    if "withdraw" in request.POST:
        number = natural_number(request.POST["withdraw"]) or 0
        with RefusalMessages(request):
            withdraw_dispute(operation_of(request), found_disputes.get_dispute(event, number))
            messages.success(request, _("Dispute %(number)s withdrawn.") % {"number": number})
        return go_to("table", event, code=code)
    hands = [(hand.number, _hand_name(hand)) for hand in sheet.hands]
    form = DisputeForm(posted(request), hands=hands, initial={"hand": request.GET.get("hand", "")})
    opened = submit(request, form, open_dispute, game)
    if opened is not None:
        text = _("Dispute %(number)s is open. The hand still counts until a director rules on it.")
        notice = text % {"number": opened.number}
        number = form.cleaned_data["hand"]
        return done(request, notice, "hand", event, code=code, number=number)
    own_disputes = found_disputes.list_disputes(event).filter(
        hand__game=game, opened_label=request.actor.label, state=DisputeState.OPEN
    )
    context = {"form": form, "own": list(own_disputes), "is_over": is_over}
    return render_table(request, "hands/dispute.html", event, sheet, context, form)


@event_form_page((rule_on_dispute, RulingForm))
def rule(request: PageRequest, event: Event, number: int) -> HttpResponse:
    row = found_disputes.get_dispute(event, number)
    form = RulingForm(posted(request))
    of_person = found_disputes.list_open_of_opener(event, row.opened_label)
    n_others = of_person.exclude(pk=row.pk).count()
    ruled = submit(request, form, rule_on_dispute, row)
    if ruled is not None and form.cleaned_data["all_of_person"] and n_others:
        facts = {"n": n_others + 1}
        notice = _("%(n)s disputes of one person upheld. Correct their hands now.") % facts
        if ruled.state == DisputeState.REJECTED:
            notice = _("%(n)s disputes of one person rejected. The hands stay as they are.") % facts
        return done(request, notice, "disputes", event)
    if ruled is not None:
        return _after_ruling(request, event, ruled)
    code = row.hand.game.table.code
    hand = row.hand.number
    sheet = score_sheet.table_sheet(event, code)
    context = {
        "dispute": row,
        "sheet": sheet,
        "hand": next(table_hand for table_hand in sheet.hands if table_hand.number == hand),
        "form": form,
        "n_others": n_others,
    }
    crumbs = (layout.link_to(_("Disputes"), "disputes", event),)
    page = "hands/rule_on_dispute.html"
    return render_event(request, page, event, context, form, crumbs=crumbs)


@event_form_page((withdraw_dispute, ReasonForm))
def withdraw(request: PageRequest, event: Event, number: int) -> HttpResponse:
    row = found_disputes.get_dispute(event, number)
    if row.opened_label != request.actor.label and not may_do(event, "rule_on_disputes"):
        raise Forbidden("rule_on_disputes")
    form = ReasonForm(posted(request))
    if submit(request, form, withdraw_dispute, row) is not None:
        notice = _("Dispute %(number)s withdrawn.") % {"number": number}
        return done(request, notice, "disputes", event)
    context = {"dispute": row, "form": form}
    crumbs = (layout.link_to(_("Disputes"), "disputes", event),)
    page = "hands/withdraw_dispute.html"
    return render_event(request, page, event, context, form, crumbs=crumbs)


def _after_ruling(request: PageRequest, event: Event, ruled: Dispute) -> HttpResponse:
    number = {"number": ruled.number}
    if ruled.state == DisputeState.REJECTED:
        notice = _("Dispute %(number)s rejected. The hand stays as it is.") % number
        return done(request, notice, "disputes", event)
    notice = _("Dispute %(number)s upheld. Correct the hand now.") % number
    code = ruled.hand.game.table.code
    hand = ruled.hand.number
    if not hand:
        return done(request, notice, "totals", event, code=code)
    return done(request, notice, "edit-hand", event, code=code, number=hand)


def _hand_name(hand: HandView) -> str:
    if not hand.number:
        return _("Totals")
    return _("Hand %(number)s") % {"number": hand.number}
