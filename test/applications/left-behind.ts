import { lstatSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { join, relative } from 'node:path';
import proto from '@temporalio/proto';
import { sql } from 'kysely';
import { openKeyring } from '../../db/keys/keys.ts';
import { payloadCodec } from '../../temporal/connection/codec.ts';
import { payloadKeys } from '../../temporal/connection/open.ts';
import { fetchHistory } from '../../temporal/history/fetch-history.ts';
import { inPlain } from '../../temporal/history/in-plain.ts';
import type { Installation } from '../installation/installation.ts';

const { History } = proto.temporal.api.history.v1;

/** Files and directories beneath one whose name or content has one of the texts. Links are not followed. */
export function filesWith(directory: string, texts: readonly string[], skip: readonly string[] = []): string[] {
  const root = realpathSync(directory);
  const found: string[] = [];
  const look = (path: string): void => {
    const named = relative(root, path);
    if (skip.includes(named)) return;
    const seen = lstatSync(path, { throwIfNoEntry: false });
    if (seen === undefined) return;
    if (texts.some((text) => named.includes(text))) found.push(named);
    if (seen.isDirectory()) for (const name of entries(path)) look(join(path, name));
    else if (seen.isFile() && has(path, texts)) found.push(`content of ${named}`);
  };
  look(root);
  return found;
}

/** A file may be deleted while it is looked for. */
function entries(path: string): string[] {
  return present(() => readdirSync(path)) ?? [];
}

function has(path: string, texts: readonly string[]): boolean {
  const bytes = present(() => readFileSync(path));
  return bytes !== undefined && texts.some((text) => bytes.includes(text));
}

function present<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Tables with a row in which one of the ids stands, and how many rows those are. */
export async function rowsWith(installation: Installation, ids: readonly string[]): Promise<Record<string, number>> {
  const { kysely } = await installation.database();
  const { rows: tables } = await sql<{ name: string }>`
    select table_name as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'
  `.execute(kysely);
  const found: Record<string, number> = {};
  for (const { name } of tables) {
    const { rows } = await sql<{ count: number }>`
      select count(*)::int as count from ${sql.table(name)} as whole
      where exists (select from unnest(${[...ids]}::text[]) as id where position(id in whole::text) > 0)
    `.execute(kysely);
    const count = rows[0]?.count ?? 0;
    if (count > 0) found[name] = count;
  }
  return found;
}

/** Workflows that run and have one of the ids in their name, their search attributes or their history, and Schedules that have one. */
export async function workflowsWith(installation: Installation, ids: readonly string[]): Promise<string[]> {
  const { database, temporal } = await installation.inside();
  const codec = payloadCodec(payloadKeys(await openKeyring(database, installation.settings.KEYS_FILE)));
  const names = (text: string) => ids.some((id) => text.includes(id));
  const found: string[] = [];
  const { workflow, schedule } = temporal.client;
  for await (const { workflowId, runId, searchAttributes, memo } of workflow.list({
    query: "ExecutionStatus='Running'",
  })) {
    if (names(`${workflowId} ${JSON.stringify([searchAttributes, memo])}`)) found.push(`workflow ${workflowId}`);
    for await (const { bytes } of fetchHistory(temporal, workflowId, runId)) {
      const history = History.decode(bytes);
      await inPlain(history, codec, () => false);
      const text = JSON.stringify(history, (_, value) => (isBytes(value) ? textOf(value) : value));
      if (names(text)) found.push(`history of ${workflowId}`);
    }
  }
  for await (const one of schedule.list()) if (names(JSON.stringify(one))) found.push(`Schedule ${one.scheduleId}`);
  return found;
}

/** A Buffer has become JSON before a replacer sees it. */
function isBytes(value: unknown): value is { data: number[] } | Uint8Array {
  return value instanceof Uint8Array || (typeof value === 'object' && Object(value).type === 'Buffer');
}

function textOf(value: { data: number[] } | Uint8Array): string {
  return Buffer.from(value instanceof Uint8Array ? value : value.data).toString('utf8');
}
