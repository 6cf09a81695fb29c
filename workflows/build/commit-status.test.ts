import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import { effect } from '../../db/engine/effect.ts';
import { createConnection, findConnection } from '../../db/git-connections/connections.ts';
import { buildToTell } from '../../db/git-connections/pushes.ts';
import { everyProject, writeAllowedProjects } from '../../db/source-credentials/allowed-projects.ts';
import { BuildGround } from '../../test/actors/grounds/build-ground.ts';
import { machine } from '../../test/seeds/seed.ts';

const builds = new BuildGround();
const told: { path: string; authorization: string | undefined; body: Record<string, string> }[] = [];
let status = 201;

/** A host that speaks Gitea's interface. */
await builds.open();
const host = createServer(async (request, response) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const body = JSON.parse(Buffer.concat(chunks).toString('utf8'));
  told.push({ path: request.url ?? '', authorization: request.headers.authorization, body });
  response.writeHead(status, { 'content-type': 'application/json' }).end('{}');
});
host.listen(0, '127.0.0.1');
await once(host, 'listening');
const address = `http://127.0.0.1:${(host.address() as AddressInfo).port}`;
const { organizationId } = builds;
const { database, keyring } = builds.actors;
const made = {
  ...({
    kind: 'selfhosted-token',
    provider: 'gitea',
    label: 'Git',
    token: 'swordfish',
    accountLogin: 'ada',
  } as const),
  ...{ host: address, missingPermissions: [] },
};
const connection = await effect(database, machine, (making) => createConnection(making, keyring, organizationId, made));
const connectionId = connection.id;
afterAll(async () => {
  await builds.close();
  host.close();
});

const commit = 'c'.repeat(40);
const source = {
  ...({ kind: 'git', repository: 'team/app' } as const),
  ...{ ref: 'refs/heads/main', commit, commitMessage: 'Say hello' },
};
const failedBuild = async (connected: boolean) => {
  const place = await builds.place();
  const named = connected ? { connectionId } : {};
  const id = await builds.request(place, {
    trigger: 'push',
    source: { ...source, url: `${address}/team/app.git`, ...named },
  });
  await builds.becomes(id, 'running');
  await builds.ends(id, 'failed', 'No such file');
  expect(await builds.handle(id).result()).toBe('failed');
  return id;
};

test('the host of a commit is told of its build, with a link to it', async () => {
  status = 201;
  told.length = 0;
  const id = await failedBuild(true);
  expect(told.map(({ body }) => body.state)).toEqual(['pending', 'failure']);
  expect(told.at(-1)).toMatchObject({
    path: `/api/v1/repos/team/app/statuses/${commit}`,
    authorization: 'token swordfish',
    body: {
      context: expect.stringMatching(/^ballast\/p-\w+\/staging\/s-\w+$/),
      target_url: expect.stringContaining(`/builds/${id}`),
      description: 'Build #1 failed',
    },
  });
});

test('a token that may not is named once by the connection, and the build ends as it does otherwise', async () => {
  status = 403;
  const id = await failedBuild(true);
  const { database } = builds.actors;
  const connection = await findConnection(database.kysely, builds.organizationId, connectionId);
  expect(connection?.missingPermissions).toEqual(['commit statuses']);
  expect((await builds.row(id)).message).toBe('No such file');
});

test('the token of a connection is not used for a build of a project that has lost it', async () => {
  status = 201;
  const id = await failedBuild(true);
  const { database, keyring } = builds.actors;
  const { organizationId } = builds;
  const ofBuild = () => buildToTell(database.kysely, keyring, organizationId, id);
  expect(await ofBuild()).toMatchObject({ buildId: id, access: { token: 'swordfish' } });
  const connection = { kind: 'git_connection' as const, organizationId, id: connectionId };
  await writeAllowedProjects(database.kysely, connection, { allProjects: false, projectIds: [] });
  expect(await ofBuild()).toBeUndefined();
  await writeAllowedProjects(database.kysely, connection, everyProject);
});

test('nobody is told of a commit without a connection', async () => {
  told.length = 0;
  await failedBuild(false);
  expect(told).toEqual([]);
});
