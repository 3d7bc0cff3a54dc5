# `make` alone lists the targets. Everything runs from `.venv`, which `setup` makes from nothing.

SHELL := /bin/bash
.DEFAULT_GOAL := help
.PHONY: help setup setup-runtime setup-dev demo run check check-others test test-all test-long mutants bench audit fmt docs dist screenshots openapi examples errors lock upgrade release
.NOTPARALLEL:
# Where this is set, every process that starts compiles all it imports, Django and the tests too.
unexport PYTHONDONTWRITEBYTECODE

PYTHON ?= python3
VENV := .venv
PY := $(VENV)/bin/python
# Two test processes at once; `make test JOBS=0` runs everything in one. Each keeps to modules, whose
# tests share what is dear to set up, until it has nothing left and takes some of the other's.
JOBS ?= 2
# Tests of the second tier mostly wait: for workers, browsers, servers that start.
WAITING_JOBS ?= $(if $(filter 0,$(JOBS)),0,$(shell expr $(JOBS) + 2))
# The order of the tests, and what `mutants` draws. The long tier draws another order each time.
SEED ?= 34
PYTEST := $(PY) -m pytest --durations 15
# Files of the second tier stay whole and begin with the longest (tests/support/tiers.py).
WHOLE_FILES := --dist loadfile --no-loadscope-reorder
# Live tests have a second attempt; what needed it is listed, and more than three fail the run.
REPEAT := --max-suite-reruns 3 --rerun-show-tracebacks -r fER
SEARCH := --dist worksteal --tier long --timeout 1800 -o faulthandler_timeout=1860
LOCK := pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	--no-emit-index-url --no-annotate --no-header

# A set is installed when its stamp carries the lock file's hash, so a changed lock file makes it stale.
stamp = $(VENV)/.$(1)-$(shell sha256sum $(2) | cut -c1-16)
RUNTIME_STAMP := $(call stamp,runtime,requirements.txt)
DEV_STAMP := $(call stamp,dev,requirements-dev.txt)

# The templates, without the mails, whose bytes stay. Their pages send the indentation, so it is small.
DJHTML = git ls-files '*.html' ':!templates/mail' | xargs $(VENV)/bin/djhtml --tabwidth 1

# What a club's server sets; `check` looks at the settings that come of it and connects to nothing.
PRODUCTION = DATABASE_URL=postgres://blacklady@127.0.0.1/blacklady BROKER_URL=redis://127.0.0.1/0 \
	CACHE_URL=redis://127.0.0.1/1 SECRET_KEY=$$(head -c 48 /dev/urandom | base64 -w 0) \
	EMAIL_URL=consolemail:// ALLOWED_HOSTS=blacklady.example CSRF_TRUSTED_ORIGINS=https://blacklady.example \
	STATIC_ROOT=var/check-static REQUIRE_SECOND_FACTOR=owners HSTS_SUBDOMAINS=1

help:  ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## (.*)/  make \1\t\2/' | expand -t 20

setup: setup-dev  ## make .venv with everything that development needs

demo: setup-runtime  ## import, publish and serve the demo club (PORT=8000, DEMO_SERVE=0 only prints)
	@$(PY) manage.py demo

run: setup-runtime  ## serve what is in the database: web and worker together, until Ctrl-C
	@$(PY) manage.py serve

check: setup-dev  ## format, lint, types, import contracts, migrations, deploy checks, lock files
	@# The types take one processor, and longer than all the others together.
	$(PY) -m mypy & types=$$!; $(MAKE) --no-print-directory check-others; others=$$?; \
		wait $$types && exit $$others

check-others:
	$(PY) -m ruff format --check .
	$(PY) -m ruff check .
	$(DJHTML) --check
	$(PY) -m tests.support.template_lines
	$(VENV)/bin/lint-imports
	$(PY) manage.py makemigrations --check --dry-run
	$(PRODUCTION) $(PY) manage.py collectstatic --noinput --verbosity 0 \
		--ignore drf_spectacular_sidecar  # large, and not ours
	$(PRODUCTION) $(PY) manage.py check --deploy --fail-level WARNING
	$(VENV)/bin/check-jsonschema --builtin-schema vendor.compose-spec docker-compose.yml
	$(PY) -m tests.support.density

test: setup-dev  ## run the tests without servers and browsers, on PostgreSQL where there is one (5 minutes)
	$(PYTEST) -n $(JOBS) --dist worksteal --randomly-seed $(SEED) $(REPEAT) --tier test

test-all: setup-dev  ## run what `test` leaves out: servers, workers, proxies, browsers, faults (10 minutes)
	$(PYTEST) -n $(WAITING_JOBS) $(WHOLE_FILES) --randomly-seed $(SEED) $(REPEAT) --tier all

test-long: setup-dev  ## search at random and at full length: examples, operations, kills, fuzzing, every page at every size
	$(PYTEST) -n $(JOBS) $(SEARCH) --database postgresql
	$(PYTEST) -n $(WAITING_JOBS) $(SEARCH) --database sqlite

mutants: setup-dev  ## put small faults into lines of a range, see which no test notices (RANGE=0.5.0..HEAD SEED=34 NUMBER=200 ONLY=folder)
	$(PY) -m tests.support.mutants --seed $(SEED) --jobs $(JOBS) $(if $(RANGE),--range $(RANGE)) \
		$(if $(NUMBER),--number $(NUMBER)) $(if $(ONLY),--only $(ONLY))

bench: setup-dev  ## measure the goals of docs/performance.md on PostgreSQL and SQLite (some minutes; BENCH="--part evening" for a part)
	$(PY) -m benchmarks $(BENCH)

audit: setup-dev  ## look the pinned versions up among known weaknesses, and say what was not reached (needs the network)
	$(PY) -m releasing.audit

fmt: setup-dev  ## format the code, indent the templates and mend what the linter can mend
	$(PY) -m ruff format .
	$(PY) -m ruff check --fix .
	$(DJHTML)

docs: setup-dev  ## check that the documentation tells the truth
	$(PY) -m pytest tests/conventions -q

dist: setup-dev  ## build dist/: the wheel, the source archive, and the tested versions of what the wheel needs
	rm -rf dist
	$(PY) -m hatchling build --target sdist --target wheel
	cp requirements.txt dist/

screenshots: setup-dev  ## take the screenshots of the quick start and of the main pages anew (needs Chromium)
	$(PY) -m tests.support.quick_start docs/images
	$(PY) -m tests.support.main_pages docs/images

openapi: setup-dev  ## write openapi.yaml from the code
	$(PY) manage.py spectacular --file openapi.yaml

examples: setup-dev  ## write the examples of the OpenAPI document (api/examples) from what the tests' requests answer
	WRITE_EXAMPLES=1 $(PY) -m pytest -q -n $(JOBS) tests/api/http/test_examples.py || true
	$(PY) -m pytest -q -n $(JOBS) tests/api/http/test_examples.py

errors: setup-dev  ## write the subjects and operations of docs/errors.md from the code
	WRITE_ERRORS=1 $(PY) -m pytest -q -k is_explained tests/api/http/test_problem_details.py || true
	$(PY) -m pytest -q -k is_explained tests/api/http/test_problem_details.py

lock: setup-dev  ## resolve requirements*.in again into the hashed lock files
	$(VENV)/bin/uv $(LOCK) requirements.in -o requirements.txt
	$(VENV)/bin/uv $(LOCK) requirements-uv.in -o requirements-uv.txt
	$(VENV)/bin/uv $(LOCK) requirements-build.in -o requirements-build.txt
	$(VENV)/bin/uv $(LOCK) requirements-dev.in -o requirements-dev.txt

upgrade: setup-dev  ## resolve newer versions of all packages, or of one (PACKAGE=django)
	$(VENV)/bin/uv $(LOCK) $(if $(PACKAGE),--upgrade-package $(PACKAGE),--upgrade) requirements.in -o requirements.txt
	$(VENV)/bin/uv $(LOCK) $(if $(PACKAGE),--upgrade-package $(PACKAGE),--upgrade) requirements-uv.in -o requirements-uv.txt
	$(VENV)/bin/uv $(LOCK) $(if $(PACKAGE),--upgrade-package $(PACKAGE),--upgrade) requirements-build.in -o requirements-build.txt
	$(VENV)/bin/uv $(LOCK) $(if $(PACKAGE),--upgrade-package $(PACKAGE),--upgrade) requirements-dev.in -o requirements-dev.txt

release: setup-dev  ## collect the changelog, tag the version and record it (VERSION=x.y.z; on a clean main)
	$(PY) -m releasing $(VERSION)

setup-runtime:
	@PYTHON="$(PYTHON)" .ci/setup runtime $(RUNTIME_STAMP)

setup-dev:
	@PYTHON="$(PYTHON)" .ci/setup dev $(DEV_STAMP)
