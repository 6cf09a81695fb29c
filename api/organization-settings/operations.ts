import { z } from 'zod';
import { findLasting, type Lasting, lockLasting, setLasting } from '../../db/organizations/organization-settings.ts';
import { Problem } from '../../domain/problems.ts';
import { refuseChangedMeanwhile, withWas } from '../engine/input/meanwhile.ts';
import { type Operation, operation } from '../engine/operation.ts';

type Unit = 'hours' | 'seconds';

interface Setting<Field extends Unit> {
  what: Lasting;
  field: Field;
  allowed: z.ZodInt;
  url: `/api/v1/organizations/{id}/${string}`;
  /** The id of the schema of its answer. */
  id: string;
  /** As the summaries call it, behind `Get` and `Set`. */
  noun: string;
  description: string;
}

type Path = { path: { id: string } };
type Duration<Field extends Unit> = Record<Field, number>;
type DurationBody<Field extends Unit> = Duration<Field> & { was?: Partial<Duration<Field>> | undefined };

/** Gets and sets how long something of the organization lasts. Both answer one field, which is called by its unit. */
function lastingOperations<Field extends Unit>({
  what,
  allowed,
  url,
  id,
  noun,
  description,
  ...named
}: Setting<Field>) {
  // TypeScript follows no field whose name is a parameter: here it is called `hours`, and the type of the result says its name.
  const field = named.field as 'hours';
  const result = z.object({ [field]: z.int() }).meta({ id });
  const get = operation({
    method: 'GET',
    url,
    summary: `Get ${noun}`,
    role: 'viewer',
    projectTokens: 'refused',
    result,
    async handle({ caller, path, database }) {
      const value = await findLasting(database.kysely, caller.ownOrganization(path.id).id, what);
      if (value === undefined) throw deleted();
      return { [field]: value };
    },
  });
  const set = operation({
    method: 'PUT',
    url,
    summary: `Set ${noun}`,
    description,
    role: 'admin',
    projectTokens: 'refused',
    problems: ['not-found', 'changed-meanwhile'],
    body: withWas(z.strictObject({ [field]: allowed })),
    result,
    async handle({ caller, path, body: { was, ...wanted }, effect }) {
      const organizationId = caller.ownOrganization(path.id).id;
      const before = await lockLasting(effect, organizationId, what);
      if (before === undefined) throw deleted();
      const subject = { organizationId, kind: 'organization', id: organizationId };
      await refuseChangedMeanwhile(effect.kysely, subject, { is: { [field]: before }, was, wanted });
      await setLasting(effect, organizationId, what, wanted[field]);
      return wanted;
    },
  });
  return { get, set } as unknown as {
    get: Operation<Path, Duration<Field>, 'query'>;
    set: Operation<Path & { body: DurationBody<Field> }, Duration<Field>, 'mutation'>;
  };
}

function deleted(): Problem {
  return new Problem('not-found', 'The organization was deleted a moment ago.');
}

const approvalExpiry = lastingOperations({
  what: 'approvalExpiryHours',
  field: 'hours',
  allowed: z.int().min(1, 'must be at least an hour').max(8760, 'must be at most 365 days'),
  url: '/api/v1/organizations/{id}/approval-expiry',
  id: 'ApprovalExpiry',
  noun: 'how long an approval waits before it expires',
  description: 'An hour to 365 days, in hours of the clock. Approvals that wait already keep their time.',
});

const deletedRetention = lastingOperations({
  what: 'deletedRetentionHours',
  field: 'hours',
  allowed: z.int().min(1, 'must be at least an hour').max(8760, 'must be at most a year'),
  url: '/api/v1/organizations/{id}/deleted-retention',
  id: 'DeletedRetention',
  noun: 'how long deleted things can be restored',
  description: 'An hour to a year. Earlier deletions keep their retention.',
});

const joinTokenTtl = lastingOperations({
  what: 'joinTokenTtlSeconds',
  field: 'seconds',
  // Long enough to set up a machine, short enough that one left in a shell's history is soon worthless.
  allowed: z.int().min(300, 'must be at least five minutes').max(604_800, 'must be at most a week'),
  url: '/api/v1/organizations/{id}/join-token-ttl',
  id: 'JoinTokenTtl',
  noun: 'the lifetime of join commands',
  description: 'Five minutes to a week. Existing tokens keep their lifetime.',
});

export const organizationSettings = {
  getJoinTokenTtl: joinTokenTtl.get,
  setJoinTokenTtl: joinTokenTtl.set,
  getDeletedRetention: deletedRetention.get,
  setDeletedRetention: deletedRetention.set,
  getApprovalExpiry: approvalExpiry.get,
  setApprovalExpiry: approvalExpiry.set,
};
