"""Addresses of boards below `/api/v1/`."""

from django.urls import URLPattern, path

from api.v1.addresses import EVENT
from api.v1.boards import boards

urlpatterns: list[URLPattern] = [
    *boards.BOARDS.paths(f"{EVENT}/boards", writes=boards.make_deals_view),
    path(f"{EVENT}/boards/hand-records.pdf", boards.print_hand_records, name="print_hand_records"),
    path(f"{EVENT}/boards/print", boards.print_deals_view, name="print_deals"),
    path(f"{EVENT}/boards/delete", boards.delete_deals_view, name="delete_deals"),
    path(f"{EVENT}/boards/<number:number>", boards.read_board, name="read_board"),
    *boards.RESULTS.paths(f"{EVENT}/boards/<number:number>/results"),
]
