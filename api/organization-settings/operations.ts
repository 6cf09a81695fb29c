import type { Kysely } from 'kysely';
import { z } from 'zod';
import type { Effect } from '../../db/engine/effect.ts';
import { findLasting, type Lasting, lockLasting, setLasting } from '../../db/organizations/organization-settings.ts';
import type { Tables } from '../../db/postgres/tables.ts';
import { Problem } from '../../domain/problems.ts';
import { refuseChangedMeanwhile, withWas } from '../engine/input/meanwhile.ts';
import { operation } from '../engine/operation.ts';

const expiryHours = z.int().min(1, 'must be at least an hour').max(8760, 'must be at most 365 days');
const approvalExpirySchema = z.object({ hours: z.int() }).meta({ id: 'ApprovalExpiry' });

const retentionHours = z.int().min(1, 'must be at least an hour').max(8760, 'must be at most a year');
const deletedRetentionSchema = z.object({ hours: z.int() }).meta({ id: 'DeletedRetention' });

/** How long something of the organization lasts. */
async function lastingOf(kysely: Kysely<Tables>, organizationId: string, what: Lasting): Promise<number> {
  const value = await findLasting(kysely, organizationId, what);
  if (value === undefined) throw deleted();
  return value;
}

/** `body` has the one field that is set, and may have `was`. */
async function makeLast<Field extends string>(
  effect: Effect,
  organizationId: string,
  what: Lasting,
  {
    field,
    wanted,
    was,
  }: { field: Field; wanted: Record<Field, number>; was: { [Name in Field]?: number | undefined } | undefined },
): Promise<void> {
  const before = await lockLasting(effect, organizationId, what);
  if (before === undefined) throw deleted();
  const subject = { organizationId, kind: 'organization', id: organizationId };
  await refuseChangedMeanwhile(effect.kysely, subject, { is: { [field]: before }, was, wanted });
  await setLasting(effect, organizationId, what, wanted[field]);
}

function deleted(): Problem {
  return new Problem('not-found', 'The organization was deleted a moment ago.');
}

const getApprovalExpiry = operation({
  method: 'GET',
  url: '/api/v1/organizations/{id}/approval-expiry',
  summary: 'Get how long an approval waits before it expires',
  role: 'viewer',
  projectTokens: 'refused',
  result: approvalExpirySchema,
  async handle({ caller, path, database }) {
    return { hours: await lastingOf(database.kysely, caller.ownOrganization(path.id).id, 'approvalExpiryHours') };
  },
});

const getDeletedRetention = operation({
  method: 'GET',
  url: '/api/v1/organizations/{id}/deleted-retention',
  summary: 'Get how long deleted things can be restored',
  role: 'viewer',
  projectTokens: 'refused',
  result: deletedRetentionSchema,
  async handle({ caller, path, database }) {
    return { hours: await lastingOf(database.kysely, caller.ownOrganization(path.id).id, 'deletedRetentionHours') };
  },
});

/** Long enough to set up a machine, short enough that one left in a shell's history is soon worthless. */
const joinTokenSeconds = z.int().min(300, 'must be at least five minutes').max(604_800, 'must be at most a week');
const joinTokenTtlSchema = z.object({ seconds: z.int() }).meta({ id: 'JoinTokenTtl' });

const getJoinTokenTtl = operation({
  method: 'GET',
  url: '/api/v1/organizations/{id}/join-token-ttl',
  summary: 'Get the lifetime of join commands',
  role: 'viewer',
  projectTokens: 'refused',
  result: joinTokenTtlSchema,
  async handle({ caller, path, database }) {
    return { seconds: await lastingOf(database.kysely, caller.ownOrganization(path.id).id, 'joinTokenTtlSeconds') };
  },
});

const setApprovalExpiry = operation({
  method: 'PUT',
  url: '/api/v1/organizations/{id}/approval-expiry',
  summary: 'Set how long an approval waits before it expires',
  description: 'An hour to 365 days, in hours of the clock. Approvals that wait already keep their time.',
  role: 'admin',
  projectTokens: 'refused',
  problems: ['not-found', 'changed-meanwhile'],
  body: withWas(z.strictObject({ hours: expiryHours })),
  result: approvalExpirySchema,
  async handle({ caller, path, body, effect }) {
    const { was, ...wanted } = body;
    await makeLast(effect, caller.ownOrganization(path.id).id, 'approvalExpiryHours', {
      field: 'hours',
      wanted,
      was,
    });
    return wanted;
  },
});

const setDeletedRetention = operation({
  method: 'PUT',
  url: '/api/v1/organizations/{id}/deleted-retention',
  summary: 'Set how long deleted things can be restored',
  description: 'An hour to a year. Earlier deletions keep their retention.',
  role: 'admin',
  projectTokens: 'refused',
  problems: ['not-found', 'changed-meanwhile'],
  body: withWas(z.strictObject({ hours: retentionHours })),
  result: deletedRetentionSchema,
  async handle({ caller, path, body, effect }) {
    const { was, ...wanted } = body;
    await makeLast(effect, caller.ownOrganization(path.id).id, 'deletedRetentionHours', {
      field: 'hours',
      wanted,
      was,
    });
    return wanted;
  },
});

const setJoinTokenTtl = operation({
  method: 'PUT',
  url: '/api/v1/organizations/{id}/join-token-ttl',
  summary: 'Set the lifetime of join commands',
  description: 'Five minutes to a week. Existing tokens keep their lifetime.',
  role: 'admin',
  projectTokens: 'refused',
  problems: ['not-found', 'changed-meanwhile'],
  body: withWas(z.strictObject({ seconds: joinTokenSeconds })),
  result: joinTokenTtlSchema,
  async handle({ caller, path, body, effect }) {
    const { was, ...wanted } = body;
    await makeLast(effect, caller.ownOrganization(path.id).id, 'joinTokenTtlSeconds', {
      field: 'seconds',
      wanted,
      was,
    });
    return wanted;
  },
});

export const organizationSettings = {
  getJoinTokenTtl,
  setJoinTokenTtl,
  getDeletedRetention,
  setDeletedRetention,
  getApprovalExpiry,
  setApprovalExpiry,
};
