import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { askAgent, lockBuild } from '../../db/builds/claim.ts';
import { noteDelivery } from '../../db/git-connections/connections.ts';
import { noSource } from '../../domain/services/settings.ts';
import { ok } from '../../test/api/client.ts';
import { type Connected, pushOf, token, type WebhookGround, webhookGround } from '../../test/git/webhook-ground.ts';
import type { Credential } from '../../test/installation/running-api.ts';
import { type SeededPlace, seedPlace } from '../../test/seeds/seed-place.ts';

let ground: WebhookGround;
/** Two projects of one organization. */
let shop: SeededPlace;
let blog: SeededPlace;
/** A deployer's and an administrator's token for the shop alone. */
let ofShop: Credential;
let adminOfShop: Credential;
/** Connections for all projects, for the shop and for the blog. */
let forAll: string;
let forShop: string;
let forBlog: string;

beforeAll(async () => {
  ground = await webhookGround();
  const { api, ours } = ground;
  shop = await seedPlace(api.database, ours.organizationId);
  blog = await seedPlace(api.database, ours.organizationId);
  ofShop = await ours.token('deployer', [shop.projectId]);
  adminOfShop = await ours.token('admin', [shop.projectId]);
  forAll = await connect();
  forShop = await connect(shop);
  forBlog = await connect(blog);
  await ground.git.commit('team/app.git', { 'index.html': 'Hello' });
});
afterAll(() => ground.close());

const call = (method: string, path: string, body?: unknown, as: Credential = ground.ours.tokens.admin) =>
  ground.api.as(as).call(method, path, body);
const create = (more: object, as?: Credential) =>
  call(
    'POST',
    '/git-connections/selfhosted-token',
    { host: ground.git.url, label: `Git ${crypto.randomUUID()}`, token: `x-access-token:${token}`, ...more },
    as,
  );
const connect = async (...places: SeededPlace[]): Promise<string> => {
  const projectIds = places.map(({ projectId }) => projectId);
  const made = ok(await create(places.length === 0 ? {} : { projectIds }), 201);
  expect(made).toMatchObject({ allProjects: places.length === 0, projectIds: projectIds.toSorted() });
  return String(made.id);
};
const change = (id: string, body: object, as?: Credential) => call('PATCH', `/git-connections/${id}`, body, as);
const shown = async (id: string, as?: Credential) => {
  const { body } = await call('GET', '/git-connections?limit=100', undefined, as);
  return (body.items as Record<string, unknown>[]).find((one) => one.id === id);
};
const fromGit = (gitConnectionId: string, more: object = {}) => {
  return { ...noSource, kind: 'git' as const, gitConnectionId, repository: 'team/app', ...more };
};
const stage = ({ environmentId, serviceId }: SeededPlace, id: string, as?: Credential) =>
  call(
    'PUT',
    `/environments/${environmentId}/change-set/items`,
    { kind: 'service.set', serviceId, key: 'source', value: fromGit(id) },
    as,
  );
const messages = ({ body }: { body: Record<string, unknown> }) =>
  (body.errors as { location: string; message: string }[]).map(({ location, message }) => `${location} ${message}`);

describe('a token that is limited to a project', () => {
  test('lists the connections that it may use, without other projects and what became of their pushes', async () => {
    const forBoth = await connect(shop, blog);
    const { organizationId } = ground.ours;
    await ground.api.effect((noting) => noteDelivery(noting, organizationId, forBoth, 'refused: x'));
    const { body } = await call('GET', '/git-connections?limit=100', undefined, ofShop);
    const ids = (body.items as { id: string }[]).map(({ id }) => id);
    expect(ids).toEqual(expect.arrayContaining([forAll, forShop, forBoth]));
    expect(ids).not.toContain(forBlog);
    expect(await shown(forBoth, ofShop)).toMatchObject({ projectIds: [shop.projectId], lastDeliveryStatus: '' });
    expect(await shown(forBoth)).toMatchObject({
      projectIds: [shop.projectId, blog.projectId].toSorted(),
      lastDeliveryStatus: 'refused: x',
    });
    const none = await call('GET', '/git-connections', undefined, ground.ours.limited);
    expect([none.status, none.body.items]).toEqual([200, []]);
  });

  test('browses and detects with these; another one is answered as one that is not there', async () => {
    const branch = { repository: 'team/app', branch: 'main' };
    const ways = (id: string, as: Credential) => [
      call('GET', `/git-connections/${id}/branches?repository=team/app`, undefined, as),
      call('POST', '/repository-config/detect', { gitConnectionId: id, ...branch }, as),
      call('POST', '/repository-config/detect-project', { gitConnectionId: id, ...branch }, as),
    ];
    for (const id of [forAll, forShop]) {
      for (const answered of await Promise.all(ways(id, ofShop))) expect(answered.status, answered.text).toBe(200);
    }
    const nowhere = crypto.randomUUID();
    const without = ({ status, body }: Awaited<ReturnType<typeof call>>) => ({ status, detail: body.detail });
    const absent = (await Promise.all(ways(nowhere, ofShop))).map(without);
    expect(absent.map(({ status }) => status)).toEqual([404, 404, 404]);
    expect((await Promise.all(ways(forBlog, ofShop))).map(without)).toEqual(absent);
    // Of no project, it may not even use what all projects may.
    expect((await Promise.all(ways(forAll, ground.ours.limited))).map(({ status }) => status)).toEqual([404, 404, 404]);
    expect((await call('GET', `/git-connections/${forBlog}/repositories`, undefined, ofShop)).status).toBe(404);
  });

  test('creates and changes none, whatever its role', async () => {
    const answered = [
      await create({ projectIds: [shop.projectId] }, adminOfShop),
      await change(forShop, { allProjects: true }, adminOfShop),
      await change(forBlog, { projectIds: [shop.projectId] }, adminOfShop),
      await change(forBlog, { allProjects: true }, ground.ours.tokens.deployer),
    ];
    expect(answered.map(({ status }) => status)).toEqual([403, 403, 403, 403]);
    expect(await shown(forBlog)).toMatchObject({ allProjects: false, projectIds: [blog.projectId] });
  });
});

test('naming one in a source is refused on every way: in words, and to those who do not see it as if it were not there', async () => {
  const { environmentId, serviceId, projectId } = shop;
  const item = (id: string) => ({ kind: 'service.set', serviceId, key: 'source', value: fromGit(id) });
  const source = (gitConnectionId: string) => ({ kind: 'git', gitConnectionId, repository: 'team/app' });
  const ways = (id: string, as: Credential) =>
    [
      ['body.value', () => stage(shop, id, as)],
      [
        'body.items[1].value',
        () => {
          const items = [{ kind: 'variable.set', serviceId, key: 'A', value: '1' }, item(id)];
          return call('PUT', `/environments/${environmentId}/change-set/items:batch`, { items }, as);
        },
      ],
      ['body.source', () => call('PATCH', `/services/${serviceId}`, { source: source(id) }, as)],
      [
        'body.source',
        () => call('PATCH', `/services/${serviceId}?environmentId=${environmentId}`, { source: source(id) }, as),
      ],
      ['body.source', () => call('POST', `/projects/${projectId}/services`, { name: 'N', source: source(id) }, as)],
    ] as const;
  for (const [index, [at, ask]] of ways(forBlog, ground.ours.tokens.deployer).entries()) {
    const answered = await ask();
    expect([answered.status, messages(answered)]).toEqual([
      422,
      [
        expect.stringMatching(
          new RegExp(
            `^${at.replaceAll(/[[\].]/g, '\\$&')}\\.gitConnectionId is the Git connection "Git .*", which is not for this project: an administrator`,
          ),
        ),
      ],
    ]);
    const unseen = await ways(forBlog, ofShop)[index]?.[1]();
    const absent = await ways(crypto.randomUUID(), ofShop)[index]?.[1]();
    if (unseen === undefined || absent === undefined) throw new Error('Each way has a place.');
    expect([unseen.status, messages(unseen)]).toEqual([
      422,
      [`${at}.gitConnectionId is no Git connection of this organization`],
    ]);
    expect(messages(absent)).toEqual(messages(unseen));
  }
  for (const [, ask] of ways(forShop, ofShop)) expect([200, 201]).toContain((await ask()).status);
});

describe('the list', () => {
  test('is changed as it was seen, with its projects of the organization alone, and the audit log says from what to what', async () => {
    const id = await connect(shop);
    const both = [shop.projectId, blog.projectId].toSorted();
    const late = await change(id, { projectIds: both, was: { projectIds: [blog.projectId] } });
    const meanwhile = [expect.objectContaining({ location: 'body.projectIds', value: [shop.projectId] })];
    expect([late.status, late.body.meanwhile]).toEqual([409, meanwhile]);
    const changed = await change(id, { projectIds: both.toReversed(), was: { projectIds: [shop.projectId] } });
    expect(changed.body, changed.text).toMatchObject({ allProjects: false, projectIds: both });
    const refused = [
      await change(id, { projectIds: [shop.environmentId] }),
      await change(id, { allProjects: true, projectIds: [shop.projectId] }),
    ];
    expect(refused.map((one) => [one.status, messages(one)])).toEqual([
      [422, ['body.projectIds[0] is not a project of this organization']],
      [422, ['body.projectIds names projects, but allProjects is true: leave one of them out']],
    ]);
    expect((await change(id, { allProjects: true })).body).toMatchObject({ allProjects: true, projectIds: [] });
    // An empty list never means all.
    expect((await change(id, { projectIds: [] })).body).toMatchObject({ allProjects: false, projectIds: [] });
    const { body } = await call(
      'GET',
      `/audit-log?subjectKind=git_connection&subjectId=${id}&action=git_connection.updated`,
    );
    expect((body.items as { details: unknown }[]).map(({ details }) => details)).toEqual([
      { allProjects: { from: true, to: false } },
      { allProjects: { from: false, to: true }, projectIds: { from: both, to: [] } },
      { projectIds: { from: [shop.projectId], to: both } },
    ]);
  });

  test('keeps a project whose services use it, as applied or staged, and names them', async () => {
    const applied = await ground.ours.place();
    const id = await connect(applied, blog);
    expect((await stage(applied, id)).status).toBe(200);
    const narrowed = await change(id, { projectIds: [blog.projectId] });
    expect([narrowed.status, narrowed.body.detail]).toEqual([
      409,
      expect.stringMatching(/^"Git .*" is in use by "s-\w+" in the project "\w+": give them another source/),
    ]);
    expect((await change(id, { projectIds: [applied.projectId] })).status).toBe(200);
    const { body } = await call('GET', `/environments/${applied.environmentId}/change-set`);
    await call('DELETE', `/change-sets/${(body.changeSet as { id: string }).id}`);
    ok(await change(id, { projectIds: [] }));
  });

  test('loses a deleted project without becoming one of all, and has it again once that is restored', async () => {
    const gone = await ground.ours.place();
    const id = await connect(gone);
    expect((await call('DELETE', `/projects/${gone.projectId}`)).status).toBe(204);
    expect(await shown(id)).toMatchObject({ allProjects: false, projectIds: [] });
    expect((await stage(blog, id)).status).toBe(422);
    expect((await change(id, { projectIds: [blog.projectId] })).body).toMatchObject({ projectIds: [blog.projectId] });
    ok(await call('POST', `/deleted/project/${gone.projectId}/restore`, {}));
    expect(await shown(id)).toMatchObject({ projectIds: [gone.projectId, blog.projectId].toSorted() });
  });
});

describe('a service whose project has lost the connection, since it was deleted and restored meanwhile', () => {
  async function lost(connection: Connected) {
    const repository = `team/app-${crypto.randomUUID().slice(0, 8)}`;
    const commit = await ground.git.commit(`${repository}.git`, { 'index.html': repository });
    const place = await ground.built({ gitConnectionId: connection.id, repository });
    const build = () => call('POST', `/services/${place.serviceId}/builds`, { environmentId: place.environmentId });
    const before = ok(await build(), 201);
    await call('POST', `/builds/${before.id}/cancel`);
    expect((await call('DELETE', `/services/${place.serviceId}`)).status).toBe(204);
    ok(await change(connection.id, { projectIds: [blog.projectId] }));
    ok(await call('POST', `/deleted/service/${place.serviceId}/restore`, {}));
    return { pushed: { repository, commit, place }, build, buildId: String(before.id) };
  }

  test('is built by no push, by no request and by no agent, and the host is not asked', async () => {
    const connection = await ground.connected('github', ground.git.url);
    const { pushed, build, buildId } = await lost(connection);
    const asked = ground.git.asked.length;
    const sent = await ground.send(pushOf(pushed), {}, connection);
    const why = '1 service is of projects that may not use this connection; add their projects to it';
    expect(sent.body, sent.text).toMatchObject({ builds: [], ignored: why });
    expect(await ground.statusOf(connection)).toContain(why);
    const requested = await build();
    expect([requested.status, messages(requested)]).toEqual([
      422,
      [expect.stringMatching(/the Git connection of its source was deleted, or is not for this project/)],
    ]);
    expect(ground.git.asked.length).toBe(asked);
    const told = await ground.api.effect(async (asking) => {
      const row = await lockBuild(asking, buildId);
      return row === undefined ? 'There is no build.' : await askAgent(asking, ground.api.keyring, row);
    });
    expect(told).toMatch(/Git connection of this build has been deleted, or is not for this project/);
  });

  test('is not built by its public address either: messages of a connection are for its projects', async () => {
    const connection = await ground.connected('github', ground.git.url);
    const repository = `team/open-${crypto.randomUUID().slice(0, 8)}`;
    const commit = await ground.git.commit(`${repository}.git`, { 'index.html': 'Hello' });
    const place = await ground.built({ gitUrl: `${ground.git.url}/${repository}.git` });
    expect((await change(connection.id, { projectIds: [blog.projectId] })).status).toBe(200);
    const sent = await ground.send(pushOf({ repository, commit, place }), {}, connection);
    expect(sent.body).toMatchObject({ builds: [], ignored: expect.stringContaining('may not use this connection') });
    expect((await change(connection.id, { allProjects: true })).status).toBe(200);
    const again = await ground.send(pushOf({ repository, commit, place }, { again: true }), {}, connection);
    expect(again.body.builds, again.text).toHaveLength(1);
  });
});
