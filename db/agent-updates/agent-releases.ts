import { type Kysely, sql } from 'kysely';
import type { JsonObject } from '../postgres/json.ts';
import type { Tables } from '../postgres/tables.ts';

export interface AgentReleaseView {
  image: string;
  version: string;
  digest: string;
  sizeBytes: number;
  createdAt: Date;
  /** The signature of the release by the installation's key. */
  proof: JsonObject;
}

const columns = ['image', 'version', 'digest', 'size_bytes as sizeBytes', 'created_at as createdAt'] as const;

/** The column holds milliseconds: two releases offered within one would have no order, and neither would be the newest. */
const afterAllOthers = sql<Date>`greatest(now(), (select max(created_at) from agent_release) + interval '1 millisecond')`;

/**
 * Keeps a release; one that is there already is offered again, as the newest: the control plane may have gone back. Its
 * proof is replaced, since the installation may have another key by now.
 */
export async function storeRelease(
  kysely: Kysely<Tables>,
  release: { image: string; version: string; digest: string; bytes: Buffer; proof: object },
): Promise<void> {
  const { image, version, digest, bytes } = release;
  const proof = sql<JsonObject>`${JSON.stringify(release.proof)}::jsonb`;
  const current = await currentRelease(kysely);
  if (current?.digest === digest) {
    await kysely.updateTable('agent_release').set({ proof }).where('digest', '=', digest).execute();
    return;
  }
  await kysely
    .insertInto('agent_release')
    .values({ image, version, digest, size_bytes: bytes.length, bytes, proof, created_at: afterAllOthers })
    .onConflict((conflict) =>
      conflict.column('image').doUpdateSet({ offered: true, proof, created_at: afterAllOthers }),
    )
    .execute();
}

/** Those that nobody has signed, from before releases were, are there for nobody. */
function signedReleases(kysely: Kysely<Tables>) {
  return kysely.selectFrom('agent_release').select(columns).select('proof').where('proof', 'is not', null);
}

/** The one that clusters are told is available. */
export async function currentRelease(kysely: Kysely<Tables>): Promise<AgentReleaseView | undefined> {
  const row = await signedReleases(kysely)
    .where('offered', '=', true)
    .orderBy('created_at', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row && view(row);
}

export async function findRelease(
  kysely: Kysely<Tables>,
  by: { image: string } | { digest: string },
): Promise<AgentReleaseView | undefined> {
  const query = signedReleases(kysely);
  const row = await ('image' in by
    ? query.where('image', '=', by.image)
    : query.where('digest', '=', by.digest)
  ).executeTakeFirst();
  return row && view(row);
}

function view(row: Omit<AgentReleaseView, 'proof'> & { proof: JsonObject | null }): AgentReleaseView {
  return { ...row, proof: row.proof ?? {} };
}

export async function readReleaseBytes(kysely: Kysely<Tables>, digest: string): Promise<Buffer | undefined> {
  const row = await kysely.selectFrom('agent_release').select('bytes').where('digest', '=', digest).executeTakeFirst();
  return row?.bytes;
}

/** Throws away releases that no agent runs and none has run for a while; the ones of the last days and the newest stay. */
export async function sweepReleases(kysely: Kysely<Tables>): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from agent_release
    where created_at < now() - interval '30 days'
      and created_at < (select max(created_at) from agent_release)
      and not exists (select from cluster_agent agent where agent.image = agent_release.image)
      and not exists (
        select from agent_update attempt
        where agent_release.image in (attempt.from_image, attempt.to_image)
          and attempt.created_at > now() - interval '180 days')
  `.execute(kysely);
  return Number(numAffectedRows ?? 0);
}

/** Newest first. */
export async function listReleases(kysely: Kysely<Tables>): Promise<AgentReleaseView[]> {
  return (await signedReleases(kysely).orderBy('created_at', 'desc').execute()).map(view);
}
