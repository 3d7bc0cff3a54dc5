"""What is stored, cut by subject: clubs, events, meetings, hands, standings, audit and more.

`tournaments.apps` imports these modules when Django asks for the app's models; this file stays
empty so that nobody can reach a model past the import contract. Callers name the module:
`from tournaments.models.hands import Hand`.
"""
