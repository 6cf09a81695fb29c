import { describe, expect, test } from 'vitest';
import { ok } from '../../test/api/client.ts';
import { expectProblem } from '../../test/api/expect-problem.ts';
import { ownApi } from '../../test/api/own-api.ts';

const { api, ours } = await ownApi();
const theirs = await api.organization();

const make = (name: string) => ours.tokens.admin.post('/teams', { name });

async function auditOf(subjectId: unknown): Promise<string[]> {
  const rows = await api.rows.all('audit_record', { subject_id: String(subjectId) }, 'at');
  expect(rows.every((row) => row.ip === '127.0.0.1' && row.request_id !== null)).toBe(true);
  return rows.map(({ action }) => action);
}

async function hintsOf(subjectId: unknown): Promise<number> {
  const rows = await api.rows.all('change_feed', { subject_id: String(subjectId) });
  return rows.length;
}

describe('POST /teams', () => {
  test('201 with the team, whose slug follows from its name', async () => {
    const made = ok(await make('  Söhne & Co '), 201);
    expect(made).toMatchObject({ name: 'Söhne & Co', slug: 'sohne-co', scimManaged: false, members: [] });
    expect(made.$schema).toBe('urn:ballast:schema:Team');
    expect(await auditOf(made.id)).toEqual(['team.created']);
    expect(await hintsOf(made.id)).toBe(1);
  });

  test('409 for a name that is taken, whatever its case', async () => {
    await make('Platform');
    expectProblem(await make('platform'), 409, 'platform');
  });

  test('422 that names every field at fault', async () => {
    const refused = await ours.tokens.admin.post('/teams', { name: '', colour: 'red' });
    expect(refused.status).toBe(422);
    expect(refused.body.errors).toMatchObject([{ location: 'body.name', value: '' }, { location: 'body.colour' }]);
  });
});

describe('PATCH /teams/{id}', () => {
  test('200: the name changes, the slug stays', async () => {
    const { body: team } = await make('Before');
    const renamed = await ours.sessions.admin.patch(`/teams/${team.id}`, { name: 'After' });
    expect(renamed.status).toBe(200);
    expect(renamed.body).toMatchObject({ name: 'After', slug: 'before' });
    expect(await auditOf(team.id)).toEqual(['team.created', 'team.renamed']);
  });

  test('404 for a team of another organization', async () => {
    const { body: team } = await make('Ours');
    expect((await theirs.tokens.admin.patch(`/teams/${team.id}`, { name: 'Theirs' })).status).toBe(404);
  });

  test('409 for a team that the identity provider keeps', async () => {
    const { body: team } = await make('Managed');
    await api.rows.set('team', { id: String(team.id) }, { scim_managed: true });
    for (const [method, path, body] of [
      ['PATCH', '', { name: 'Mine' }],
      ['DELETE', '', undefined],
      ['PUT', '/members', { userIds: [] }],
      ['PATCH', '/members', { add: [] }],
    ] as const) {
      expect((await ours.tokens.admin.call(method, `/teams/${team.id}${path}`, body)).status).toBe(409);
    }
    expect(await auditOf(team.id)).toEqual(['team.created']);
  });
});

describe('PUT /teams/{id}/members', () => {
  test('200 with the members, the list before replaced', async () => {
    const { body: team } = await make('Crew');
    const ada = await ours.member('viewer', 'Ada');
    const bob = await ours.member('viewer', 'Bob');
    const put = (userIds: string[]) => ours.tokens.admin.put(`/teams/${team.id}/members`, { userIds });
    expect((await put([ada, bob, bob])).body.members).toMatchObject([{ name: 'Ada' }, { name: 'Bob' }]);
    expect((await put([bob])).body.members).toMatchObject([{ userId: bob, name: 'Bob' }]);
    expect(await auditOf(team.id)).toEqual(['team.created', 'team.members_set', 'team.members_set']);
  });

  test('422 at the place of whoever is no member of the organization', async () => {
    const { body: team } = await make('Strangers');
    const member = await ours.member();
    const stranger = theirs.sessions.owner.userId;
    const refused = await ours.tokens.admin.put(`/teams/${team.id}/members`, { userIds: [member, stranger] });
    expect(refused.status).toBe(422);
    expect(refused.body.errors).toMatchObject([{ location: 'body.userIds[1]', value: stranger }]);
  });
});

test('DELETE /teams/{id}: 204, and then 404', async () => {
  const { body: team } = await make('Gone');
  const remove = () => ours.tokens.admin.delete(`/teams/${team.id}`);
  const removed = await remove();
  expect([removed.status, removed.text]).toEqual([204, '']);
  expect((await remove()).status).toBe(404);
  expect(await auditOf(team.id)).toEqual(['team.created', 'team.deleted']);
});

test('GET /teams: pages in the order the teams were made in, each once', async () => {
  const fresh = await api.organization();
  const names = Array.from({ length: 7 }, (_, index) => `Team ${index}`);
  for (const name of names) {
    await fresh.tokens.admin.post('/teams', { name });
  }
  const seen: unknown[] = [];
  let cursor: unknown;
  do {
    const query: string = cursor === undefined ? '' : `&cursor=${cursor}`;
    const { body } = await fresh.tokens.viewer.get(`/teams?limit=3${query}`);
    if (Array.isArray(body.items)) seen.push(...body.items.map(({ name }) => name));
    cursor = body.nextCursor;
  } while (cursor !== undefined);
  expect(seen).toEqual(names);
});
