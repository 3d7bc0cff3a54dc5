"""The process that measures on one database: `python -m benchmarks.child MODULE ARGUMENTS…`.

Django is set up before the module is imported, because models cannot be imported sooner.
"""

import signal
import sys
from importlib import import_module

import django
from django.conf import settings


def main() -> None:
    end_in_order()
    django.setup()
    settings.ROOT_URLCONF = "benchmarks.addresses"
    import_module(f"benchmarks.{sys.argv[1]}").main(sys.argv[2:])


def end_in_order() -> None:
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))


if __name__ == "__main__":
    main()
