import { describe, expect, test } from 'vitest';
import { ok } from '../../test/api/client.ts';
import { ownApi } from '../../test/api/own-api.ts';

const { api, ours } = await ownApi();

const call = (method: string, path: string, body: unknown) => ours.sessions.owner.call(method, path, body);
const rule = { name: 'Shop', issuer: 'https://token.actions.githubusercontent.com', audience: 'us', role: 'viewer' };
const claims = (ref: string) => ({ repository: ['octo/shop'], ref: [ref] });

interface Changed {
  what: string;
  /** Creates the thing. Answers its path. */
  make: () => Promise<string>;
  method: 'PATCH' | 'PUT';
  field: string;
  /** The value at first, what another person makes of it, and what we would. */
  values: () => Promise<[unknown, unknown, unknown]>;
}
const made = async (path: string, body: unknown) => {
  const answer = ok(await call('POST', path, body), 201);
  const thing = (answer.cluster ?? answer) as { id: string };
  return `${path}/${thing.id}`;
};
const organization = (more: string) => async () => `/organizations/${ours.organizationId}${more}`;
const names = async (): Promise<[unknown, unknown, unknown]> => ['First', 'Theirs', 'Mine'];
let next = 0;

const things: Changed[] = [
  { what: 'team', make: () => made('/teams', { name: 'First' }), method: 'PATCH', field: 'name', values: names },
  { what: 'cluster', make: () => made('/clusters', { name: 'First' }), method: 'PATCH', field: 'name', values: names },
  {
    what: 'rule',
    make: () => made('/trusted-issuers', { ...rule, claims: claims('one'), name: `Shop ${next++}` }),
    method: 'PATCH',
    field: 'claims',
    values: async () => [claims('one'), claims('two'), claims('three')],
  },
  {
    what: 'organization',
    make: async () => {
      await call('PATCH', `/organizations/${ours.organizationId}`, { name: 'First' });
      return await organization('')();
    },
    method: 'PATCH',
    field: 'name',
    values: names,
  },
  {
    what: 'retention',
    make: organization('/deleted-retention'),
    method: 'PUT',
    field: 'hours',
    values: async () => [168, 48, 24],
  },
  {
    what: 'lifetime of join commands',
    make: organization('/join-token-ttl'),
    method: 'PUT',
    field: 'seconds',
    values: async () => [3600, 700, 800],
  },
  {
    what: 'role',
    make: async () => `/organizations/${ours.organizationId}/members/${await ours.member('viewer')}`,
    method: 'PATCH',
    field: 'role',
    values: async () => ['viewer', 'deployer', 'admin'],
  },
];

describe('a change that says what it was', () => {
  test.each(things)('is 409 with what became of the $what meanwhile, by whom and when', async (thing) => {
    const { make, method, field, values } = thing;
    const path = await make();
    const [first, theirs, mine] = await values();
    if (method === 'PUT') await call(method, path, { [field]: first });
    const change = (value: unknown, was?: unknown) =>
      call(method, path, { [field]: value, ...(was === undefined ? {} : { was: { [field]: was } }) });
    expect((await change(theirs, first)).status).toBe(200);
    const refused = await change(mine, first);
    expect(refused.status, refused.text).toBe(409);
    expect(refused.body).toMatchObject({
      errors: [{ location: `body.${field}` }],
      meanwhile: [{ location: `body.${field}`, value: theirs, by: 'Ada', at: expect.stringMatching(/Z$/) }],
    });
    // The same as theirs is no contradiction, nor is theirs as it is now; without `was` the last one counts.
    expect((await change(theirs, first)).status).toBe(200);
    expect((await change(mine, theirs)).status).toBe(200);
    expect((await change(first)).status).toBe(200);
  });

  test('leaves alone what others changed in other fields', async () => {
    const path = await made('/clusters', { name: 'Two', region: 'north' });
    const was = { name: 'Two', region: 'north' };
    expect((await call('PATCH', path, { region: 'south', was })).status).toBe(200);
    expect((await call('PATCH', path, { name: 'Three', was })).body).toMatchObject({ name: 'Three', region: 'south' });
  });
});

describe('PATCH /teams/{id}/members', () => {
  test('two changes at the same time both last', async () => {
    const path = `${await made('/teams', { name: 'Crew' })}/members`;
    const people = await Promise.all(['Ada', 'Bob', 'Eve'].map((name) => ours.member('viewer', name)));
    const [ada = '', bob = '', eve = ''] = people;
    await call('PUT', path, { userIds: [ada] });
    await Promise.all([
      call('PATCH', path, { add: [bob], remove: [] }),
      call('PATCH', path, { add: [eve] }),
      call('PATCH', path, { remove: [ada] }),
    ]);
    const now = await call('PATCH', path, { add: [bob, bob], remove: [ada] });
    expect(now.body.members).toMatchObject([{ name: 'Bob' }, { name: 'Eve' }]);
  });

  test('422 for who is no member, and for who is added and removed at once', async () => {
    const path = `${await made('/teams', { name: 'Strict' })}/members`;
    const stranger = (await api.organization()).sessions.owner.userId;
    const member = ours.sessions.viewer.userId;
    const refused = await call('PATCH', path, { add: [member, stranger] });
    expect([refused.status, refused.body.errors]).toMatchObject([422, [{ location: 'body.add[1]', value: stranger }]]);
    const both = await call('PATCH', path, { add: [member], remove: [member] });
    expect([both.status, both.body.errors]).toMatchObject([422, [{ location: 'body.remove[0]' }]]);
  });
});
