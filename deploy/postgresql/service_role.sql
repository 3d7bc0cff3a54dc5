-- Make the role of web and worker: it reads and writes rows, and owns nothing.
-- For psql 14 or newer, as the owner of the tables with CREATEROLE, or as a superuser:
--   blacklady dbshell -- --file service_role.sql
-- SERVICE_ROLE is its name (blacklady_service), SERVICE_PASSWORD_FILE a file with its password (none).
\set ON_ERROR_STOP on
\set role blacklady_service
\getenv role SERVICE_ROLE
\set password `cat "${SERVICE_PASSWORD_FILE:-/dev/null}"`
SELECT format('CREATE ROLE %I LOGIN', :'role')
WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = :'role') \gexec
SELECT format('ALTER ROLE %I PASSWORD %L', :'role', :'password') WHERE :'password' <> '' \gexec
SELECT pg_get_userbyid(datdba) AS owner FROM pg_database WHERE datname = current_database() \gset

REVOKE CREATE ON SCHEMA public FROM PUBLIC;
GRANT USAGE ON SCHEMA public TO :"role";
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO :"role";
GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA public TO :"role";
-- Tables of later migrations.
ALTER DEFAULT PRIVILEGES FOR ROLE :"owner" IN SCHEMA public
    GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO :"role";
ALTER DEFAULT PRIVILEGES FOR ROLE :"owner" IN SCHEMA public GRANT USAGE, SELECT ON SEQUENCES TO :"role";

-- Only its owner may analyze a table, and the import of a club must.
CREATE OR REPLACE FUNCTION blacklady_analyze(tables text[]) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY tables LOOP
        EXECUTE format('ANALYZE (SKIP_LOCKED) public.%I', name);
    END LOOP;
END $$;
REVOKE ALL ON FUNCTION blacklady_analyze FROM PUBLIC;
GRANT EXECUTE ON FUNCTION blacklady_analyze TO :"role";
