"""Photos of sheets and their pages."""

from io import BytesIO

from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from PIL import Image

from tests.support.answers import Answer
from tests.support.scenarios.evenings import ADDRESS
from tournaments.models.rounds import Picture

TABLE = f"{ADDRESS}/tables/r1t2"
PHOTOS = f"{TABLE}/photos"


def picture(shade: int = 255) -> bytes:
    into = BytesIO()
    Image.new("L", (60, 80), shade).save(into, "JPEG")
    return into.getvalue()


def upload(content: bytes, name: str = "sheet.jpg") -> SimpleUploadedFile:
    return SimpleUploadedFile(name, content, content_type="image/jpeg")


def send(client: Client, *contents: bytes, address: str = PHOTOS) -> Answer:
    return client.post(address, {"photo": [upload(content) for content in contents]}, follow=True)


def stored() -> list[tuple[int, int]]:
    pictures = Picture.objects.order_by("photo__number").select_related("photo")
    return [(picture.photo.number, len(bytes(picture.jpeg))) for picture in pictures]
