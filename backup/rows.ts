import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createZstdDecompress } from 'node:zlib';
import { Client, escapeIdentifier } from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import { extract } from 'tar-stream';
import { migrateTo } from '../db/migrations/migrate.ts';
import { connectionOptions } from '../db/postgres/database.ts';
import { Refusal } from '../runtime/supervisor/refusal.ts';
import { addBytes, archived } from './archive.ts';

/** Hints for those who listen now, told by ids of transactions that no other server has. */
const ofTheMoment = ['change_feed', 'log_relay'];
const pieceBytes = 8 * 1024 * 1024;

/**
 * The rows of a PostgreSQL of one's own, as of one moment: each table by COPY, the sequences, and the migration that its tables
 * are of. It takes no right but that of the owner of the database, and fits any later major version.
 */
export function rowsOf(url: string): Readable {
  return archived(async (archive) => {
    await connected(url, async (client) => {
      await client.query('begin isolation level repeatable read read only');
      const migrations = await column(client, 'select name from migration order by id');
      await addBytes(archive, 'migrations', migrations.join('\n'));
      for (const table of await tablesOf(client)) {
        const names = (await columnsOf(client, table)).map(escapeIdentifier).join(', ');
        await addBytes(archive, `columns/${table}`, names);
        const copy = client.query(
          copyTo(`copy (select ${names} from ${escapeIdentifier(table)}) to stdout with (format binary)`),
        );
        let number = 0;
        for await (const piece of pieces(copy)) {
          number += 1;
          await addBytes(archive, `rows/${table}/${number}`, piece);
        }
      }
      const sequences = `select schemaname || '.' || sequencename || ' ' || coalesce(last_value, 0) from pg_sequences where schemaname = 'public'`;
      await addBytes(archive, 'sequences', (await column(client, sequences)).join('\n'));
      await client.query('commit');
    });
  });
}

async function* pieces(stream: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let gathered: Buffer[] = [];
  let bytes = 0;
  for await (const piece of stream) {
    gathered.push(piece);
    bytes += piece.length;
    if (bytes < pieceBytes) continue;
    yield Buffer.concat(gathered);
    [gathered, bytes] = [[], 0];
  }
  if (bytes > 0) yield Buffer.concat(gathered);
}

/** Brings an empty database to the tables that the rows are of, and copies them in, all or none. */
export async function restoreRows(url: string, source: Readable): Promise<void> {
  await connected(url, async (client) => {
    const [there] = await column(client, "select count(*)::text from pg_tables where schemaname = 'public'");
    if (there !== '0') {
      throw new Refusal(
        'The database that DATABASE_URL names has tables, and a restore overwrites none; name an empty one.',
      );
    }
  });
  const entries = extract();
  const reading = pipeline(source, createZstdDecompress(), entries);
  reading.catch(() => {});
  await connected(url, async (client) => {
    const loading = new Loading(client, url);
    try {
      for await (const entry of entries) {
        const bytes: Buffer[] = [];
        for await (const piece of entry) bytes.push(piece as Buffer);
        await loading.take(entry.header.name, Buffer.concat(bytes));
      }
      await reading;
      await loading.end();
    } catch (error) {
      await client.query('rollback').catch(() => {});
      throw error;
    }
  });
}

/** Takes the entries of an archive in their order. */
class Loading {
  readonly #client: Client;
  readonly #url: string;
  #columns = '';
  #table: { name: string; stream: ReturnType<typeof copyFrom> } | undefined;
  #constraints: { table: string; name: string; definition: string }[] = [];

  constructor(client: Client, url: string) {
    this.#client = client;
    this.#url = url;
  }

  async take(entry: string, bytes: Buffer): Promise<void> {
    const [kind, table = ''] = entry.split('/');
    if (kind === 'rows') return await this.#rows(table, bytes);
    await this.#endTable();
    if (kind === 'columns') this.#columns = bytes.toString();
    else if (kind === 'migrations') await this.#begin(bytes.toString().split('\n'));
    else if (kind === 'sequences') await this.#sequences(bytes.toString().split('\n'));
    else throw new Refusal(`The rows of the backup hold ${JSON.stringify(entry)}, which this version does not know.`);
  }

  async end(): Promise<void> {
    await this.#endTable();
    for (const table of await tablesOf(this.#client))
      await this.#client.query(`alter table ${escapeIdentifier(table)} enable trigger user`);
    for (const { table, name, definition } of this.#constraints)
      await this.#client.query(`alter table ${table} add constraint ${escapeIdentifier(name)} ${definition}`);
    await this.#client.query('commit');
  }

  /** Tables as they were; what a later version has added comes with its first start. */
  async #begin(migrations: string[]): Promise<void> {
    await migrateTo(this.#url, migrations);
    await this.#client.query('begin');
    // Rows come table by table, whatever they refer to. Only the owner of the server could switch the checks off.
    const keys = await this.#client.query(
      `select conrelid::regclass::text as table, conname as name, pg_get_constraintdef(oid) as definition
       from pg_constraint where contype = 'f' and connamespace = 'public'::regnamespace and conparentid = 0`,
    );
    this.#constraints = keys.rows;
    for (const { table, name } of this.#constraints)
      await this.#client.query(`alter table ${table} drop constraint ${escapeIdentifier(name)}`);
    for (const table of await tablesOf(this.#client)) {
      // The migrations have left rows of their own, which the copied ones replace.
      await this.#client.query(`alter table ${escapeIdentifier(table)} disable trigger user`);
      if (table !== 'migration') await this.#client.query(`delete from ${escapeIdentifier(table)}`);
    }
  }

  async #rows(table: string, bytes: Buffer): Promise<void> {
    if (this.#table !== undefined && this.#table.name !== table) await this.#endTable();
    if (table === 'migration') return;
    this.#table ??= {
      name: table,
      stream: this.#client.query(
        copyFrom(`copy ${escapeIdentifier(table)} (${this.#columns}) from stdin with (format binary)`),
      ),
    };
    const { stream } = this.#table;
    await new Promise<void>((resolve, reject) => stream.write(bytes, (error) => (error ? reject(error) : resolve())));
  }

  async #endTable(): Promise<void> {
    if (this.#table === undefined) return;
    const { stream } = this.#table;
    this.#table = undefined;
    await new Promise<void>((resolve, reject) => {
      stream.once('finish', () => resolve());
      stream.once('error', reject);
      stream.end();
    });
  }

  async #sequences(lines: string[]): Promise<void> {
    for (const line of lines) {
      const [name, value = '0'] = line.split(' ');
      if (value !== '0') await this.#client.query('select setval($1::regclass, $2)', [name, value]);
    }
  }
}

async function tablesOf(client: Client): Promise<string[]> {
  const names = await column(
    client,
    `select relname from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition order by relname`,
  );
  return names.filter((name) => !ofTheMoment.includes(name));
}

async function columnsOf(client: Client, table: string): Promise<string[]> {
  return await column(
    client,
    `select attname from pg_attribute where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = '' order by attnum`,
    [`public.${escapeIdentifier(table)}`],
  );
}

async function column(client: Client, query: string, values: unknown[] = []): Promise<string[]> {
  const { rows } = await client.query({ text: query, values, rowMode: 'array' });
  return rows.map(([value]) => String(value));
}

async function connected(url: string, work: (client: Client) => Promise<void>): Promise<void> {
  const options = connectionOptions({ applicationName: 'ballast admin backup', statementTimeoutMillis: 0 });
  const client = new Client({ connectionString: url, ...options });
  client.on('error', () => {});
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end().catch(() => {});
  }
}
