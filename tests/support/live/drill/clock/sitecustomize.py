"""A clock that is wrong: Python imports this at its start where the directory is in PYTHONPATH."""

import os
from datetime import UTC, datetime, timedelta

import time_machine

STEP = timedelta(minutes=int(os.environ["CLOCK_STEP_MINUTES"]))

time_machine.travel(datetime.now(UTC) + STEP, tick=True).start()
