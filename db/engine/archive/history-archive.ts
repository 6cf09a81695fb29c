import { promisify } from 'node:util';
import { zstdCompress, zstdDecompress } from 'node:zlib';
import { type Kysely, sql } from 'kysely';
import { parse as uuidBytes, stringify as uuidText } from 'uuid';
import { Problem } from '../../../domain/problems.ts';
import { type ActorKind, tableOf } from '../../../workflows/descriptors.ts';
import type { Keyring } from '../../keys/keys.ts';
import { seal, unseal } from '../../keys/sealing.ts';
import { connectionFailure } from '../../postgres/connection-failure.ts';
import type { Tables } from '../../postgres/tables.ts';

export interface HistoryPage {
  actorId: string;
  runId: string;
  page: number;
  bytes: Buffer;
}

const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);
const keyIdBytes = 16;
const largestPage = 256 * 1024 * 1024;

/** Stores a page, compressed and encrypted with the installation's key: a deletion's outlives its organization's. */
export async function storeHistoryPage(
  kysely: Kysely<Tables>,
  keyring: Keyring,
  page: HistoryPage & { organizationId: string },
): Promise<void> {
  const { id, key } = await keyring.payloadKey();
  const sealed = seal(key, await compress(page.bytes), boundTo(page));
  const bytes = Buffer.concat([uuidBytes(id), sealed]);
  await kysely
    .insertInto('history_archive')
    .values({
      actor_id: page.actorId,
      run_id: page.runId,
      page: page.page,
      organization_id: page.organizationId,
      bytes,
    })
    .onConflict((conflict) => conflict.columns(['actor_id', 'run_id', 'page']).doUpdateSet({ bytes }))
    .execute();
}

export interface ArchivedRun {
  runId: string;
  /** The pages that are there, in order; from 0. */
  pages: number[];
  storedAt: Date;
}

/** A page that cannot be decrypted: the page was altered or its key is missing. */
export class UnreadablePage extends Error {}

/** The actor's archived runs, in the order they were stored. */
export async function archivedRuns(kysely: Kysely<Tables>, actorId: string): Promise<ArchivedRun[]> {
  const { rows } = await sql<ArchivedRun>`
    select run_id as "runId", array_agg(page order by page) as pages, min(created_at) as "storedAt"
    from history_archive where actor_id = ${actorId}
    group by run_id order by "storedAt", run_id
  `.execute(kysely);
  return rows;
}

/** Throws `UnreadablePage`. `undefined`: the page is not there. */
export async function readHistoryPage(
  kysely: Kysely<Tables>,
  keyring: Pick<Keyring, 'payloadKey'>,
  { actorId, runId, page }: Omit<HistoryPage, 'bytes'>,
): Promise<Buffer | undefined> {
  const row = await kysely
    .selectFrom('history_archive')
    .select('bytes')
    .where('actor_id', '=', actorId)
    .where('run_id', '=', runId)
    .where('page', '=', page)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  try {
    const { key } = await keyring.payloadKey(uuidText(row.bytes.subarray(0, keyIdBytes)));
    const compressed = unseal(key, row.bytes.subarray(keyIdBytes), boundTo({ actorId, runId, page }));
    return await decompress(compressed, { maxOutputLength: largestPage });
  } catch (cause) {
    if (connectionFailure(cause) || cause instanceof Problem) throw cause;
    throw new UnreadablePage(
      `Page ${page} of the run ${runId} of ${actorId} cannot be decrypted: the page was altered or its key is missing.`,
      { cause },
    );
  }
}

/** The actor's archived pages, run by run. One page at a time: a history may be large. */
export async function* readHistory(
  kysely: Kysely<Tables>,
  keyring: Pick<Keyring, 'payloadKey'>,
  actorId: string,
): AsyncGenerator<HistoryPage, void, undefined> {
  for (const { runId, pages } of await archivedRuns(kysely, actorId)) {
    for (const page of pages) {
      const bytes = await readHistoryPage(kysely, keyring, { actorId, runId, page });
      if (bytes === undefined) return;
      yield { actorId, runId, page, bytes };
    }
  }
}

export interface Finished {
  id: string;
  organizationId: string;
  finishedAt: Date;
}

/** Final rows whose history is not archived yet, the oldest first; those after the given one. */
export async function finishedWithoutArchive(
  kysely: Kysely<Tables>,
  kind: ActorKind,
  limit: number,
  after?: Finished,
): Promise<Finished[]> {
  const { rows } = await sql<Finished>`
    select id, organization_id as "organizationId", finished_at as "finishedAt"
    from ${sql.table(tableOf(kind))}
    where finished_at is not null and archived_at is null
      ${after === undefined ? sql`` : sql`and (finished_at, id) > (${after.finishedAt}, ${after.id})`}
    order by finished_at, id
    limit ${limit}
  `.execute(kysely);
  return rows;
}

export async function markArchived(kysely: Kysely<Tables>, kind: ActorKind, id: string): Promise<void> {
  await sql`
    update ${sql.table(tableOf(kind))} set archived_at = now() where id = ${id} and archived_at is null
  `.execute(kysely);
}

function boundTo({ actorId, runId, page }: Pick<HistoryPage, 'actorId' | 'runId' | 'page'>): string {
  return `history_archive:${actorId}:${runId}:${page}`;
}
