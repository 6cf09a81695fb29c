import { required, type Settings } from '../../domain/settings/settings.ts';
import { Refusal } from '../../runtime/supervisor/refusal.ts';

/** Refuses, in a sentence, to continue while PostgreSQL is not there. */
export async function reachableDatabase(settings: Settings): Promise<void> {
  const url = required(settings, 'DATABASE_URL');
  const problem = await whyUnreachable(url);
  if (problem === undefined) return;
  const cure = process.env.DATABASE_URL ? 'start it, or correct DATABASE_URL' : 'start it with `./ballast up`';
  throw new Refusal(`PostgreSQL at ${databasePlace(url)} cannot be used (${problem}); ${cure}.`);
}

/** Where a PostgreSQL is, without the password: its host and port, or the directory of its socket. */
export function databasePlace(url: string): string {
  const { hostname, port, searchParams } = new URL(url);
  const host = searchParams.get('host') ?? decodeURIComponent(hostname);
  return host.startsWith('/') ? host : `${host}:${port || '5432'}`;
}

export async function whyUnreachable(url: string): Promise<string | undefined> {
  const { Client } = await import('pg');
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 5000, query_timeout: 5000 });
  client.on('error', () => {});
  try {
    await client.connect();
    const { rows } = await client.query("select current_setting('server_version_num')::int as version");
    const major = Math.floor(Number(rows[0]?.version) / 10_000);
    return major < 15 ? `it is version ${major}, and 15 is the oldest that will do` : undefined;
  } catch (error) {
    const first = error instanceof AggregateError ? error.errors[0] : error;
    return first instanceof Error ? first.message : String(first);
  } finally {
    await client.end().catch(() => {});
  }
}
