import { afterAll, beforeEach, expect, test } from 'vitest';
import { askAgent, lockBuild } from '../../db/builds/claim.ts';
import { createConnection, deleteConnection } from '../../db/git-connections/connections.ts';
import { commandBody } from '../../protocol/command.ts';
import { PeerAgent } from '../../test/agents/peer-agent.ts';
import { ok } from '../../test/api/client.ts';
import { giveRepository } from '../../test/builds/give-repository.ts';
import { gitServer } from '../../test/git/git-server.ts';
import { runningApi } from '../../test/installation/running-api.ts';
import type { SeededPlace } from '../../test/seeds/seed-place.ts';

let place: SeededPlace;

const git = await gitServer({ credential: 'oauth2:the-token-of-it', closed: 'private/' });
const api = await runningApi({ env: { OUTBOUND_ALLOWED_RANGES: '127.0.0.0/8' } });
const ours = await api.organization();
afterAll(async () => {
  await api.close();
  await git.close();
});
beforeEach(async () => {
  place = await ours.place();
});

const call = (method: string, path: string, body?: unknown) => ours.tokens.deployer.call(method, path, body);
const request = (more: object = {}) =>
  call('POST', `/services/${place.serviceId}/builds`, { environmentId: place.environmentId, ...more });
const sourced = (source: object) => giveRepository(api.database, place, source);

const asked = (id: string) =>
  api.effect(async (asking) => {
    const build = await lockBuild(asking, id);
    if (build === undefined) throw new Error('The build is not there.');
    const why = await askAgent(asking, api.keyring, build);
    await asking.kysely.updateTable('build').set({ state: 'running', revision: 1 }).where('id', '=', id).execute();
    return why;
  });

test('the branch that is asked for, that of the environment, or the default one is built at its commit', async () => {
  const first = await git.commit('team/app.git', { a: '1' });
  const other = await git.commit('team/app.git', { a: '2' }, { branch: 'other' });
  await sourced({ gitUrl: `${git.url}/team/app.git` });
  const made = ok(await request(), 201);
  const of = { repository: 'team/app', trigger: 'manual', status: 'queued' };
  expect(made).toMatchObject({ ...of, branch: 'main', commitSha: first });
  expect((await request({ branch: 'other' })).body).toMatchObject({ ...of, branch: 'other', commitSha: other });
  await ours.rows.set('environment', { id: place.environmentId }, { git_branch: 'other' });
  expect((await request()).body).toMatchObject({ branch: 'other', commitSha: other });
  const older = 'c'.repeat(40);
  expect((await request({ commitSha: older })).body).toMatchObject({ branch: 'other', commitSha: older });
  await call('POST', `/builds/${made.id}/cancel`);
  const retried = await call('POST', `/builds/${made.id}/retry`);
  expect(retried.body).toMatchObject({ ...of, trigger: 'retry', branch: 'main', commitSha: first });
});

test('422 in words on the field: no such branch, nobody there, a commit that is none, both, and neither', async () => {
  await git.commit('team/app.git', { a: '1' });
  await sourced({ gitUrl: `${git.url}/team/app.git` });
  const errors = async (more: object) => {
    const { status, body } = await request(more);
    expect(status).toBe(422);
    return (body.errors as { location: string; message: string }[]).map((one) => `${one.location} ${one.message}`);
  };
  expect(await errors({ branch: 'gone' })).toEqual([
    expect.stringMatching(/^body\.branch The commit .* it has no branch "gone"/),
  ]);
  expect(await errors({ commitSha: '--upload-pack' })).toHaveLength(1);
  expect(await errors({ sourceId: place.serviceId, branch: 'main' })).toEqual([expect.stringMatching(/^body\.branch/)]);
  await sourced({ gitUrl: `${git.url}/no/such.git` });
  expect(await errors({})).toEqual([
    expect.stringMatching(/^body\.environmentId The commit .*: The repository is not there/),
  ]);
  await sourced({ kind: 'image', gitUrl: '' });
  expect(await errors({})).toEqual([expect.stringMatching(/^body\.sourceId is needed/)]);
});

test('the credential is in the sealed command alone; without the connection, or with an older agent, nobody is asked', async () => {
  const commit = await git.commit('private/app.git', { a: '1' });
  const connection = await api.effect((making) =>
    createConnection(making, api.keyring, ours.organizationId, {
      ...{ kind: 'selfhosted-token', provider: 'plain', host: git.url, label: `Git ${place.serviceId}` },
      ...{ token: 'the-token-of-it', accountLogin: '', missingPermissions: [] },
    }),
  );
  await sourced({ gitUrl: '', gitConnectionId: connection.id, repository: 'private/app' });
  const made = await request();
  expect(made.body, made.text).toMatchObject({ repository: 'private/app', commitSha: commit });
  const joined = await ours.tokens.admin.post('/clusters', { name: `c ${place.serviceId}` });
  const { cluster, token } = joined.body as { cluster: { id: string }; token: string };
  const agent = new PeerAgent(api.url);
  await agent.join(token);
  const id = String(made.body.id);
  await api.rows.set('build', { id }, { cluster_id: cluster.id });
  const minor = (protocol_minor: number) =>
    api.rows.set('cluster_agent', { cluster_id: cluster.id }, { protocol_minor });
  await minor(5);
  expect(await asked(id)).toMatch(/too old to build commits: update the agent/);
  await minor(6);
  expect(await asked(id)).toBeUndefined();
  const { commands } = await agent.work(0);
  const url = `${git.url}/private/app.git`;
  expect(commandBody.parse(commands.find((one) => one.id === id)?.body)).toMatchObject({
    source: { kind: 'git', url, ref: 'refs/heads/main', commit, username: 'oauth2', password: 'the-token-of-it' },
  });
  expect(JSON.stringify(await api.rows.all('build', { id }))).not.toContain('the-token');
  await sourced({ kind: 'image', gitUrl: '' });
  await api.effect((deleting) => deleteConnection(deleting, ours.organizationId, connection));
  expect(await asked(id)).toMatch(/connection of this build has been deleted/);
});
