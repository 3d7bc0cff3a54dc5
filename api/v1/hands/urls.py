"""Addresses of hands below `/api/v1/`."""

from django.urls import URLPattern, path

from api.openapi import together
from api.v1.addresses import EVENT, HAND, TABLE
from api.v1.hands import change_players, disputes, double_entry, entries, hands, previews
from api.v1.rounds import tables

urlpatterns: list[URLPattern] = [
    *hands.HANDS.paths(f"{EVENT}/hands"),
    *disputes.DISPUTES.paths(f"{EVENT}/disputes", writes=disputes.open_dispute_view),
    path(
        f"{EVENT}/disputes/<number:number>/rule",
        disputes.rule_on_dispute_view,
        name="rule_on_dispute",
    ),
    path(
        f"{EVENT}/disputes/<number:number>/withdraw",
        disputes.withdraw_dispute_view,
        name="withdraw_dispute",
    ),
    path(
        f"{TABLE}/double-entry",
        together(double_entry.read_double_entry, double_entry.enter_second_view),
        name="read_double_entry",
    ),
    path(
        f"{TABLE}/double-entry/<number:number>", double_entry.decide_entry_view, name="decide_entry"
    ),
    path(f"{TABLE}/disputed-hands", disputes.file_disputed_view, name="file_disputed"),
    path(f"{TABLE}/totals", hands.enter_totals, name="enter_totals"),
    path(f"{TABLE}/seats", change_players.SEATS, name="read_seats"),
    path(f"{TABLE}/seats/preview", change_players.preview_seats, name="preview_seats"),
    *tables.HANDS.paths(f"{TABLE}/hands", writes=entries.enter_hand),
    path(HAND, together(tables.read_hand, entries.revise_hand), name="read_hand"),
    path(f"{HAND}/void", hands.delete_hand_view, name="delete_hand"),
    path(f"{HAND}/restore", hands.restore_hand_view, name="restore_hand"),
    path(f"{TABLE}/disputes", disputes.open_table_dispute_view, name="open_table_dispute"),
    path(f"{HAND}/preview", previews.preview_hand, name="preview_hand"),
]
