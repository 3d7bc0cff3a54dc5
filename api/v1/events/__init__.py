"""Events and seasons: settings, states, entrants, penalties and bonuses, the change log."""
