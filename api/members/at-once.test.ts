import { sql } from 'kysely';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { expectProblem } from '../../test/api/expect-problem.ts';
import { type ReadStream, readStream } from '../../test/ground/read-stream.ts';
import { until } from '../../test/ground/until.ts';
import { type SignedIn, signIn } from '../../test/identity/people.ts';
import { type Answered, type Credential, type RunningApi, runningApi } from '../../test/installation/running-api.ts';

/** Two processes. Streams look their credential up again every 30 s: what closes sooner was told by the feed or a timer. */
const opened: ReadStream[] = [];

const api = await runningApi({ manyClients: true });
const twin = await api.twin();
const ours = await api.organization();
afterEach(() => {
  for (const stream of opened.splice(0)) stream.stop();
});
afterAll(async () => {
  await twin.close();
  await api.close();
});

const path = () => `/organizations/${ours.organizationId}`;
const owner = () => ours.sessions.owner;

async function join(role: 'viewer' | 'admin', organizationId = ours.organizationId): Promise<SignedIn> {
  const person = await signIn(api.database, { name: 'Bob' });
  await api.rows.add('membership', { organization_id: organizationId, user_id: person.userId, role });
  return person;
}

async function streamsOf(as: Credential): Promise<ReadStream[]> {
  const streams = [
    await readStream(api, '/api/v1/events/stream', as),
    await readStream(twin, '/api/v1/events/stream', as),
  ];
  opened.push(...streams);
  for (const stream of streams)
    expect([stream.text(), stream.ended()]).toEqual([expect.stringMatching(/^: open/), false]);
  return streams;
}
const allEnd = (streams: ReadStream[], seconds = 2) =>
  until('the streams end', async () => streams.every((stream) => stream.ended()), seconds);

interface Case {
  what: string;
  act: (bob: SignedIn) => Promise<Answered>;
  refused: string;
}
const cases: Case[] = [
  {
    what: 'another role',
    act: ({ userId }) => owner().patch(`${path()}/members/${userId}`, { role: 'viewer' }),
    refused: 'yours in this organization is viewer',
  },
  {
    what: 'removal',
    act: ({ userId }) => owner().delete(`${path()}/members/${userId}`),
    refused: 'you do not belong to',
  },
  {
    what: 'leaving',
    act: (bob) => api.as(bob.in(ours.organizationId)).post(`${path()}/leave`),
    refused: 'you do not belong to',
  },
  {
    what: 'the end of the session',
    act: (bob) => api.as(bob.in(ours.organizationId)).delete(`/auth/sessions/${bob.in().id}`),
    refused: 'The session has ended',
  },
  {
    what: 'signing out',
    act: (bob) => api.as(bob.in(ours.organizationId)).post('/auth/sign-out'),
    refused: 'The session has ended',
  },
];

describe.each(cases)('$what', ({ act, refused }) => {
  test('holds for the next request and closes open streams at once, in every process', async () => {
    const bob = await join('admin');
    const as = bob.in(ours.organizationId);
    const list = (at: RunningApi) => at.call('GET', '/api/v1/api-tokens', { as });
    expect((await list(twin)).status).toBe(200);
    const streams = await streamsOf(as);
    const kept = await streamsOf(ours.sessions.viewer);
    const done = await act(bob);
    expect(done.status, done.text).toBeLessThan(300);
    for (const at of [twin, api]) {
      expectProblem(await list(at), 403, refused);
    }
    await allEnd(streams);
    expect(kept.map((stream) => stream.ended())).toEqual([false, false]);
  });
});

test('what closes in one organization goes on in another', async () => {
  const other = await api.organization();
  const bob = await join('viewer');
  await api.rows.add('membership', { organization_id: other.organizationId, user_id: bob.userId, role: 'viewer' });
  const [here, there] = [await streamsOf(bob.in(ours.organizationId)), await streamsOf(bob.in(other.organizationId))];
  await owner().delete(`${path()}/members/${bob.userId}`);
  await allEnd(here);
  expect(there.map((stream) => stream.ended())).toEqual([false, false]);
});

test('a second factor that is required from now on', async () => {
  const strict = await api.organization();
  const eve = await signIn(api.database, { mfa: true });
  await api.rows.add('membership', { organization_id: strict.organizationId, user_id: eve.userId, role: 'admin' });
  const streams = await streamsOf(strict.sessions.viewer);
  const done = await api
    .as(eve.in(strict.organizationId))
    .patch(`/organizations/${strict.organizationId}`, { requireMfa: true, confirmMembersWithoutMfa: true });
  expect(done.status, done.text).toBe(200);
  expectProblem(await twin.as(strict.sessions.viewer).get('/teams'), 403, 'second factor');
  await allEnd(streams);
  expect((await twin.as(eve.in(strict.organizationId)).get('/teams')).status).toBe(200);
});

test('a token that is revoked', async () => {
  const token = await ours.token('viewer');
  const streams = await streamsOf(token);
  await owner().delete(`/api-tokens/${token.id}`);
  expect((await twin.as(token).get('/teams')).body.detail).toContain('was revoked');
  await allEnd(streams);
});

describe('what expires closes its streams at that moment', () => {
  /** Long enough to open two streams in. */
  const seconds = 2;

  test('a token', async () => {
    const token = await ours.token('viewer');
    await api.sql`update api_token set expires_at = now() - interval '1 second' + make_interval(secs => ${seconds}) where id = ${token.id}`;
    await allEnd(await streamsOf(token), seconds + 2);
    expect((await twin.as(token).get('/teams')).body.detail).toContain('has expired');
  });

  test.each([
    ['a session, at its end', sql`expires_at = now() - interval '1 second' + make_interval(secs => ${seconds})`],
    [
      'a session that nobody uses',
      sql`idle_seconds = ${seconds}, idle_expires_at = now() - interval '1 second' + make_interval(secs => ${seconds})`,
    ],
  ])('%s', async (_, set) => {
    const bob = await join('viewer');
    await api.sql`update session set ${set} where id = ${bob.in().id}`;
    await allEnd(await streamsOf(bob.in(ours.organizationId)), seconds + 4);
    const next = await twin.as(bob.in(ours.organizationId)).get('/teams');
    expect(next.body.detail).toContain('The session has ended');
  });
});
