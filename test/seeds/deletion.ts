import { expect } from 'vitest';
import { purgeOrder } from '../../db/deletions/purge.ts';
import type { Database } from '../../db/postgres/database.ts';
import { acrossTenants } from '../../db/postgres/tenant.ts';
import { type ActorId, actorId } from '../../domain/actors/actors.ts';
import type { Temporal } from '../../temporal/connection/connect.ts';
import type { Installation, Session } from '../installation/installation.ts';

/** The deletion of an organization by its owner, through the API. */
export interface Deletion {
  id: string;
  actor: ActorId;
  organizationId: string;
  slug: string;
  owner: Session;
}

type Place = Pick<Installation, 'call'>;

/** No organization is chosen any more: the one that was is deleted. */
const organization = '';

export async function deleteOrganization(
  at: Place,
  { id: organizationId, slug, owner }: { id: string; slug: string; owner: Session },
): Promise<Deletion> {
  const body = { confirmSlug: slug };
  const deleted = await at.call('DELETE', `/api/v1/organizations/${organizationId}`, { as: owner, body });
  expect(deleted.status, deleted.text).toBe(204);
  const { body: list } = await at.call('GET', '/api/v1/deleted-organizations', { as: owner, organization });
  const [{ id }] = list.items as [{ id: string }];
  return { id, actor: actorId('deletion', id), organizationId, slug, owner };
}

export async function purgeNow(at: Place, { id, slug, owner }: Deletion): Promise<void> {
  const body = { confirmSlug: slug };
  const answer = await at.call('POST', `/api/v1/deleted-organizations/${id}/purge`, { as: owner, organization, body });
  expect(answer.status, answer.text).toBe(204);
}

export async function restore(at: Place, { id, owner }: Deletion): Promise<void> {
  const answer = await at.call('POST', `/api/v1/deleted-organizations/${id}/restore`, { as: owner, organization });
  expect(answer.status, answer.text).toBe(200);
}

/** The row, once it is final and its actor has nothing left to do. */
export async function ended(installation: Installation, { id, actor }: Deletion, seconds?: number) {
  const { database, temporal } = await installation.inside();
  const { kysely } = database;
  const final = kysely.selectFrom('deletion').selectAll().where('id', '=', id).where('finished_at', 'is not', null);
  const row = await installation.until(`the end of ${actor}`, () => final.executeTakeFirst(), seconds);
  await toldEverything(installation, actor);
  expect(await temporal.client.workflow.getHandle(actor).result()).toBe(row.state);
  return row;
}

/** Waits until the outbox holds no entry for this actor, whichever process delivers. */
export async function toldEverything(installation: Installation, actor: ActorId): Promise<void> {
  const { kysely } = await installation.database();
  const waiting = kysely.selectFrom('outbox').select('id').where('actor_id', '=', actor).limit(1);
  const look = async () => (await waiting.execute()).length === 0;
  await installation.until(`${actor} has been told everything`, look);
}

/** Audit actions whose subject is the organization itself, in order. */
export async function auditedActions({ kysely }: Database, organizationId: string): Promise<string[]> {
  const rows = await kysely
    .selectFrom('audit_record')
    .select('action')
    .where('organization_id', '=', organizationId)
    .where('subject_kind', 'in', ['organization', 'deletion'])
    .orderBy('at')
    .orderBy('id')
    .execute();
  return rows.map(({ action }) => action);
}

/** The tables that still hold something of an organization, its account of having been deleted aside. */
export async function tablesWith(database: Database, organizationId: string): Promise<string[]> {
  const kysely = acrossTenants(database.kysely);
  const found: string[] = [];
  for (const name of purgeOrder()) {
    if (accounts.has(name)) continue;
    const table = kysely.dynamic.table<'team'>(name as 'team');
    const row = await kysely
      .selectFrom(table.as('tenant'))
      .select('tenant.organization_id')
      .where('tenant.organization_id', '=', organizationId)
      .limit(1)
      .executeTakeFirst();
    if (row) found.push(name);
  }
  const organization = await kysely.selectFrom('organization').select('id').where('id', '=', organizationId).execute();
  return organization.length > 0 ? [...found, 'organization'] : found;
}

const accounts = new Set(['audit_record', 'outbox', 'history_archive', 'change_feed']);

/** How many executions Temporal has ever had of an actor. Asked of its search, which lags: for afterwards. */
export async function executionsOf(temporal: Temporal, actor: string): Promise<number> {
  return (await temporal.client.workflow.count(`WorkflowId = '${actor}'`)).count;
}
