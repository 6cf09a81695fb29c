import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import proto from '@temporalio/proto';
import { sql } from 'kysely';
import { openKeyring } from '../../db/keys/keys.ts';
import { payloadCodec } from '../../temporal/connection/codec.ts';
import { payloadKeys } from '../../temporal/connection/open.ts';
import { fetchHistory } from '../../temporal/history/fetch-history.ts';
import { inPlain, isPayload } from '../../temporal/history/in-plain.ts';
import type { Installation } from '../installation/installation.ts';

const { History } = proto.temporal.api.history.v1;

/** The ways in which a value may be written; of base64 also those within a longer text. */
function spellings(secret: string): string[] {
  const within = [0, 1, 2].map((before) =>
    Buffer.concat([Buffer.alloc(before), Buffer.from(secret)])
      .toString('base64')
      .slice(before + 1, -4),
  );
  const encoded = [encodeURIComponent(secret), new URLSearchParams({ secret }).toString().slice('secret='.length)];
  const json = JSON.stringify(secret).slice(1, -1);
  return [secret, json, JSON.stringify(json).slice(1, -1), ...encoded, ...within];
}

/** Looks for secrets in texts, and tells where they are without telling them. */
export class SecretSearch {
  readonly found: string[] = [];
  /** How much was looked at, by the kind of place. */
  readonly looked: Record<string, number> = {};
  readonly #spellings: string[];

  constructor(secrets: readonly string[]) {
    this.#spellings = [...new Set(secrets.flatMap(spellings))];
  }

  in(kind: string, name: string, text: string): void {
    this.looked[kind] = (this.looked[kind] ?? 0) + 1;
    if (this.#spellings.some((one) => text.includes(one))) this.found.push(`${kind} ${name}`);
  }

  /** The logs of the installation's parts, and what `up` printed. */
  inLogs(installation: Installation): void {
    const logs = join(installation.home, 'logs');
    for (const name of readdirSync(logs)) this.in('log', name, readFileSync(join(logs, name), 'utf8'));
    this.in('log', 'up', installation.output);
  }

  /** Every row of every table: audit log, feed, outbox, events, notifications, what is wanted and what was observed. */
  async inTables(installation: Installation): Promise<void> {
    const { kysely } = await installation.database();
    const { rows } = await sql<{ table: string }>`
      select table_name as table from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'
    `.execute(kysely);
    for (const { table } of rows) {
      const all = await sql<{ text: string }>`select one::text as text from ${sql.table(table)} one`.execute(kysely);
      for (const { text } of all.rows) this.in('row', table, text);
    }
  }

  /** Every history that Temporal has, as it holds it and decoded. */
  async inHistories(installation: Installation): Promise<void> {
    const { database, temporal } = await installation.inside();
    const codec = payloadCodec(payloadKeys(await openKeyring(database, installation.settings.KEYS_FILE)));
    const { namespace, connection } = temporal;
    const listed = await connection.workflowService.listWorkflowExecutions({ namespace, pageSize: 1_000 });
    for (const { execution } of listed.executions ?? []) {
      const { workflowId = '', runId = '' } = execution ?? {};
      for await (const { bytes } of fetchHistory(temporal, workflowId ?? '', runId ?? '')) {
        this.in('raw history', String(workflowId), bytes.toString('utf8'));
        const history = History.decode(bytes);
        await inPlain(history, codec, () => false);
        for (const text of payloadsOf(history)) this.in('payload', String(workflowId), text);
      }
    }
  }
}

function payloadsOf(value: unknown): string[] {
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return [];
  if (isPayload(value)) return [Buffer.from(value.data ?? []).toString('utf8')];
  return Object.values(value).flatMap(payloadsOf);
}
