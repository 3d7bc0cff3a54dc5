"""Parts of addresses that the packages of `api/v1` share, with their converters."""

from typing import Final

from django.urls import register_converter

from api.query_parameters import NameConverter, NumberConverter

register_converter(NameConverter, "name")
register_converter(NumberConverter, "number")

CLUB: Final = "clubs/<name:club>"
HOUSE: Final = f"{CLUB}/variants/<name:house>"
VERSION: Final = f"{HOUSE}/versions/<number:number>"
WEBHOOK: Final = f"{CLUB}/webhooks/<name:webhook>"
CLAIM: Final = f"{CLUB}/claims/<uuid:claim>"
SEASON: Final = f"{CLUB}/seasons/<name:season>"
EVENT: Final = f"{CLUB}/events/<name:event>"
TABLE: Final = f"{EVENT}/tables/<name:code>"
PLAYOFF: Final = f"{EVENT}/playoffs/<number:number>"
HAND: Final = f"{TABLE}/hands/<number:number>"
LADDER: Final = f"{EVENT}/ladder"
PUBLICATION: Final = f"{EVENT}/publications/<number:number>"
