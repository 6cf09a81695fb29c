import { afterAll, describe, expect, test } from 'vitest';
import { connectionAccess, noteDelivery, webhookSecret } from '../../db/git-connections/connections.ts';
import { ok } from '../../test/api/client.ts';
import { gitServer } from '../../test/git/git-server.ts';
import { type Call, runningApi } from '../../test/installation/running-api.ts';

/** Of the host's interface: the status of questions with the token `swordfish`. */
let accepts = 200;
let publicly = '';

/** A host that speaks Gitea's interface, and git. */
const api = await runningApi({
  env: { OUTBOUND_ALLOWED_RANGES: '127.0.0.0/8', GIT_CONNECTIONS_PER_ORGANIZATION: '12' },
});
const [ours, theirs] = [await api.organization(), await api.organization()];
const git = await gitServer({
  credential: 'oauth2:swordfish',
  before: (request, response) => {
    const answer = (status: number, body: unknown) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    const { pathname } = new URL(request.url ?? '', 'http://host');
    if (!pathname.startsWith('/api/v1/')) return false;
    if (pathname === '/api/v1/version') answer(200, { version: '1.22.1' });
    else if (request.headers.authorization !== 'token swordfish') answer(401, { message: 'swordfish is wrong' });
    else if (accepts !== 200) answer(accepts, { message: 'No, swordfish.' });
    else if (pathname === '/api/v1/user') answer(200, { login: 'ada' });
    else answer(200, [{ full_name: 'Team/App', clone_url: 'https://x/', default_branch: 'main', private: true }]);
    return true;
  },
});
await git.create('team/app.git');
await git.create('team/empty.git');
await git.commit('team/app.git', { 'index.html': 'Hello' });
afterAll(async () => {
  await git.close();
  await api.close();
});

const call = async (method: 'GET' | 'POST' | 'DELETE', path: string, more: Call = {}) => {
  const answered = await api.call(method, `/api/v1/git-connections${path}`, { as: ours.tokens.admin, ...more });
  publicly += answered.text;
  return answered;
};
const body = (more: object = {}) => ({
  host: git.url,
  label: `Git ${crypto.randomUUID()}`,
  token: 'swordfish',
  ...more,
});
const create = async (more: object = {}) => {
  const { status, body: made, text } = await call('POST', '/selfhosted-token', { body: body(more) });
  expect(status, text).toBe(201);
  return made as { id: string; label: string };
};

test('a connection tells its account, its host and where its webhook goes, and nothing of its token', async () => {
  const { id, label } = await create();
  const { body: page } = await call('GET', '', { as: ours.tokens.viewer });
  expect(page.items).toContainEqual(
    expect.objectContaining({
      ...{ id, label, kind: 'selfhosted-token', provider: 'gitea', host: git.url, accountLogin: 'ada' },
      ...{ organizationId: ours.organizationId, installed: true, missingPermissions: [], lastError: '' },
      ...{ lastDeliveryStatus: '', manageUrl: `${git.url}/user/settings/applications` },
      webhookUrl: expect.stringMatching(new RegExp(`^https?://.*/webhooks/git/${id}$`)),
      verifiedAt: expect.any(String),
    }),
  );
  const access = await connectionAccess(api.database.kysely, api.keyring, ours.organizationId, {
    id,
    usedFor: 'organization',
  });
  expect(access).toMatchObject({ token: 'swordfish', username: 'oauth2', password: 'swordfish', provider: 'gitea' });
  expect(
    await connectionAccess(api.database.kysely, api.keyring, theirs.organizationId, { id, usedFor: 'organization' }),
  ).toBeUndefined();
});

describe('what is refused, with nothing written', () => {
  test.each([
    [{ token: 'other' }, 'body.token', 'refuses the token (401)'],
    [{ host: '169.254.169.254' }, 'body.host', 'is a private address'],
    [{ host: 'https://10.0.0.1/' }, 'body.host', 'is a private address'],
    [{ host: 'http://127.0.0.1:1' }, 'body.host', 'could not be reached'],
    [{ host: 'ada:secret@127.0.0.1' }, 'body.host', 'must be a host'],
    [{ host: 'git.example.com/path' }, 'body.host', 'must be a host'],
    [{ token: 'two words' }, 'body.token', 'without spaces'],
  ])('%j', async (more, location, why) => {
    const before = await call('GET', '');
    const answered = await call('POST', '/selfhosted-token', { body: body(more) });
    expect(answered.status).toBe(422);
    expect(answered.body.errors).toEqual([
      expect.objectContaining({ location, message: expect.stringContaining(why) }),
    ]);
    expect(answered.text).not.toContain('swordfish');
    expect((await call('GET', '')).body.items).toEqual(before.body.items);
  });

  test('a label that is taken, and one more than the limit', async () => {
    const { label } = await create();
    const taken = await call('POST', '/selfhosted-token', { body: body({ label: label.toUpperCase() }) });
    expect([taken.status, taken.text]).toEqual([409, expect.stringContaining('exists already')]);
    const many = await api.organization();
    for (let made = 0; made < 12; made += 1) {
      expect((await call('POST', '/selfhosted-token', { as: many.tokens.admin, body: body() })).status).toBe(201);
    }
    const beyond = await call('POST', '/selfhosted-token', { as: many.tokens.admin, body: body() });
    expect([beyond.status, beyond.text]).toEqual([409, expect.stringContaining('limit of 12 Git connections')]);
  });

  test('a hosted token that does not say its host', async () => {
    const { status, text } = await call('POST', '/hosted-token', { body: { token: 'swordfish-1' } });
    expect([status, text]).toEqual([422, expect.stringContaining('must be one of github.com, gitlab.com')]);
  });
});

test('a check says why a host no longer accepts the token, and that it does again', async () => {
  const { id } = await create();
  accepts = 401;
  const failed = await call('POST', `/${id}/check`, { as: ours.tokens.deployer });
  expect(failed.body).toMatchObject({ accountLogin: 'ada', lastError: expect.stringContaining('refuses the token') });
  expect((await call('GET', `/${id}/repositories`)).text).toContain('cannot be listed: ');
  accepts = 200;
  expect((await call('POST', `/${id}/check`)).body).toMatchObject({ lastError: '', missingPermissions: [] });
});

test('repositories and branches are those of the host', async () => {
  const { id } = await create();
  const found = await call('GET', `/${id}/repositories?q=APP`, { as: ours.tokens.deployer });
  expect(found.body.repositories).toEqual([
    { fullName: 'Team/App', cloneUrl: 'https://x/', defaultBranch: 'main', private: true },
  ]);
  expect((await call('GET', `/${id}/repositories?q=other`)).body.repositories).toEqual([]);
  const branches = (repository: string) => call('GET', `/${id}/branches?repository=${encodeURIComponent(repository)}`);
  expect((await branches('team/app')).body).toMatchObject({ branches: ['main'], defaultBranch: 'main' });
  for (const [repository, why] of [
    ['team/other', 'is not there'],
    ['team/empty', 'push a commit first'],
    ['../../etc', 'must be the full name'],
    ['--upload-pack=x', 'must be the full name'],
  ] as const) {
    const answered = await branches(repository);
    expect([answered.status, answered.text]).toEqual([422, expect.stringContaining(why)]);
  }
});

test('the secret of the webhook is shown once, when it is replaced', async () => {
  const { id } = await create();
  const known = () => webhookSecret(api.database.kysely, api.keyring, ours.organizationId, id);
  const before = await known();
  expect(publicly).not.toContain(before);
  const replaced = await api.as(ours.tokens.admin).post(`/git-connections/${id}/webhook-secret`);
  expect(replaced.body).toMatchObject({ id, secret: await known(), webhookUrl: expect.stringContaining(id) });
  expect(replaced.body.secret).not.toBe(before);
  expect((await call('POST', `/${id}/webhook-secret`, { as: ours.tokens.deployer })).status).toBe(403);
});

test('a delivery is noted', async () => {
  const { id } = await create();
  await api.effect((noting) => noteDelivery(noting, ours.organizationId, id, 'taken'));
  const { items } = (await call('GET', '')).body as { items: { id: string }[] };
  expect(items.find((one) => one.id === id)).toMatchObject({ lastDeliveryStatus: 'taken', lastDeliveryAt: /T/ });
});

describe('services that are built from it', () => {
  test('a source is a repository of a connection of the organization, or an address, and not both', async () => {
    const { id: gitConnectionId } = await create();
    const projectId = await project();
    const repository = 'team/app';
    const gitUrl = 'https://git.example.com/team/app.git';
    for (const [source, field] of [
      [{ gitConnectionId: crypto.randomUUID(), repository }, 'gitConnectionId'],
      [{ gitConnectionId, repository, gitUrl }, 'gitUrl'],
      [{ gitConnectionId }, 'repository'],
      [{ gitConnectionId, repository: '../x' }, 'repository'],
      [{}, 'gitUrl'],
      [{ repository }, 'gitUrl'],
      [{ gitUrl: 'ssh://git@git.example.com/team/app' }, 'gitUrl'],
      [{ gitUrl: 'ext::sh' }, 'gitUrl'],
      [{ gitUrl, context: '../..' }, 'context'],
      [{ gitUrl, context: '/etc' }, 'context'],
      [{ gitUrl, dockerfile: 'a/../../b' }, 'dockerfile'],
    ] as const) {
      const answered = await service(projectId, source);
      expect(answered.status, JSON.stringify(source)).toBe(422);
      expect(answered.body.errors).toContainEqual(expect.objectContaining({ location: `body.source.${field}` }));
    }
    expect((await service(projectId, { gitUrl, context: 'apps/web', dockerfile: 'apps/web/Dockerfile' })).status).toBe(
      201,
    );
  });

  test('a connection is not deleted while a service names it', async () => {
    const { id, label } = await create();
    const projectId = await project();
    const made = ok(await service(projectId, { gitConnectionId: id, repository: 'team/app' }), 201);
    const refused = await call('DELETE', `/${id}`);
    expect([refused.status, refused.text]).toEqual([409, expect.stringContaining('is the source of')]);
    expect(refused.text).toContain('From git');
    expect(refused.text).toContain(label);
    const serviceId = String((made.service as { id: string } | undefined)?.id ?? made.id);
    const source = { kind: 'image', imageRepository: 'registry.example.com/app:1' };
    ok(await api.as(ours.tokens.admin).patch(`/services/${serviceId}`, { source }));
    expect((await call('DELETE', `/${id}`)).status).toBe(204);
    expect((await call('POST', `/${id}/check`)).status).toBe(404);
  });

  async function project(): Promise<string> {
    const named = { name: `Shop ${crypto.randomUUID()}` };
    const { body: made } = await api.as(ours.tokens.admin).post('/projects', named);
    return (made.project as { id: string }).id;
  }
  async function service(projectId: string, source: object) {
    return await api
      .as(ours.tokens.admin)
      .post(`/projects/${projectId}/services`, { name: 'From git', source: { kind: 'git', ...source } });
  }
});

test('nothing tells a token: no answer, no audit record', async () => {
  const rows = await api.database.kysely.selectFrom('audit_record').select('details').execute();
  expect(publicly + JSON.stringify(rows)).not.toContain('swordfish"');
  expect(JSON.stringify(rows)).not.toContain('swordfish');
});
