import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sweepGitDeliveries } from '../../db/git-connections/pushes.ts';
import { tenant } from '../../db/postgres/tenant.ts';
import { cloneUrl } from '../../domain/git/address.ts';
import { none, type Pushed, pushOf, type WebhookGround, webhookGround } from '../../test/git/webhook-ground.ts';

let ground: WebhookGround;
beforeAll(async () => {
  ground = await webhookGround();
});
afterAll(() => ground.close());

test('a push builds what is applied with its repository and branch, and says what it led to', async () => {
  const pushed = await ground.repository();
  const { status, body } = await ground.send(pushOf(pushed));
  expect(status).toBe(200);
  const [build] = await ground.buildsOf(pushed.place);
  expect(body).toEqual({ builds: [{ id: build?.id, service: expect.any(String), environment: 'Staging' }] });
  expect(build).toMatchObject({
    trigger: 'push',
    branch: 'main',
    commitSha: pushed.commit,
    repository: pushed.repository,
    deploys: true,
  });
  expect(build).toMatchObject({ commitMessage: 'Say hello', status: 'queued' });
  expect(build).not.toHaveProperty('actorUserId');
  expect(await ground.statusOf()).toBe(`received: main of ${pushed.repository}, 1 build`);
  expect(await ground.api.rows.one('build', { id: String(build?.id) })).toMatchObject({
    requested_by_kind: 'machine',
    requested_by_name: 'Git push by ada',
    git_ref: 'refs/heads/main',
    git_url: cloneUrl(ground.git.url, pushed.repository),
  });
});

describe('nothing is built', () => {
  // Of none of these is there a build, so that they may share a repository. A message that comes again is ignored anyway.
  let pushed: Pushed;
  beforeAll(async () => {
    pushed = await ground.repository();
  });
  const ignored = async (more: object, headers = {}) => {
    const { status, body } = await ground.send(pushOf(pushed, more), headers);
    expect([status, body.builds]).toEqual([200, []]);
    expect(await ground.buildsOf(pushed.place)).toEqual([]);
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
    expect(
      await ignored({ repository: { full_name: `mallory/${pushed.repository}`, default_branch: 'main' } }),
    ).toContain('no applied');
  });
  test('of a push that arrives after a later one', async () => {
    const newer = await ground.git.commit(`${pushed.repository}.git`, { 'index.html': 'Newer' });
    expect(await ignored({ pushed_at: 2 })).toBe(
      `refs/heads/main names ${newer.slice(0, 12)} by now, and no longer ${pushed.commit.slice(0, 12)}`,
    );
  });
  test('of an environment that is deleted, or has no cluster', async () => {
    await ground.ours.rows.set('environment', { id: pushed.place.environmentId }, { cluster_id: null });
    expect(await ignored({ pushed_at: 3 })).toContain('no applied service');
  });
});

test('a host that is a copy and lags behind, or cannot be asked, is believed', async () => {
  const pushed = await ground.repository();
  const newer = 'b'.repeat(40);
  expect(
    (await ground.send(pushOf(pushed, { before: pushed.commit, after: newer, head_commit: null }))).body.builds,
  ).toHaveLength(1);
  const away = await ground.connected('github', 'http://127.0.0.1:9');
  const other = await ground.built({ gitConnectionId: away.id, repository: 'team/app' });
  expect(
    (await ground.send(pushOf(pushed, { repository: { full_name: 'Team/App', default_branch: 'main' } }), {}, away))
      .body.builds,
  ).toHaveLength(1);
  expect(await ground.buildsOf(other)).toMatchObject([{ commitSha: pushed.commit, repository: 'team/app' }]);
});

test('a service in two environments is built in each whose branch it is; without automatic deployment it is not deployed', async () => {
  const pushed = await ground.repository();
  const dev = await ground.git.commit(`${pushed.repository}.git`, { 'index.html': 'Dev' }, { branch: 'dev' });
  const [first, second] = [
    await ground.built(
      { gitConnectionId: ground.connection.id, repository: pushed.repository },
      { branch: 'dev', deploys: false },
    ),
    await ground.built({ gitUrl: `${cloneUrl(ground.git.url, pushed.repository)}/` }, { branch: 'dev' }),
  ];
  const { body } = await ground.send(
    pushOf(pushed, { ref: 'refs/heads/dev', after: dev, head_commit: { id: dev, message: 'Dev' } }),
  );
  expect(body.builds).toHaveLength(2);
  expect(await ground.buildsOf(pushed.place)).toEqual([]);
  expect(await ground.buildsOf(first)).toMatchObject([{ branch: 'dev', deploys: false }]);
  expect(await ground.buildsOf(second)).toMatchObject([{ branch: 'dev', deploys: true }]);
});

test('a service with a template is built by tags that match, and no longer by pushes', async () => {
  const pushed = await ground.repository();
  const tagged = await ground.built({
    gitConnectionId: ground.connection.id,
    repository: pushed.repository,
    trigger: { tagTemplate: 'v*' },
  });
  await ground.git.git(`${pushed.repository}.git`, 'tag', '-a', '-m', 'One', 'v1', 'main');
  await ground.git.git(`${pushed.repository}.git`, 'tag', 'api-v1', 'main');
  await ground.send(pushOf(pushed));
  expect(await ground.buildsOf(tagged)).toEqual([]);
  const tag = { ref: 'refs/tags/v1', after: 'c'.repeat(40) };
  expect((await ground.send(pushOf(pushed, tag))).body.builds).toHaveLength(1);
  expect((await ground.send(pushOf(pushed, { ...tag, ref: 'refs/tags/api-v1' }))).body.builds).toEqual([]);
  expect(await ground.buildsOf(tagged)).toMatchObject([{ trigger: 'tag', commitSha: pushed.commit, branch: 'v1' }]);
  expect(await ground.buildsOf(pushed.place)).toHaveLength(1);
});

test('the same message again builds nothing, whatever its header says; nor do two at once', async () => {
  const pushed = await ground.repository();
  const first = await ground.send(pushOf(pushed), { 'x-github-delivery': 'one' });
  expect(first.body.builds).toHaveLength(1);
  await ground.ours.rows.set('build', {}, { finished_at: new Date(), state: 'failed' });
  expect((await ground.send(pushOf(pushed), { 'x-github-delivery': 'two' })).body).toEqual({
    builds: [],
    ignored: 'this message was taken before',
  });
  const other = pushOf(pushed, { pushed_at: 2 });
  const both = await Promise.all([ground.send(other), ground.send(other), ground.send(other)]);
  expect(both.map(({ body }) => (body.builds as unknown[]).length).toSorted()).toEqual([0, 0, 1]);
  expect(await ground.buildsOf(pushed.place)).toHaveLength(2);
});

test('a month later a message is forgotten, and not before', async () => {
  const pushed = await ground.repository();
  await ground.send(pushOf(pushed));
  const { kysely } = ground.api.database;
  const rows = () => tenant(kysely, ground.ours.organizationId).selectFrom('git_delivery').select('name').execute();
  await sweepGitDeliveries(kysely);
  expect(await rows()).not.toEqual([]);
  await ground.api.sql`/* across tenants */ update git_delivery set received_at = now() - interval '31 days'`;
  await sweepGitDeliveries(kysely);
  expect(await rows()).toEqual([]);
});

test('a message whose transaction failed is not remembered: sent again, it builds, and then nothing more', async () => {
  const pushed = await ground.repository();
  const { kysely } = ground.api.database;
  const remembered = async () =>
    (await tenant(kysely, ground.ours.organizationId).selectFrom('git_delivery').select('name').execute()).length;
  const before = await remembered();
  const guid = { 'x-github-delivery': crypto.randomUUID() };
  await ground.api.sql`create function refuse_build() returns trigger language plpgsql as
    $$ begin raise exception 'No build can be written.'; end $$`;
  await ground.api.sql`create trigger refuse_build before insert on build for each row execute function refuse_build()`;
  try {
    expect((await ground.send(pushOf(pushed), guid)).status).toBe(500);
  } finally {
    await ground.api.sql`drop function refuse_build cascade`;
  }
  expect(await remembered()).toBe(before);
  expect(await ground.buildsOf(pushed.place)).toEqual([]);
  const again = await ground.send(pushOf(pushed), guid);
  expect([again.status, again.body.builds]).toEqual([200, [expect.objectContaining({ environment: 'Staging' })]]);
  expect(await remembered()).toBe(before + 1);
  expect((await ground.send(pushOf(pushed), guid)).body).toEqual({
    builds: [],
    ignored: 'this message was taken before',
  });
  expect(await ground.buildsOf(pushed.place)).toHaveLength(1);
});
