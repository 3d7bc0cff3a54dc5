"""The models, a module for each subject: clubs, events, meetings, hands, standings, audit and more.

`tournaments.apps` imports these modules when Django asks for the app's models; this file stays
empty so that no model can be imported past the import contract. Callers name the module:
`from tournaments.models.hands import Hand`.
"""
