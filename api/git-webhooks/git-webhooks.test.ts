import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { effect } from '../../db/engine/effect.ts';
import { createConnection, webhookSecret } from '../../db/git-connections/connections.ts';
import { sweepGitDeliveries } from '../../db/git-connections/pushes/sweep-git-deliveries.ts';
import { tenant } from '../../db/postgres/tenant.ts';
import { cloneUrl } from '../../domain/git/clone-url.ts';
import type { GitProvider } from '../../domain/git/connections.ts';
import { noSource, type ServiceSource } from '../../domain/services/settings.ts';
import { type GitServer, gitServer } from '../../test/git/git-server.ts';
import { until } from '../../test/ground/until.ts';
import { type Answered, type RunningApi, runningApi, type Seeded, seed } from '../../test/installation/running-api.ts';
import { machine } from '../../test/seeds/seed.ts';
import { type SeededPlace, seedPlace } from '../../test/seeds/seed-place.ts';

const token = 'not-to-be-seen-in-any-answer';
let api: RunningApi;
let ours: Seeded;
let git: GitServer;
let commit: string;
let answers = '';

interface Connected {
  id: string;
  label: string;
  secret: string;
}

/** Whose host is `git`. */
let connection: Connected;
/** The repository of a test, empty at first in git, and a service that is built from it. */
let repository: string;
let place: SeededPlace;

beforeAll(async () => {
  api = await runningApi({ env: { OUTBOUND_ALLOWED_RANGES: '127.0.0.0/8' } });
  ours = await seed(api.database);
  git = await gitServer({ credential: `x-access-token:${token}` });
  connection = await connected('github', git.url);
});
afterAll(async () => {
  await git.close();
  await api.close();
});
beforeEach(async () => {
  const name = `team/app-${crypto.randomUUID().slice(0, 8)}`;
  repository = name;
  await git.create(`${name}.git`);
  commit = await git.commit(`${name}.git`, { 'index.html': name }, { message: 'Say hello' });
  place = await built({ gitConnectionId: connection.id, repository: name });
});

async function connected(provider: GitProvider, host: string): Promise<Connected> {
  const { organizationId } = ours;
  const label = `Git ${crypto.randomUUID()}`;
  const made = {
    kind: 'selfhosted-token',
    provider,
    host,
    label,
    token,
    accountLogin: 'ada',
    missingPermissions: [],
  } as const;
  const { id } = await effect(api.database, machine, (making) =>
    createConnection(making, api.keyring, organizationId, made),
  );
  const secret = await webhookSecret(api.database.kysely, api.keyring, organizationId, id);
  if (secret === undefined) throw new Error('The connection is not there.');
  return { id, label, secret };
}

/** A place whose applied source is that. */
async function built(
  source: Partial<ServiceSource>,
  { branch = '', deploys = true, beside }: { branch?: string; deploys?: boolean; beside?: SeededPlace } = {},
): Promise<SeededPlace> {
  const made = await seedPlace(api.database, ours.organizationId, beside === undefined ? {} : { beside });
  const text = JSON.stringify({ ...noSource, kind: 'git', ...source });
  await tenant(api.database.kysely, ours.organizationId)
    .updateTable('environment_service')
    .set({ settings: sql`jsonb_set(settings, '{source}', ${text}::jsonb)` })
    .where('service_id', '=', made.serviceId)
    .execute();
  await tenant(api.database.kysely, ours.organizationId)
    .updateTable('environment')
    .set({ git_branch: branch === '' ? null : branch, auto_deploy: deploys })
    .where('id', '=', made.environmentId)
    .execute();
  return made;
}

const none = '0'.repeat(40);
const pushOf = (more: object = {}) => ({
  ...{ ref: 'refs/heads/main', before: none, after: commit, pusher: { name: 'ada' } },
  head_commit: { id: commit, message: 'Say hello\n\nAnd more' },
  repository: { full_name: repository, default_branch: 'main' },
  ...more,
});
const sign = (secret: string, text: string) => createHmac('sha256', secret).update(text).digest('hex');

async function send(body: unknown, headers: Record<string, string> = {}, to = connection): Promise<Answered> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const own = { 'x-github-event': 'push', 'x-hub-signature-256': `sha256=${sign(to.secret, text)}` };
  const sent = { body: text, headers: { ...own, 'content-type': 'application/json', ...headers } };
  const answered = await api.call('POST', `/webhooks/git/${to.id}`, sent);
  answers += answered.text;
  return answered;
}
const buildsOf = async (of: SeededPlace) => {
  const listed = await api.call('GET', `/api/v1/services/${of.serviceId}/builds`, { as: ours.tokens.viewer });
  return listed.body.items as Record<string, unknown>[];
};
const statusOf = async ({ id }: Connected = connection) => {
  const row = await tenant(api.database.kysely, ours.organizationId)
    .selectFrom('git_connection')
    .select('last_delivery_status as status')
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  return row.status;
};

test('a push builds what is applied with its repository and branch, and says what it led to', async () => {
  const { status, body } = await send(pushOf());
  expect(status).toBe(200);
  const [build] = await buildsOf(place);
  expect(body).toEqual({ builds: [{ id: build?.id, service: expect.any(String), environment: 'Staging' }] });
  expect(build).toMatchObject({ trigger: 'push', branch: 'main', commitSha: commit, repository, deploys: true });
  expect(build).toMatchObject({ commitMessage: 'Say hello', status: 'queued' });
  expect(build).not.toHaveProperty('actorUserId');
  expect(await statusOf()).toBe(`received: main of ${repository}, 1 build`);
  const row = await api.database.kysely
    .selectFrom('build')
    .select(['requested_by_kind as kind', 'requested_by_name as name', 'git_ref as ref', 'git_url as url'])
    .where('id', '=', String(build?.id))
    .executeTakeFirst();
  expect(row).toEqual({
    kind: 'machine',
    name: 'Git push by ada',
    ref: 'refs/heads/main',
    url: cloneUrl(git.url, repository),
  });
});

test('the same message again builds nothing, whatever its header says; nor do two at once', async () => {
  const first = await send(pushOf(), { 'x-github-delivery': 'one' });
  expect(first.body.builds).toHaveLength(1);
  await tenant(api.database.kysely, ours.organizationId)
    .updateTable('build')
    .set({ finished_at: new Date(), state: 'failed' })
    .execute();
  expect((await send(pushOf(), { 'x-github-delivery': 'two' })).body).toEqual({
    builds: [],
    ignored: 'this message was taken before',
  });
  const other = pushOf({ pushed_at: 2 });
  const both = await Promise.all([send(other), send(other), send(other)]);
  expect(both.map(({ body }) => (body.builds as unknown[]).length).toSorted()).toEqual([0, 0, 1]);
  expect(await buildsOf(place)).toHaveLength(2);
});

test('a month later a message is forgotten, and not before', async () => {
  await send(pushOf());
  const { kysely } = api.database;
  const rows = () => tenant(kysely, ours.organizationId).selectFrom('git_delivery').select('name').execute();
  await sweepGitDeliveries(kysely);
  expect(await rows()).not.toEqual([]);
  await sql`/* across tenants */ update git_delivery set received_at = now() - interval '31 days'`.execute(kysely);
  await sweepGitDeliveries(kysely);
  expect(await rows()).toEqual([]);
});

describe('refused', () => {
  test('a wrong signature and none at all, in one sentence; the connection says so', async () => {
    const own = await connected('github', 'git.example.com');
    const wrong = await send(pushOf(), { 'x-hub-signature-256': `sha256=${'0'.repeat(64)}` }, own);
    expect([wrong.status, wrong.body.detail]).toEqual([403, 'The signature of the message is wrong.']);
    expect(await statusOf(own)).toBe('refused: wrong signature');
    const unsigned = await api.call('POST', `/webhooks/git/${own.id}`, { body: pushOf() });
    expect([unsigned.status, unsigned.body.detail]).toEqual([403, wrong.body.detail]);
    const others = await send(
      pushOf(),
      { 'x-hub-signature-256': `sha256=${sign(connection.secret, JSON.stringify(pushOf()))}` },
      own,
    );
    expect(others.status).toBe(403);
    expect(await buildsOf(place)).toEqual([]);
  });

  test('an unknown connection, one that is deleted, and what is no id, alike', async () => {
    const gone = await connected('github', 'git.example.com');
    await tenant(api.database.kysely, ours.organizationId)
      .deleteFrom('git_connection')
      .where('id', '=', gone.id)
      .execute();
    const answered = await Promise.all(
      [gone, { ...gone, id: crypto.randomUUID() }, { ...gone, id: "x'--" }].map((one) => send(pushOf(), {}, one)),
    );
    expect(answered.map(({ status }) => status)).toEqual([404, 404, 404]);
    expect(new Set(answered.map(({ body }) => body.detail)).size).toBe(1);
  });

  test('what is no JSON after a right signature, and what is no object', async () => {
    expect((await send('payload=%7B%7D')).status).toBe(400);
    expect(await statusOf()).toContain('no JSON');
    for (const odd of ['null', '[]', '"x"', '7', '{"repository":null}']) {
      expect((await send(odd)).body).toMatchObject({ builds: [], ignored: expect.any(String) });
    }
  });

  test('a body that is too large, told by its length alone or not', async () => {
    expect((await send(JSON.stringify({ more: 'x'.repeat(6 * 1024 * 1024) }))).status).toBe(413);
    expect((await send(pushOf({ more: 'x'.repeat(1024 * 1024) }))).body.builds).toHaveLength(1);
  });

  test('slow bodies of one connection do not hold more than a few, nor those of another', async () => {
    const slow = await connected('github', 'git.example.com');
    const signature = `X-Hub-Signature-256: sha256=${'0'.repeat(64)}`;
    const held: Socket[] = [];
    const hold = async () => {
      const socket = connect(Number(new URL(api.url).port), '127.0.0.1');
      held.push(socket);
      await once(socket, 'connect');
      socket.on('error', () => undefined);
      const head = `POST /webhooks/git/${slow.id} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 999`;
      socket.write(`${head}\r\n${signature}\r\n\r\n{`);
    };
    await until('no more are read', async () => {
      await hold();
      return (await send(pushOf(), {}, slow)).status === 503;
    });
    expect((await send(pushOf())).status).toBe(200);
    for (const socket of held) socket.destroy();
    await until('they are read again', async () => (await send({ ref: 1 }, {}, slow)).status === 200);
  });
});

describe('nothing is built', () => {
  const ignored = async (more: object, headers = {}) => {
    const { status, body } = await send(pushOf(more), headers);
    expect([status, body.builds]).toEqual([200, []]);
    expect(await buildsOf(place)).toEqual([]);
    return body.ignored;
  };
  test('of another branch', async () => {
    expect(await ignored({ ref: 'refs/heads/dev' })).toContain('no service is built by refs/heads/dev');
  });
  test('of a tag where there is no template', async () => {
    expect(await ignored({ ref: 'refs/tags/v1' })).toContain('refs/tags/v1');
  });
  test('of a deleted branch', async () => {
    expect(await ignored({ after: none, head_commit: null })).toBe('refs/heads/main was deleted');
  });
  test('of a pull request, which may come from a fork', async () => {
    expect(await ignored({}, { 'x-github-event': 'pull_request' })).toContain('may come from a fork');
  });
  test('of a fork, whose name is another', async () => {
    expect(await ignored({ repository: { full_name: `mallory/${repository}`, default_branch: 'main' } })).toContain(
      'no applied',
    );
  });
  test('of a push that arrives after a later one', async () => {
    const newer = await git.commit(`${repository}.git`, { 'index.html': 'Newer' });
    expect(await ignored({})).toBe(
      `refs/heads/main names ${newer.slice(0, 12)} by now, and no longer ${commit.slice(0, 12)}`,
    );
  });
  test('of an environment that is deleted, or has no cluster', async () => {
    const own = tenant(api.database.kysely, ours.organizationId).updateTable('environment');
    await own.set({ cluster_id: null }).where('id', '=', place.environmentId).execute();
    expect(await ignored({})).toContain('no applied service');
  });
});

test('a host that is a copy and lags behind, or cannot be asked, is believed', async () => {
  const newer = 'b'.repeat(40);
  expect((await send(pushOf({ before: commit, after: newer, head_commit: null }))).body.builds).toHaveLength(1);
  const away = await connected('github', 'http://127.0.0.1:9');
  const other = await built({ gitConnectionId: away.id, repository: 'team/app' });
  expect(
    (await send(pushOf({ repository: { full_name: 'Team/App', default_branch: 'main' } }), {}, away)).body.builds,
  ).toHaveLength(1);
  expect(await buildsOf(other)).toMatchObject([{ commitSha: commit, repository: 'team/app' }]);
});

test('a service in two environments is built in each whose branch it is; without automatic deployment it is not deployed', async () => {
  const dev = await git.commit(`${repository}.git`, { 'index.html': 'Dev' }, { branch: 'dev' });
  const [first, second] = [
    await built({ gitConnectionId: connection.id, repository }, { branch: 'dev', deploys: false }),
    await built({ gitUrl: `${cloneUrl(git.url, repository)}/` }, { branch: 'dev' }),
  ];
  const { body } = await send(pushOf({ ref: 'refs/heads/dev', after: dev, head_commit: { id: dev, message: 'Dev' } }));
  expect(body.builds).toHaveLength(2);
  expect(await buildsOf(place)).toEqual([]);
  expect(await buildsOf(first)).toMatchObject([{ branch: 'dev', deploys: false }]);
  expect(await buildsOf(second)).toMatchObject([{ branch: 'dev', deploys: true }]);
});

test('a service with a template is built by tags that match, and no longer by pushes', async () => {
  const tagged = await built({ gitConnectionId: connection.id, repository, trigger: { tagTemplate: 'v*' } });
  await git.git(`${repository}.git`, 'tag', '-a', '-m', 'One', 'v1', 'main');
  await git.git(`${repository}.git`, 'tag', 'api-v1', 'main');
  await send(pushOf());
  expect(await buildsOf(tagged)).toEqual([]);
  const tag = { ref: 'refs/tags/v1', after: 'c'.repeat(40) };
  expect((await send(pushOf(tag))).body.builds).toHaveLength(1);
  expect((await send(pushOf({ ...tag, ref: 'refs/tags/api-v1' }))).body.builds).toEqual([]);
  expect(await buildsOf(tagged)).toMatchObject([{ trigger: 'tag', commitSha: commit, branch: 'v1' }]);
  expect(await buildsOf(place)).toHaveLength(1);
});

test('GitLab shows a token, Gitea signs, and a script signs with the time', async () => {
  const [gitlab, gitea, plain] = [
    await connected('gitlab', 'git.example.com'),
    await connected('gitea', 'git.example.com'),
    await connected('plain', 'git.example.com'),
  ];
  const ping = { 'x-github-event': '', 'x-hub-signature-256': '' };
  const merge = { object_kind: 'merge_request' };
  const shown = await send(merge, { ...ping, 'x-gitlab-token': gitlab.secret }, gitlab);
  expect([shown.status, shown.body.ignored]).toEqual([200, expect.stringContaining('fork')]);
  expect((await send(merge, { ...ping, 'x-gitlab-token': 'wrong' }, gitlab)).status).toBe(403);
  const text = JSON.stringify({ ping: true });
  const signed = await send(
    text,
    { ...ping, 'x-gitea-event': 'ping', 'x-gitea-signature': sign(gitea.secret, text) },
    gitea,
  );
  expect(signed.body.ignored).toContain('the webhook is set up');
  const at = (seconds: number) => ({
    ...ping,
    'x-ballast-signature': `t=${seconds},v1=${sign(plain.secret, `${seconds}.${text}`)}`,
  });
  const now = Math.floor(Date.now() / 1000);
  expect((await send(text, at(now), plain)).status).toBe(200);
  expect((await send(text, at(now), plain)).body.ignored).toContain('taken before');
  expect((await send(text, at(now - 400), plain)).status).toBe(403);
});

test('no answer has a token or a secret in it', () => {
  expect(answers).not.toContain(token);
  expect(answers).not.toContain(connection.secret);
});
