import { once } from 'node:events';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { v7 as uuid } from 'uuid';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { effect } from '../db/engine/effect.ts';
import { notify } from '../db/notifications/notify.ts';
import { tenant } from '../db/postgres/tenant.ts';
import { clusterLost } from '../domain/notifications/messages.ts';
import { type JoinedCluster, joinedCluster } from '../test/clusters/joined-cluster.ts';
import { until } from '../test/ground/until.ts';
import { seedSession } from '../test/installation/running-api.ts';
import { machine, seedOrganization } from '../test/seeds/seed.ts';

let joined: JoinedCluster;
let ballast: JoinedCluster['ballast'];
let ours: JoinedCluster['ours'];
let env: Record<string, string>;

beforeAll(async () => {
  joined = await joinedCluster();
  ({ ballast, ours } = joined);
  // A session needs no token beside it.
  env = { BALLAST_TOKEN: '', BALLAST_SESSION_FILE: sessionFile('admin', secretOf(ours.sessions.admin)) };
});
afterAll(() => joined?.close());

const secretOf = (credential: object) => ('session' in credential ? String(credential.session) : '');
function sessionFile(name: string, text: string, mode = 0o600): string {
  const file = join(joined.directory, name);
  writeFileSync(file, `${text}\n`);
  chmodSync(file, mode);
  return file;
}

/** Events that all admins hear of, in one moment. */
async function happen(names: readonly string[], organizationId = ours.organizationId): Promise<void> {
  await effect(joined.api.database, machine, async (telling) => {
    for (const name of names) {
      const message = clusterLost({ clusterId: uuid(), name });
      await notify(telling, { organizationId, occasion: name, message, to: { admins: true } });
    }
  });
}

test('a person lists the own inbox and marks entries as read, one by one or all', async () => {
  expect(await ballast(['notification', 'list'], { env })).toMatchObject({ out: 'There are no notifications.\n' });
  for (const name of ['oslo', 'rome', 'bonn\u001b[31m']) {
    await happen([name]);
    // Of one millisecond none is the newest.
    const at = Date.now();
    await until('the next millisecond', async () => Date.now() > at);
  }
  const listed = await ballast(['notification', 'list'], { env });
  expect(listed.err).toBe('3 unread.\n');
  expect(listed.out).toMatch(
    /^at +kind +title +id\n.* warning +unread +Cluster bonn\?\[31m lost contact with its agent/,
  );
  const [newest] = JSON.parse((await ballast(['notification', 'list', '--limit', '1', '--json'], { env })).out)
    .notifications as { id: string }[];
  const read = await ballast(['notification', 'read', newest?.id ?? ''], { env });
  expect(read).toEqual({ code: 0, out: '1 marked as read; 2 unread.\n', err: '' });
  const unread = await ballast(['notification', 'list', '--unread'], { env });
  expect(unread.out.match(/Cluster \w+/g)).toEqual(['Cluster rome', 'Cluster oslo']);
  const all = await ballast(['notification', 'read', '--all', '--json'], { env });
  expect(JSON.parse(all.out)).toEqual({ unreadCount: 0, updated: 2 });
});

test('a token is no way to an inbox, and a session that others could read is not used', async () => {
  const token = 'token' in ours.tokens.admin ? ours.tokens.admin.token : '';
  const refused = async (words: string[], file?: string) => {
    const given = { BALLAST_TOKEN: token, ...(file === undefined ? {} : { BALLAST_SESSION_FILE: file }) };
    const { code, out, err } = await ballast(['notification', ...words], { env: given });
    expect(out).toBe('');
    return [code, err];
  };
  const secret = secretOf(ours.sessions.admin);
  expect(
    await Promise.all([
      refused(['list']),
      refused(['list'], sessionFile('token', token)),
      refused(['list'], sessionFile('open', secret, 0o640)),
      refused(['list'], join(joined.directory, 'missing')),
      refused(['list'], sessionFile('ended', secret.replace(/.{4}$/, 'AAAA'))),
      refused(['read'], sessionFile('own', `svc_session=${secret}`)),
      refused(['list', '--organization', 'theirs'], sessionFile('own', `svc_session=${secret}`)),
    ]),
  ).toEqual([
    [1, expect.stringMatching(/^ballast: An API token has no inbox: read it in the console, or .+\.\n$/)],
    [1, expect.stringMatching(/^ballast: The session file .+\/token holds no session; .+\.\n$/)],
    [1, expect.stringMatching(/^ballast: Other users of this machine can read the session file .+chmod 600.+\.\n$/)],
    [1, expect.stringMatching(/^ballast: The session file .+missing cannot be read \(ENOENT\); .+\.\n$/)],
    [1, 'ballast: The session has ended; sign in again.\n'],
    [2, expect.stringContaining('Say which ones by their ids')],
    [2, `ballast: You are no member of an organization "theirs"; there is: ${ours.slug}.\n`],
  ]);
});

test('of several organizations one is named, and has an inbox of its own', async () => {
  const second = await seedOrganization(joined.api.database, 'second');
  const both = await seedSession(joined.api.database, second, 'owner');
  await tenant(joined.api.database.kysely, ours.organizationId)
    .insertInto('membership')
    .values({ user_id: both.userId, role: 'admin' })
    .execute();
  const mine = { BALLAST_SESSION_FILE: sessionFile('both', both.session) };
  await happen(['there'], second);
  const list = (...more: string[]) => ballast(['notification', 'list', ...more], { env: mine });
  const [either, there, here] = await Promise.all([
    list(),
    list('--organization', 'second'),
    list('--organization', ours.slug),
  ]);
  expect([either.code, either.err]).toEqual([2, expect.stringMatching(/say which one by --organization: .*second/)]);
  expect(there.out).toContain('Cluster there lost contact');
  expect(here.out).not.toContain('there');
});

/** `watch`, once it has taken note of what is there. */
async function watching(given: Record<string, string>) {
  const child = joined.spawnBallast(['notification', 'watch'], given);
  const said = { out: '', err: '' };
  child.stdout.on('data', (bytes) => {
    said.out += bytes;
  });
  child.stderr.on('data', (bytes) => {
    said.err += bytes;
  });
  const ended = once(child, 'close');
  await until('it watches', async () => said.err.includes('New notifications follow'));
  return { child, said, ended };
}

test('watch prints what is new, also what came while the connection was lost, and ends with Ctrl-C', async () => {
  await happen(['before']);
  const { child, said, ended } = await watching(env);
  const printed = () => [...said.out.matchAll(/Cluster (\w+)/g)].map(([, name]) => name);
  await happen(['first']);
  await until('the first', async () => printed().length === 1);
  await joined.api.dropConnections();
  // More than a page of the inbox, and then one that is newer.
  const burst = Array.from({ length: 60 }, (_, number) => `burst${number}`);
  await happen(burst);
  await happen(['last']);
  await until('those of meanwhile', async () => printed().includes('last'));
  expect([printed().length, new Set(printed())]).toEqual([62, new Set(['first', ...burst, 'last'])]);
  expect(said.out).toMatch(
    /^20\S+Z {2}warning {3}Cluster first lost contact with its agent {2}http:.+\/clusters\/[\w-]{36}\n/,
  );
  child.kill('SIGINT');
  expect(await ended).toEqual([0, null]);
});

test('watch ends with the session, and says so', async () => {
  const as = await seedSession(joined.api.database, ours.organizationId, 'admin');
  const { said, ended } = await watching({ BALLAST_SESSION_FILE: sessionFile('short', as.session) });
  expect((await joined.api.call('DELETE', `/api/v1/auth/sessions/${as.id}`, { as })).status).toBe(204);
  expect(await ended).toEqual([1, null]);
  expect(said.err).toContain('ballast: The session has ended; sign in again.\n');
});
