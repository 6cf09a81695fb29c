import { afterAll, expect, test } from 'vitest';
import { askAgent, lockBuild, openBuilds } from '../../db/builds/claim.ts';
import { turnsOf } from '../../domain/builds/states.ts';
import { noSource } from '../../domain/services/settings.ts';
import { PeerAgent } from '../../test/agents/peer-agent.ts';
import { ok } from '../../test/api/client.ts';
import { seedSource } from '../../test/builds/seed-source.ts';
import { gitServer } from '../../test/git/git-server.ts';
import type { Answered, Credential } from '../../test/installation/running-api.ts';
import { ApplyGround } from '../../test/seeds/apply-ground.ts';
import { seedService } from '../../test/seeds/seed-service.ts';

const at = new ApplyGround();
const secrets = { run: 'the-run-time-secret-of-production', shared: 'the-shared-one', build: 'the-build-secret' };
const also = { buildTime: 'also' };
let clusterId = '';
let head = '';
let other = '';
let releaseId = '';
let deploymentId = '';
let approvalId = '';
let changeSetId = '';
/** Builds whose commands the agent was given. */
const asked = new Map<string, string>();

const site = { serviceId: '', processId: '', slug: '' };
const owner = () => at.ours.sessions.owner;
const source = (repository: string) => ({
  ...{ kind: 'service.set', serviceId: site.serviceId, key: 'source' },
  value: { ...noSource, kind: 'git', gitUrl: `${git.url}/${repository}` },
});
const set = (key: string, value: string, more: object = {}, of: object = { serviceId: site.serviceId }) => ({
  ...{ kind: 'variable.set', key, value, ...of, ...more },
});

await at.open();
await at.begin();
const git = await gitServer();
head = await git.commit('team/site.git', { 'package.json': '{"scripts":{"build":"env"}}' });
other = await git.commit('team/site.git', { 'package.json': '{"scripts":{"build":"env | rev"}}' }, { branch: 'evil' });
await git.commit('evil/site.git', { 'package.json': '{"scripts":{"build":"env | base64"}}' });
const made = await at.call('POST', '/clusters', { name: 'Production' }, at.ours.sessions.admin);
const { cluster, token } = made.body as { cluster: { id: string }; token: string };
clusterId = cluster.id;
const agent = new PeerAgent(at.api.url);
await agent.join(token);

await at.ours.rows.set('environment', { project_id: at.projectId }, { cluster_id: clusterId });
const project = { organizationId: at.ours.organizationId, projectId: at.projectId };
Object.assign(site, await seedService(at.api.database, project, { slug: 'site', image: `${at.host}/app:1` }));
for (const environmentId of [at.production, at.staging]) {
  const isProduction = environmentId === at.production;
  const value = (name: keyof typeof secrets) => (isProduction ? secrets[name] : 'of staging');
  await at.stage(
    environmentId,
    ...[{ kind: 'service.create', serviceId: site.serviceId }, set('TOKEN', value('run'), { secret: true })],
    ...[set('SHARED', value('shared'), { secret: true }, {}), set('DSN', 'db://u:${{TOKEN}}@${{shared.SHARED}}/x')],
    set('SENTRY', value('build'), { secret: true, ...also }),
    set('VITE_API', 'https://example.com', also),
  );
  const applied = await at.apply(environmentId);
  if (applied.approval !== undefined)
    ok(await at.call('POST', `/approvals/${applied.approval.id}/decide`, { decision: 'approved' }, owner()));
  await at.goLive(applied.deployments[0]?.id ?? '');
  if (!isProduction) continue;
  // Who decides is shown what builds would see.
  const { diff } = ok<{ diff: { items: { key: string; buildTime: string }[] }[] }>(
    await at.call('GET', `/approvals/${applied.approval?.id}`),
  );
  const seen = diff.flatMap(({ items }) => items).filter(({ buildTime }) => buildTime === 'also');
  expect(seen.map(({ key }) => key)).toEqual(['SENTRY', 'VITE_API']);
  [releaseId, deploymentId] = [applied.deployments[0]?.releaseId ?? '', applied.deployments[0]?.id ?? ''];
  [approvalId, changeSetId] = [applied.approval?.id ?? '', applied.changeSet.id];
}
await at.stage(at.production, source('team/site.git'));
const { approval } = await at.apply(at.production);
ok(await at.call('POST', `/approvals/${approval?.id}/decide`, { decision: 'approved' }, owner()));
afterAll(async () => {
  await at.close();
  await git.close();
});

/** As the actors of builds would: those whose turn it is are asked of the agent, which then ends them. */
async function work(): Promise<void> {
  for (;;) {
    const given = await at.api.effect(async (asking) => {
      const [id] = turnsOf(await openBuilds(asking, clusterId));
      const build = id === undefined ? undefined : await lockBuild(asking, id);
      if (build === undefined) return undefined;
      await askAgent(asking, at.api.keyring, build);
      const over = { state: 'cancelled', finished_at: new Date() } as const;
      await asking.kysely.updateTable('build').set(over).where('id', '=', build.id).execute();
      return build.id;
    });
    if (given === undefined) break;
    const { commands } = await agent.work(0);
    asked.set(given, JSON.stringify(commands.find(({ id }) => id === given)?.body ?? {}));
    await agent.result(given, { outcome: 'failed', message: 'It ended.' });
  }
}

type Way = [string, (call: (method: string, path: string, body?: unknown) => Promise<Answered>) => Promise<Answered>];

const production = () => ({ environmentId: at.production });
const build = (of: object) => (call: Parameters<Way[1]>[0]) =>
  call('POST', `/services/${site.serviceId}/builds`, { ...production(), ...of });
const retried = async (call: Parameters<Way[1]>[0], of: object) => {
  const made = await build(of)(call);
  await call('POST', `/builds/${made.body.id}/cancel`);
  return await call('POST', `/builds/${made.body.id}/retry`);
};
const folder = async () => {
  const place = { organizationId: at.ours.organizationId, projectId: at.projectId, serviceId: site.serviceId };
  return { sourceId: await seedSource(at.api.database, place) };
};
const staged =
  (environment: () => string, ...items: (() => object)[]) =>
  (call: Parameters<Way[1]>[0]) =>
    call('PUT', `/environments/${environment()}/change-set/items:batch`, { items: items.map((item) => item()) });
const get = (path: () => string) => (call: Parameters<Way[1]>[0]) => call('GET', path());
const inProduction = () => at.production;
const inStaging = () => at.staging;

const ways: Way[] = [
  ['a build of a folder', async (call) => build(await folder())(call)],
  ['its image alone', async (call) => build({ ...(await folder()), deploy: false })(call)],
  ['a retry of it', async (call) => retried(call, await folder())],
  ['a build of another branch', (call) => build({ branch: 'evil' })(call)],
  ['a retry of that', (call) => retried(call, { branch: 'evil' })],
  ['a build of a commit that was given', (call) => build({ commitSha: other })(call)],
  ['a build of a commit and its branch', (call) => build({ commitSha: other, branch: 'evil' })(call)],
  ['a build of the head', (call) => build({})(call)],
  ['a build of the head by its name', (call) => build({ commitSha: head })(call)],
  ['a build for staging', async (call) => build({ ...(await folder()), environmentId: at.staging })(call)],
  [
    'an approval of such a build',
    async (call) => {
      const made = await build(await folder())(call);
      return await call('POST', `/builds/${made.body.id}/approve`);
    },
  ],
  ['a push that nobody signed', (call) => call('POST', `/webhooks/git/${site.serviceId}`, { ref: 'refs/heads/evil' })],
  ['a source of their own in production', staged(inProduction, () => source('evil/site.git'))],
  [
    'applying that',
    async (call) => {
      const { changeSet } = await at.draft(at.production);
      return await call('POST', `/change-sets/${changeSet.id}/apply`, {});
    },
  ],
  [
    'a retry of its build, which was held and is not any more',
    async (call) => {
      const { body } = await call('GET', `/services/${site.serviceId}/builds`);
      const held = (body.items as { id: string; repository: string }[]).find((one) => one.repository === 'evil/site');
      await call('POST', `/builds/${held?.id}/cancel`);
      return await call('POST', `/builds/${held?.id}/retry`);
    },
  ],
  ['a variable of builds that leads to it', staged(inProduction, () => set('VITE_X', '${{TOKEN}}', also))],
  ['one of builds alone', staged(inProduction, () => set('VITE_X', '${{TOKEN}}', { buildTime: 'only' }))],
  ['one that leads to it over another', staged(inProduction, () => set('VITE_X', '${{DSN}}', also))],
  ['one that leads to the shared one', staged(inProduction, () => set('VITE_X', '${{shared.SHARED}}', also))],
  ['the one over another, for builds', staged(inProduction, () => set('DSN', 'x${{TOKEN}}', also))],
  ['a shared one for builds', staged(inProduction, () => set('ALL', '${{site.TOKEN}}', also, {}))],
  ['the secret for builds, without its value', staged(inProduction, () => set('TOKEN', '', also))],
  ['the secret plain, without its value', staged(inProduction, () => set('TOKEN', '', { secret: false }))],
  [
    'an import that leads to it',
    (call) =>
      call('POST', `/environments/${at.production}/variables/import`, {
        ...{ serviceId: site.serviceId, text: 'VITE_X=${{TOKEN}}', buildTime: { VITE_X: 'also' } },
      }),
  ],
  [
    'an import that only looks',
    (call) =>
      call('POST', `/environments/${at.production}/variables/import`, {
        ...{ serviceId: site.serviceId, text: 'TOKEN=x', replace: true, dryRun: true },
      }),
  ],
  ['staging that names production', staged(inStaging, () => set('X', '${{production.TOKEN}}'))],
  ['the variables', get(() => `/environments/${at.production}/variables`)],
  [
    'the history of the secret',
    get(() => `/environments/${at.production}/variables/history?serviceId=${site.serviceId}&key=TOKEN`),
  ],
  ['who refers to it', get(() => `/environments/${at.production}/variables/referrers?serviceId=${site.serviceId}`)],
  ['the draft', get(() => `/environments/${at.production}/change-set`)],
  ['the change set', get(() => `/change-sets/${changeSetId}`)],
  ['its revert', (call) => call('POST', `/change-sets/${changeSetId}/revert`, {})],
  ['the approval and its diff', get(() => `/approvals/${approvalId}`)],
  ['the comparison with staging', get(() => `/environments/${at.production}/compare?with=${at.staging}`)],
  ['the drift', get(() => `/services/${site.serviceId}/drift?environmentId=${at.production}`)],
  ['the release', get(() => `/releases/${releaseId}`)],
  ['the deployment', get(() => `/deployments/${deploymentId}`)],
  ['the history of its workflow', get(() => `/workflows/deployment/${deploymentId}/history?raw=true`)],
  [
    'a promotion to staging',
    (call) => call('POST', `/services/${site.serviceId}/promote`, { releaseId, toEnvironmentId: at.staging }),
  ],
  ['a clone of production', (call) => call('POST', `/environments/${at.production}/clone`, { name: 'Mine' })],
  ['production that is none', (call) => call('PATCH', `/environments/${at.production}`, { production: false })],
  ['another branch for production', (call) => call('PATCH', `/environments/${at.production}`, { gitBranch: 'evil' })],
  [
    'a service that needs no approval',
    (call) => call('PATCH', `/services/${site.serviceId}`, { skipProductionApproval: true }),
  ],
  [
    'the log of a build',
    async (call) => {
      const made = await build({})(call);
      return await call('GET', `/builds/${made.body.id}/logs`);
    },
  ],
  [
    'the command of a build',
    async (call) => {
      const [id] = asked.keys();
      return await call('GET', `/clusters/${clusterId}/commands/${id}`);
    },
  ],
  [
    'a command in an instance',
    (call) =>
      call('POST', `/clusters/${clusterId}/commands`, { kind: 'exec', instance: 'site-web-1', command: ['env'] }),
  ],
  ['the workloads of the cluster', get(() => `/clusters/${clusterId}/workloads`)],
  ['the canvas', get(() => `/environments/${at.production}/overview`)],
  ['the search for a part of it', get(() => '/search?q=run-time-secret')],
  ['the audit log', get(() => '/audit-log')],
  ['an error that quotes it', staged(inProduction, () => set('A B', '${{TOKEN}}'))],
];

test('a deployer, limited to the project or not, learns no secret of production in any of these ways', async () => {
  expect(ways.length).toBeGreaterThanOrEqual(40);
  const limited = await at.ours.token('deployer', [at.projectId]);
  const credentials: [string, Credential][] = [
    ['a token', at.ours.tokens.deployer],
    ['a token of the project', limited],
    ['a session', at.ours.sessions.deployer],
  ];
  for (const [who, as] of credentials) {
    for (const [what, way] of ways) {
      const texts: string[] = [];
      const last = await way(async (method, path, body) => {
        const answered = await at.call(method, path, body, as);
        texts.push(answered.text);
        return answered;
      });
      expect(last.status, `${who}, ${what}: ${last.text}`).toBeLessThan(500);
      await work();
      for (const [name, secret] of Object.entries(secrets))
        expect([who, what, name, texts.some((text) => text.includes(secret))]).toEqual([who, what, name, false]);
    }
  }
  const heads = await at.ours.rows.all('build', { commit_sha: head });
  const connected = new Set(heads.map(({ id }) => id));
  expect(asked.size).toBeGreaterThan(0);
  for (const [id, command] of asked) {
    expect([secrets.run, secrets.shared].filter((one) => command.includes(one))).toEqual([]);
    expect(connected.has(id) || !command.includes(secrets.build)).toBe(true);
  }
  expect([...asked].some(([id, command]) => connected.has(id) && command.includes(secrets.build))).toBe(true);
});
