import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { expiresAt } from '../../db/approvals/approvals.ts';
import { approvalOf, at, expiringApprovals, held, oneCounts } from '../../test/api/expiring-approvals.ts';

const { call } = at;

const hour = 3_600_000;

const hoursOf = async (id: string) => {
  const { createdAt, expiresAt: end } = await approvalOf(id);
  return (Date.parse(end) - Date.parse(createdAt)) / hour;
};

expiringApprovals();

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

test.each(['at the same moment, the decision sent first', 'at the same moment, the expiry begun first'])(
  'a decision and the expiry meet, %s: one counts, and nothing is doubled',
  oneCounts,
);
