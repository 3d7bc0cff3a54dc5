# The image of every role: `docker compose build`. The package index is the builder's own: pass a
# pip.conf with `docker build --secret id=pip_conf,src=/path/to/pip.conf .`, or nothing for pip's
# default. Everything is checked against the hashes of the lock files.
FROM python:3.11.14-slim-bookworm AS build

ENV PIP_DISABLE_PIP_VERSION_CHECK=1 \
    PIP_NO_CACHE_DIR=1 \
    PIP_ROOT_USER_ACTION=ignore

WORKDIR /src
COPY requirements.txt requirements-build.txt ./
RUN --mount=type=secret,id=pip_conf,target=/etc/pip.conf \
    python -m venv --without-pip /opt/blacklady \
    && pip --python /opt/blacklady/bin/python install --require-hashes -r requirements.txt \
    && pip install --require-hashes -r requirements-build.txt
COPY . .
# The key is for this one command only; it reads no data and signs nothing.
RUN python -m hatchling build --target wheel \
    && pip --python /opt/blacklady/bin/python install --no-deps --no-index dist/*.whl \
    && SECRET_KEY=only-to-collect EMAIL_URL=consolemail:// STATIC_COLLECTED=1 \
       BLACKLADY_HOME=/tmp/home STATIC_ROOT=/srv/blacklady/static \
       /opt/blacklady/bin/blacklady collectstatic --noinput --verbosity 0


FROM python:3.11.14-slim-bookworm

# pg_dump and pg_restore for backups; nothing that installs or compiles stays.
RUN apt-get update \
    && apt-get install --yes --no-install-recommends postgresql-client-15 \
    && rm -rf /var/lib/apt/lists/* \
    && python -m pip uninstall --yes pip setuptools wheel \
    && useradd --system --uid 10001 --user-group --home-dir /var/lib/blacklady --no-create-home blacklady \
    && install -d -o blacklady -g blacklady -m 0700 /var/lib/blacklady /var/lib/blacklady/tmp /var/backups/blacklady

COPY --from=build /opt/blacklady /opt/blacklady
COPY --from=build /srv/blacklady/static /srv/blacklady/static

# Large request bodies wait in TMPDIR, on the disk and not in memory.
ENV PATH=/opt/blacklady/bin:$PATH \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1 \
    BLACKLADY_HOME=/var/lib/blacklady \
    STATIC_ROOT=/srv/blacklady/static \
    TMPDIR=/var/lib/blacklady/tmp

USER blacklady
WORKDIR /var/lib/blacklady
VOLUME /var/lib/blacklady
EXPOSE 8000
HEALTHCHECK --interval=10s --timeout=5s --start-period=20s \
    CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8000/readyz', timeout=3)"]
CMD ["blacklady", "web", "--host", "0.0.0.0", "--port", "8000", "--workers", "2"]
