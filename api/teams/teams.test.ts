import { afterAll, describe, expect, test } from 'vitest';
import { runningApi, seed } from '../../test/installation/running-api.ts';
import { seedMember } from '../../test/seeds/seed.ts';

const api = await runningApi();
const ours = await seed(api.database);
const theirs = await seed(api.database);
afterAll(() => api.close());

const make = (name: string) => api.call('POST', '/api/v1/teams', { as: ours.tokens.admin, body: { name } });

async function auditOf(subjectId: unknown): Promise<string[]> {
  const rows = await api.database.kysely
    .selectFrom('audit_record')
    .select(['action', 'actor_kind', 'ip', 'request_id'])
    .where('subject_id', '=', String(subjectId))
    .orderBy('at')
    .execute();
  expect(rows.every((row) => row.ip === '127.0.0.1' && row.request_id !== null)).toBe(true);
  return rows.map(({ action }) => action);
}

async function hintsOf(subjectId: unknown): Promise<number> {
  const rows = await api.database.kysely
    .selectFrom('change_feed')
    .select('kind')
    .where('subject_id', '=', String(subjectId))
    .execute();
  return rows.length;
}

describe('POST /teams', () => {
  test('201 with the team, whose slug follows from its name', async () => {
    const made = await make('  Söhne & Co ');
    expect(made.status).toBe(201);
    expect(made.body).toMatchObject({ name: 'Söhne & Co', slug: 'sohne-co', scimManaged: false, members: [] });
    expect(made.body.$schema).toBe('urn:ballast:schema:Team');
    expect(await auditOf(made.body.id)).toEqual(['team.created']);
    expect(await hintsOf(made.body.id)).toBe(1);
  });

  test('409 for a name that is taken, whatever its case', async () => {
    await make('Platform');
    const again = await make('platform');
    expect(again.status).toBe(409);
    expect(again.body.detail).toContain('platform');
  });

  test('422 that names every field at fault', async () => {
    const refused = await api.call('POST', '/api/v1/teams', {
      as: ours.tokens.admin,
      body: { name: '', colour: 'red' },
    });
    expect(refused.status).toBe(422);
    expect(refused.body.errors).toMatchObject([{ location: 'body.name', value: '' }, { location: 'body.colour' }]);
  });
});

describe('PATCH /teams/{id}', () => {
  test('200: the name changes, the slug stays', async () => {
    const { body: team } = await make('Before');
    const renamed = await api.call('PATCH', `/api/v1/teams/${team.id}`, {
      as: ours.sessions.admin,
      body: { name: 'After' },
    });
    expect(renamed.status).toBe(200);
    expect(renamed.body).toMatchObject({ name: 'After', slug: 'before' });
    expect(await auditOf(team.id)).toEqual(['team.created', 'team.renamed']);
  });

  test('404 for a team of another organization', async () => {
    const { body: team } = await make('Ours');
    const refused = await api.call('PATCH', `/api/v1/teams/${team.id}`, {
      as: theirs.tokens.admin,
      body: { name: 'Theirs' },
    });
    expect(refused.status).toBe(404);
  });

  test('409 for a team that the identity provider keeps', async () => {
    const { body: team } = await make('Managed');
    await api.database.kysely
      .updateTable('team')
      .set({ scim_managed: true })
      .where('id', '=', String(team.id))
      .execute();
    for (const [method, path, body] of [
      ['PATCH', '', { name: 'Mine' }],
      ['DELETE', '', undefined],
      ['PUT', '/members', { userIds: [] }],
      ['PATCH', '/members', { add: [] }],
    ] as const) {
      const refused = await api.call(method, `/api/v1/teams/${team.id}${path}`, { as: ours.tokens.admin, body });
      expect(refused.status).toBe(409);
    }
    expect(await auditOf(team.id)).toEqual(['team.created']);
  });
});

describe('PUT /teams/{id}/members', () => {
  test('200 with the members, the list before replaced', async () => {
    const { body: team } = await make('Crew');
    const ada = await seedMember(api.database, ours.organizationId, 'viewer', 'Ada');
    const bob = await seedMember(api.database, ours.organizationId, 'viewer', 'Bob');
    const put = (userIds: string[]) =>
      api.call('PUT', `/api/v1/teams/${team.id}/members`, { as: ours.tokens.admin, body: { userIds } });
    expect((await put([ada, bob, bob])).body.members).toMatchObject([{ name: 'Ada' }, { name: 'Bob' }]);
    expect((await put([bob])).body.members).toMatchObject([{ userId: bob, name: 'Bob' }]);
    expect(await auditOf(team.id)).toEqual(['team.created', 'team.members_set', 'team.members_set']);
  });

  test('422 at the place of whoever is no member of the organization', async () => {
    const { body: team } = await make('Strangers');
    const member = await seedMember(api.database, ours.organizationId);
    const stranger = theirs.sessions.owner.userId;
    const refused = await api.call('PUT', `/api/v1/teams/${team.id}/members`, {
      as: ours.tokens.admin,
      body: { userIds: [member, stranger] },
    });
    expect(refused.status).toBe(422);
    expect(refused.body.errors).toMatchObject([{ location: 'body.userIds[1]', value: stranger }]);
  });
});

test('DELETE /teams/{id}: 204, and then 404', async () => {
  const { body: team } = await make('Gone');
  const remove = () => api.call('DELETE', `/api/v1/teams/${team.id}`, { as: ours.tokens.admin });
  const removed = await remove();
  expect([removed.status, removed.text]).toEqual([204, '']);
  expect((await remove()).status).toBe(404);
  expect(await auditOf(team.id)).toEqual(['team.created', 'team.deleted']);
});

test('GET /teams: pages in the order the teams were made in, each once', async () => {
  const fresh = await seed(api.database);
  const names = Array.from({ length: 7 }, (_, index) => `Team ${index}`);
  for (const name of names) {
    await api.call('POST', '/api/v1/teams', { as: fresh.tokens.admin, body: { name } });
  }
  const seen: unknown[] = [];
  let cursor: unknown;
  do {
    const query: string = cursor === undefined ? '' : `&cursor=${cursor}`;
    const { body } = await api.call('GET', `/api/v1/teams?limit=3${query}`, { as: fresh.tokens.viewer });
    if (Array.isArray(body.items)) seen.push(...body.items.map(({ name }) => name));
    cursor = body.nextCursor;
  } while (cursor !== undefined);
  expect(seen).toEqual(names);
});
