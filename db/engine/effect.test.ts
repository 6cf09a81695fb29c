import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { freshDatabase } from '../../test/ground/fresh-database.ts';
import type { Committed } from '../postgres/database.ts';
import { listAuditRecords } from './audit.ts';
import { type Author, type Effect, effect } from './effect.ts';

const fresh = await freshDatabase();
afterAll(() => fresh.drop());

const author: Author = { kind: 'user', id: uuid(), name: 'Ada', ip: '192.0.2.1', requestId: 'request-1' };
let reports: Committed[];
beforeEach(() => {
  reports = [];
  const stop = fresh.database.onCommit((report) => reports.push(report));
  return stop;
});

async function counts(organizationId: string): Promise<Record<string, number>> {
  const { rows } = await sql<Record<string, number>>`
    select (select count(*)::int from organization where id = ${organizationId}) as organization,
           (select count(*)::int from audit_record where organization_id = ${organizationId}) as audit,
           (select count(*)::int from change_feed where organization_id = ${organizationId}) as feed,
           (select count(*)::int from outbox where organization_id = ${organizationId}) as outbox
  `.execute(fresh.database.kysely);
  return rows[0] ?? {};
}

async function insert(effect: Effect, { id, name }: { id: string; name: string }): Promise<void> {
  await effect.kysely.insertInto('organization').values({ id, name, slug: id }).execute();
}

function change(organizationId: string, end: () => Promise<void>): Promise<string> {
  return effect(fresh.database, author, async (effect) => {
    await insert(effect, { id: organizationId, name: 'Acme' });
    effect.audit('organization.created', { organizationId, id: organizationId });
    effect.change({ organizationId, kind: 'organization', id: organizationId });
    effect.tell({ start: 'deletion', id: organizationId, organizationId });
    effect.tell({ to: `deletion/${organizationId}`, message: 'restored', organizationId, body: {} });
    await end();
    return 'done';
  });
}

test('everything of an effect is committed together and reported once', async () => {
  const id = uuid();
  expect(await change(id, async () => undefined)).toBe('done');
  expect(await counts(id)).toEqual({ organization: 1, audit: 1, feed: 1, outbox: 2 });
  expect(reports).toEqual([{ actors: [`deletion/${id}`], organizations: [id] }]);
  const [record] = await listAuditRecords(fresh.database.kysely, id, {}, { limit: 10 });
  expect(record).toMatchObject({
    action: 'organization.created',
    actor: { kind: 'user', id: author.id, name: 'Ada' },
    ip: '192.0.2.1',
    requestId: 'request-1',
  });
  const [start, message] = await fresh.database.kysely.selectFrom('outbox').selectAll().orderBy('id').execute();
  expect(start).toMatchObject({ kind: 'start', message: null, body: {} });
  expect(start?.author).toEqual({ kind: 'user', id: author.id, name: 'Ada', requestId: 'request-1' });
  expect(message).toMatchObject({ kind: 'message', message: 'restored' });
});

test('an effect that throws leaves nothing and reports nothing', async () => {
  const id = uuid();
  const failing = change(id, async () => {
    throw new Error('no');
  });
  await expect(failing).rejects.toThrow('no');
  expect(await counts(id)).toEqual({ organization: 0, audit: 0, feed: 0, outbox: 0 });
  expect(reports).toEqual([]);
});

test('an effect whose last write is refused leaves nothing', async () => {
  const id = uuid();
  const failing = effect(fresh.database, author, async (effect) => {
    await insert(effect, { id, name: 'Acme' });
    effect.audit('organization.created', { organizationId: id, id });
    effect.change({ organizationId: 'not a uuid', kind: 'organization', id });
  });
  await expect(failing).rejects.toThrow('uuid');
  expect(await counts(id)).toEqual({ organization: 0, audit: 0, feed: 0, outbox: 0 });
  expect(reports).toEqual([]);
});

test('an effect whose commit is refused leaves nothing and reports nothing', async () => {
  await sql`alter table organization add constraint one_name unique (name) deferrable initially deferred`.execute(
    fresh.database.kysely,
  );
  const ids = [uuid(), uuid()];
  const name = uuid();
  const failing = effect(fresh.database, author, async (effect) => {
    for (const id of ids) {
      await insert(effect, { id, name });
      effect.audit('organization.created', { organizationId: id, id });
      effect.change({ organizationId: id, kind: 'organization', id });
      effect.tell({ to: `deletion/${id}`, message: 'restored', organizationId: id, body: {} });
    }
  });
  await expect(failing).rejects.toThrow('one_name');
  for (const id of ids) expect(await counts(id)).toEqual({ organization: 0, audit: 0, feed: 0, outbox: 0 });
  expect(reports).toEqual([]);
  await sql`alter table organization drop constraint one_name`.execute(fresh.database.kysely);
});

test('a listener that throws does not make a committed effect look failed', async () => {
  const stop = fresh.database.onCommit(() => {
    throw new Error('a listener fails');
  });
  const id = uuid();
  expect(await change(id, async () => undefined)).toBe('done');
  stop();
});

test('the audit log is paged and filtered', async () => {
  const id = uuid();
  await effect(fresh.database, author, async (effect) => {
    for (let n = 0; n < 5; n += 1) {
      effect.audit(n % 2 === 0 ? 'team.renamed' : 'team.created', { organizationId: id, subjectKind: 'a', id: `${n}` });
    }
  });
  const { kysely } = fresh.database;
  const all = await listAuditRecords(kysely, id, {}, { limit: 10 });
  const first = await listAuditRecords(kysely, id, {}, { limit: 2 });
  const last = first.at(-1);
  const rest = await listAuditRecords(kysely, id, {}, { limit: 10, after: last && { at: last.at, id: last.id } });
  expect([...first, ...rest]).toEqual(all);
  expect(await listAuditRecords(kysely, id, { action: 'team.created' }, { limit: 10 })).toHaveLength(2);
  expect(await listAuditRecords(kysely, id, { subjectKind: 'a', subjectId: '3' }, { limit: 10 })).toHaveLength(1);
  expect(await listAuditRecords(kysely, id, { until: new Date(0) }, { limit: 10 })).toHaveLength(0);
  expect(await listAuditRecords(kysely, uuid(), {}, { limit: 10 })).toHaveLength(0);
});
