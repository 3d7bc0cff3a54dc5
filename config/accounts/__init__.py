"""Accounts: sign-in, its pace, second factors and sessions."""
