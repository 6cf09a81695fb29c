import { promisify } from 'node:util';
import { deflateRaw, inflateRaw } from 'node:zlib';
import { type Kysely, sql } from 'kysely';
import type { Keyring } from '../keys/keys.ts';
import type { Tables } from '../postgres/tables.ts';
import { tenant } from '../postgres/tenant.ts';

const [compress, decompress] = [promisify(deflateRaw), promisify(inflateRaw)];

export interface BuildLog {
  id: string;
  organizationId: string;
}

export interface BuildLogLine {
  seq: number;
  at: Date;
  text: string;
}

/** Lines that came together: whole ones, each with its end. */
export interface NewChunk {
  text: string;
  at: Date;
}

const boundTo = (buildId: string, first: number) => `build_log_chunk:${buildId}:${first}`;

export function linesIn(text: string): number {
  let lines = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines += 1;
  return lines;
}

/** Appends to the log after this line. Answers the number of the last one then. */
export async function appendLog(
  kysely: Kysely<Tables>,
  keyring: Pick<Keyring, 'encryptSecret'>,
  { id, organizationId }: BuildLog,
  after: number,
  chunks: readonly NewChunk[],
): Promise<number> {
  let last = after;
  const rows = [];
  for (const { text, at } of chunks) {
    const first = last + 1;
    last += linesIn(text);
    const packed = (await compress(text, { level: 1 })).toString('base64');
    const sealed = await keyring.encryptSecret(organizationId, boundTo(id, first), packed);
    rows.push({ build_id: id, first, last, sealed, at });
  }
  if (rows.length > 0) await tenant(kysely, organizationId).insertInto('build_log_chunk').values(rows).execute();
  return last;
}

/**
 * Lines after this one, oldest first. Since they are numbered without gaps, the chunks are found by their numbers. `mostChunks`: of so many
 * that follow.
 */
export async function readBuildLog(
  kysely: Kysely<Tables>,
  keyring: Pick<Keyring, 'decryptSecret'>,
  { id, organizationId }: BuildLog,
  after: number,
  limit: number,
  mostChunks = limit,
): Promise<BuildLogLine[]> {
  const rows = await tenant(kysely, organizationId)
    .selectFrom('build_log_chunk')
    .select([sql<number>`first::float8`.as('first'), 'sealed', 'at'])
    .where('build_id', '=', id)
    .where('last', '>', after)
    .where('first', '<=', after + limit)
    .orderBy('first')
    .limit(mostChunks)
    .execute();
  const lines: BuildLogLine[] = [];
  for (const { first, sealed, at } of rows) {
    const packed = await keyring.decryptSecret(organizationId, boundTo(id, first), sealed);
    const text = (await decompress(Buffer.from(packed, 'base64'))).toString('utf8');
    const texts = text.split('\n').slice(0, -1);
    for (const [index, line] of texts.entries()) {
      const seq = first + index;
      if (seq > after && lines.length < limit) lines.push({ seq, at, text: line });
    }
  }
  return lines;
}
