import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { expireApproval } from '../../db/approvals/expire.ts';
import { expiresAt } from '../../db/approvals/expires-at.ts';
import { effect } from '../../db/engine/effect.ts';
import type { Answered } from '../../test/installation/running-api.ts';
import { ApplyGround } from '../../test/seeds/apply-ground.ts';
import { machine } from '../../test/seeds/seed.ts';

const at = new ApplyGround();
const { apply, call, create, draft, stage, variable, variablesOf } = at;
const hour = 3_600_000;

beforeAll(() => at.open());
beforeEach(() => at.begin());
afterAll(() => at.close());

const held = async () => {
  await stage(at.production, create(), variable('A', '1'));
  const { approval, changeSet, deployments } = await apply(at.production);
  return { id: approval?.id ?? '', changeSetId: changeSet.id, deploymentId: deployments[0]?.id ?? '' };
};
const approvalOf = async (id: string) =>
  (await call('GET', `/approvals/${id}`)).body as { createdAt: string; expiresAt: string; decision?: string };
const hoursOf = async (id: string) => {
  const { createdAt, expiresAt: end } = await approvalOf(id);
  return (Date.parse(end) - Date.parse(createdAt)) / hour;
};

test('an approval waits for 30 days, or as long as its organization says, and one that waits keeps its time', async () => {
  const path = `/organizations/${at.ours.organizationId}/approval-expiry`;
  expect((await call('GET', path)).body).toMatchObject({ hours: 720 });
  const first = await held();
  expect(await hoursOf(first.id)).toBe(720);
  expect((await call('PUT', path, { hours: 72 })).status).toBe(403);
  expect((await call('PUT', path, { hours: 0 }, at.ours.sessions.admin)).status).toBe(422);
  expect((await call('PUT', path, { hours: 72, was: { hours: 720 } }, at.ours.sessions.admin)).status).toBe(200);
  expect(await hoursOf(first.id)).toBe(720);
  await at.begin();
  expect(await hoursOf((await held()).id)).toBe(72);
  expect((await call('PUT', path, { hours: 720 }, at.ours.sessions.admin)).status).toBe(200);
});

test('30 days are 720 hours, also where the clocks of the database go forward meanwhile', async () => {
  const from = '2027-03-20T12:00:00.000Z';
  const ends = await at.api.database.kysely.transaction().execute(async (reading) => {
    await sql`set local time zone 'Europe/Berlin'`.execute(reading);
    const end = expiresAt(at.ours.organizationId, sql<Date>`${from}::timestamptz`);
    const { rows } = await sql<{ end: Date; days: Date }>`
      select ${end} as end, ${from}::timestamptz + interval '30 days' as days`.execute(reading);
    return rows[0];
  });
  expect(ends?.end.toISOString()).toBe('2027-04-19T12:00:00.000Z');
  // The calendar's are an hour less there, so that the test sees the difference.
  expect(ends?.days.toISOString()).toBe('2027-04-19T11:00:00.000Z');
});

type Meeting = (parts: { decide: () => Promise<Answered>; expire: () => Promise<void> }) => Promise<Answered[]>;

/** An activity may run twice, and somebody may press twice. */
const meetings: Record<string, Meeting> = {
  'decided a moment before it expires': async ({ decide, expire }) => {
    const first = await decide();
    await Promise.all([expire(), expire()]);
    return [first];
  },
  'expired a moment before it is decided': async ({ decide, expire }) => {
    await expire();
    return await Promise.all([decide(), decide()]);
  },
  'at the same moment, the decision sent first': async ({ decide, expire }) =>
    (await Promise.all([decide(), decide(), expire(), expire()])).filter((one) => one !== undefined),
  'at the same moment, the expiry begun first': async ({ decide, expire }) =>
    (await Promise.all([expire(), expire(), decide(), decide()])).filter((one) => one !== undefined),
};

test.each(Object.keys(meetings))(
  'a decision and the expiry meet, %s: one counts, and nothing is doubled',
  async (name) => {
    const { organizationId } = at.ours;
    const { id, changeSetId, deploymentId } = await held();
    await at.api.database.kysely
      .updateTable('approval')
      .set({ expires_at: sql<Date>`now() - interval '1 second'` })
      .where('id', '=', id)
      .execute();
    const project = { organizationId, projectId: at.projectId };
    const expire = () =>
      effect(at.api.database, machine, (one) =>
        expireApproval(one, project, { column: 'change_set_id', id: changeSetId }),
      );
    const decide = () => call('POST', `/approvals/${id}/decide`, { decision: 'approved' }, at.ours.sessions.owner);
    const answers = (await meetings[name]?.({ decide, expire })) ?? [];
    const { decision } = await approvalOf(id);
    const approved = decision === 'approved';
    if (name.includes('a moment before')) expect(decision).toBe(name.startsWith('decided') ? 'approved' : 'expired');
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(approved ? 1 : 0);
    expect(answers.filter(({ status }) => status !== 200 && status !== 409)).toEqual([]);
    // Changes that were not applied are staged again.
    const applied = (await variablesOf(at.production)).filter(({ staged }) => staged === undefined);
    expect(applied).toHaveLength(approved ? 1 : 0);
    expect((await draft(at.production)).items).toHaveLength(approved ? 0 : 2);
    const { items } = (await call('GET', `/deployments/${deploymentId}/events`)).body as { items: { kind: string }[] };
    expect(items.filter(({ kind }) => kind === 'decided')).toMatchObject([{ decision }]);
    const log = await call('GET', `/audit-log?subjectId=${id}`, undefined, at.ours.sessions.admin);
    const actions = (log.body.items as { action: string }[]).map(({ action }) => action);
    expect(actions).toEqual([...(approved ? ['approval.decided'] : []), 'approval.requested']);
  },
);
