import { type Kysely, sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import type { Author } from '../engine/author.ts';
import { effect } from '../engine/effect.ts';
import { refuseBeyond } from '../engine/limits/quota.ts';
import type { Database } from '../postgres/database.ts';
import type { Tables } from '../postgres/tables.ts';
import { tenant } from '../postgres/tenant.ts';
import type { Repository } from './repositories.ts';

export interface Upload {
  id: string;
  draft: string;
}

/** Where the whole limit is small, a share of it would be none. */
const fewest = 8;
/** One that brought nothing for so long makes way where there is no room; otherwise it can be continued for a day. */
const idle = sql`interval '15 minutes'`;

/**
 * Begins an upload, unless too many are open. The limit is the organization's; a project has three quarters of it, and a credential
 * half, so that one that leaves uploads open keeps nobody else from pushing.
 */
export async function beginUpload(
  database: Database,
  author: Author,
  { id: service_id, organizationId, projectId }: Repository,
  { draft, most }: { draft: string; most: number },
): Promise<Upload> {
  const id = uuid();
  const begun_by = `${author.kind}/${author.id}`;
  const ofOrganization = sql`registry_upload where organization_id = ${organizationId}`;
  const ofProject = sql`${ofOrganization} and service_id in (
    select id from service where organization_id = ${organizationId} and project_id = ${projectId})`;
  const bounds = [
    { rows: ofOrganization, share: 1, of: '' },
    { rows: ofProject, share: 3 / 4, of: ' for a project' },
    { rows: sql`${ofOrganization} and begun_by = ${begun_by}`, share: 1 / 2, of: ' for a credential' },
  ];
  await effect(database, author, async (running) => {
    for (const { rows, share, of } of bounds) {
      const quota = {
        setting: 'REGISTRY_UPLOADS_PER_ORGANIZATION',
        most: Math.max(Math.ceil(most * share), Math.min(most, fewest)),
        owner: organizationId,
        things: `uploads to the registry at once${of}`,
        rows,
        remedy: 'wait until some have ended',
        // Others wait for the first question already.
        ...(share < 1 ? { loosely: true as const } : {}),
      };
      await refuseBeyond(running, quota).catch(async (error: unknown) => {
        const { numAffectedRows } = await sql`delete from ${rows} and touched_at < now() - ${idle}`.execute(
          running.kysely,
        );
        if (numAffectedRows === 0n) throw error;
      });
    }
    await tenant(running.kysely, organizationId)
      .insertInto('registry_upload')
      .values({ id, service_id, draft, begun_by })
      .execute();
  });
  return { id, draft };
}

export async function findUpload(
  kysely: Kysely<Tables>,
  { id: serviceId, organizationId }: Repository,
  id: string,
): Promise<Upload | undefined> {
  return await tenant(kysely, organizationId)
    .selectFrom('registry_upload')
    .select(['id', 'draft'])
    .where('id', '=', id)
    .where('service_id', '=', serviceId)
    .executeTakeFirst();
}

/** False: the upload was cancelled, or another process goes on with a draft of its own. */
export async function noteReceived(
  kysely: Kysely<Tables>,
  { organizationId }: Repository,
  { id, draft }: Upload,
  received: number,
): Promise<boolean> {
  const { numUpdatedRows } = await tenant(kysely, organizationId)
    .updateTable('registry_upload')
    .set({ received, touched_at: sql`now()` })
    .where('id', '=', id)
    .where('draft', '=', draft)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/**
 * This process goes on with the upload, in a draft of its own: a copy that it made, or, of a draft in a bucket, the same
 * under another name. False: somebody else was faster.
 */
export async function adoptUpload(
  kysely: Kysely<Tables>,
  { organizationId }: Repository,
  { id, draft }: Upload,
  own: string,
): Promise<boolean> {
  return await kysely.transaction().execute(async (running) => {
    const { numUpdatedRows } = await tenant(running, organizationId)
      .updateTable('registry_upload')
      .set({ draft: own, touched_at: sql`now()` })
      .where('id', '=', id)
      .where('draft', '=', draft)
      .executeTakeFirst();
    if (numUpdatedRows === 0n) return false;
    await running.updateTable('registry_draft').set({ name: own }).where('name', '=', draft).execute();
    return true;
  });
}

/** Ends an upload, whatever becomes of its draft. False: it was over, or another process has it. */
export async function endUpload(
  kysely: Kysely<Tables>,
  { organizationId }: Repository,
  { id, draft }: Upload,
): Promise<boolean> {
  const { numDeletedRows } = await tenant(kysely, organizationId)
    .deleteFrom('registry_upload')
    .where('id', '=', id)
    .where('draft', '=', draft)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}
