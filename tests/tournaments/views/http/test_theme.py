"""Appearance by choice, without a script; signing in and out."""

import pytest
from django.contrib.auth.models import User
from django.test import Client

pytestmark = pytest.mark.django_db


def test_chosen_scheme_is_kept_and_set_by_the_server(client: Client) -> None:
    assert b"data-theme" not in client.get("/").content
    chosen = client.post("/theme", {"theme": "dark", "next": "/clubs/x?y=1"})
    assert chosen["Location"] == "/clubs/x?y=1"
    assert b'<html lang="en" data-theme="dark">' in client.get("/").content
    client.post("/theme", {"theme": ""})
    assert b"data-theme" not in client.get("/").content


def test_cookie_with_another_word_is_no_scheme(client: Client) -> None:
    client.cookies["theme"] = '"><script>'
    page = client.get("/").content
    assert b"data-theme" not in page
    assert b'"><script>' not in page


@pytest.mark.parametrize("elsewhere", ["https://evil.example/", "//evil.example", "javascript:x"])
def test_way_back_never_leads_to_another_site(client: Client, elsewhere: str) -> None:
    assert client.post("/theme", {"theme": "dark", "next": elsewhere})["Location"] == "/"
    assert elsewhere.encode() not in client.get("/theme", {"next": elsewhere}).content


def test_sign_in_leads_back_and_a_wrong_password_says_so(client: Client) -> None:
    User.objects.create_user("olga", password="clubs are trumps")
    wrong = client.post("/accounts/login/", {"login": "olga", "password": "hearts"})
    assert wrong.status_code == 200
    assert "Sign-in failed" in wrong.content.decode()
    assert 'value="olga"' in wrong.content.decode()
    right = {"login": "olga", "password": "clubs are trumps", "next": "/theme"}
    assert client.post("/accounts/login/", right)["Location"] == "/theme"
    assert b"<b>olga</b>" in client.get("/").content
    assert b"You are signed in as olga" in client.get("/accounts/logout/").content
    client.post("/accounts/logout/")
    assert b"Sign in" in client.get("/").content


@pytest.mark.parametrize("path", ["/accounts/login/", "/accounts/password/reset/"])
def test_sign_in_pages_wear_the_look(client: Client, path: str) -> None:
    page = client.get(path).content.decode()
    assert "look.css" in page
    assert page.count("<label") == page.count("<input") - page.count('type="hidden"')
