"""What a web process loads before it answers."""

import socket
from typing import Any

import pytest
from django.template import Engine
from django.test import Client

from config.web.server import load
from tournaments.management.service import OWN, listen


@pytest.mark.django_db
def test_first_page_of_a_loaded_process_reads_no_template(monkeypatch: pytest.MonkeyPatch) -> None:
    cached: Any = Engine.get_default().template_loaders[0]
    cached.reset()
    load()
    for directory_loader in cached.loaders:
        monkeypatch.setattr(directory_loader, "get_template_sources", lambda name: [])
    assert Client().get("/").status_code == 200


def test_port_of_web_refuses_until_a_process_is_loaded() -> None:
    with listen(OWN, 0, at_once=False) as listening:
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection(listening.getsockname())
        listening.listen()
        socket.create_connection(listening.getsockname()).close()
