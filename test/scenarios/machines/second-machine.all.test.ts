import { cpSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { currentRelease } from '../../../db/agent-updates/agent-releases.ts';
import { processesNaming } from '../../agents/installed-agent.ts';
import { through } from '../../agents/kept-machine.ts';
import { broken as brokenFiles, offerRelease } from '../../agents/offer-release.ts';
import { OtherMachine } from '../../agents/other-machine.ts';
import { PeerAgent } from '../../agents/peer-agent.ts';
import { Applications, type ShownInstance } from '../../applications/applications.ts';
import { steadyTraffic } from '../../applications/steady-traffic.ts';
import { proxyTo } from '../../ground/proxy.ts';
import { sampleLayout } from '../../images/sample-image.ts';
import { type CommandResult, runBallast } from '../../installation/ballast-command.ts';
import { Installation } from '../../installation/installation.ts';

let applications: Applications;
/** The agent's, as the printed command has chosen it. */
let printed: string;
let ingress: string;
let host: string;
let traffic: Awaited<ReturnType<typeof steadyTraffic>>;
let before: Known[];

const machine = new OtherMachine();
const home = join(machine.path, 'ballast-agent-berlin');
const installation = await Installation.start('second-machine');
const database = () => installation.database();
await installation.until('the agent is offered', async () => currentRelease((await database()).kysely));

afterAll(async () => {
  await traffic?.end().catch(() => undefined);
  applications?.close();
  machine.close();
  await installation.remove();
});

const cluster = (...words: string[]): Promise<CommandResult> => applications.command(...words, '--cluster', 'berlin');
const status = () => machine.status(home);
const agentStatus = async () => {
  const { body } = await installation.call('GET', `${applications.path}/agent`, { as: applications.admin });
  return body as { history: Record<string, unknown>[]; inProgress?: object };
};
const shown = () => applications.cluster();
const isReady = async () => (await shown())?.status === 'ready';
const kinds = async () => {
  const { body } = await installation.call('GET', `${applications.path}/events`, { as: applications.admin });
  return (body.items as { kind: string }[]).map(({ kind }) => kind);
};
const tokenIn = (command: string) => /bje_[A-Za-z0-9_-]+/.exec(command)?.[0] ?? '';

type Known = Pick<ShownInstance, 'id' | 'run' | 'startedAt'>;
async function known(): Promise<Known[]> {
  const instances = await applications.instances('shop');
  return instances.map(({ id, run, startedAt }) => ({ id, run, startedAt })).sort((a, b) => (a.id < b.id ? -1 : 1));
}

test('the printed command makes a machine the agent of its cluster', async () => {
  const admin = await installation.token('admin');
  const env = { ...installation.env, BALLAST_URL: installation.url, BALLAST_TOKEN: admin.token };
  printed = (await runBallast(['cluster', 'create', 'Berlin'], env)).stdout;
  applications = await Applications.on(installation);
  expect(await shown()).toMatchObject({ slug: 'berlin', status: 'awaiting-agent' });
  const { code, said } = await machine.type(printed, { secret: tokenIn(printed) });
  expect(said).toContain('of the cluster Berlin is in contact with');
  expect(code).toBe(0);
  await installation.until('the cluster is ready', isReady);
  expect(await machine.agent(home, ['status'])).toMatchObject({ code: 0, said: expect.stringContaining('Berlin') });
  // Once more is no harm.
  const again = await machine.type(printed);
  expect(again).toMatchObject({ code: 0, said: expect.stringContaining('enrolled already, for the cluster Berlin') });
});

test('a token that is used, expired or wrong enrols nobody, and nothing half done stays', async () => {
  const elsewhere = machine.directory('elsewhere');
  const expired = (await cluster('token')).stdout;
  await sql`update enrollment_token set expires_at = now() - interval '1 second' where used_at is null`.execute(
    (await database()).kysely,
  );
  const wrong = printed.replace(tokenIn(printed), 'bje_nobody-has-ever-made-this-token');
  const cases: [string, string][] = [
    [printed, 'was already used'],
    [expired, 'has expired'],
    [wrong, 'is unknown'],
  ];
  for (const [command, sentence] of cases) {
    const { code, said } = await machine.type(command, { home: elsewhere });
    expect(said).toContain('the token is unknown, used or expired');
    expect(code).toBe(1);
    expect(readdirSync(elsewhere)).toEqual([]);
    const joined = await enrolIn(join(elsewhere, 'agent'), tokenIn(command));
    expect(joined).toMatchObject({ code: 1, said: expect.stringContaining(sentence) });
    expect(readdirSync(join(elsewhere, 'agent'))).toEqual(['run']);
    expect(await machine.type(`rm -r ${elsewhere}/agent`)).toMatchObject({ code: 0 });
  }
});

test('a control plane is joined by its own address only', async () => {
  const potsdam = await applications.command('create', 'Potsdam');
  const token = tokenIn(potsdam.stdout);
  const other = machine.directory('potsdam');
  const proxy = await proxyTo(`127.0.0.1:${installation.port}`);
  try {
    const refused = await enrolIn(other, token, `http://${proxy.address}`);
    expect(refused).toMatchObject({ code: 1, said: expect.stringContaining('join it by that address') });
  } finally {
    await proxy.close();
  }
  expect(await enrolIn(other, token)).toMatchObject({ code: 0, said: expect.stringContaining('Potsdam') });
});

test('a workload that is applied there answers through the ingress of that machine', async () => {
  const layout = join(machine.path, 'shop');
  await sampleLayout(layout, { version: '1' });
  const processes = [{ name: 'web', kind: 'http', port: 8080, replicas: 2 }];
  const file = machine.write(
    'shop.json',
    JSON.stringify({ workloads: [{ name: 'shop', image: { layout }, processes }] }),
  );
  const applied = await cluster('apply', file);
  expect(applied.stderr + applied.stdout).toContain('shop');
  expect(applied.code).toBe(0);
  host = (await applications.applied('shop')).hosts[0]?.host ?? '';
  ingress = `http://127.0.0.1:${(await status()).ingressPort}`;
  expect(await through(ingress, host)).toMatchObject({ status: 200, body: expect.stringContaining('"version":"1"') });
  before = await known();
  expect(before).toHaveLength(2);
  traffic = await steadyTraffic({ url: ingress, host, path: '/', perSecond: 50 });
});

test('an update of the agent disturbs nothing, one that does not work comes back, and there is a way back', async () => {
  // Another ingress too, which takes over from the one that runs.
  const offered = await offerRelease(installation, {}, { additions: { 'ingress.mjs': '\n// Another.\n' } });
  const { first, image: next } = offered;
  expect(await agentStatus()).toMatchObject({ currentImage: first, availableImage: next, updateAvailable: true });
  const updated = await cluster('update');
  expect(updated.stderr + updated.stdout).toContain(`${first} to ${next}: succeeded`);
  expect(updated.code).toBe(0);
  expect(await agentStatus()).toMatchObject({ currentImage: next, updateAvailable: false });

  const { image: broken } = await offerRelease(installation, brokenFiles);
  const updating = cluster('update');
  await installation.until('it has begun', async () => (await agentStatus()).inProgress !== undefined);
  const path = `${applications.path}/agent/update`;
  const second = await installation.call('POST', path, { as: applications.admin, body: {} });
  expect(second).toMatchObject({
    status: 409,
    body: { detail: expect.stringContaining('is already being updated') },
  });
  const { code, stdout, stderr } = await updating;
  expect(stdout).toContain(`${next} to ${broken}: returned`);
  expect(stderr).toContain('was started 3 times and did not reach the control plane');
  expect(code).not.toBe(0);

  const back = await cluster('rollback', first);
  expect(back).toMatchObject({ code: 0, stdout: `${next} to ${first}: succeeded\n` });
  // The broken release is withdrawn.
  await offered.takeBack();
  const { history, inProgress } = await agentStatus();
  expect(inProgress).toBeUndefined();
  expect(history.map(({ kind, status: ended, toImage }) => [kind, ended, toImage])).toEqual([
    ['rollback', 'succeeded', first],
    ['update', 'returned', broken],
    ['update', 'succeeded', next],
  ]);
  await installation.until('the cluster is ready', isReady);
  const ended = (await kinds()).filter((kind) => kind.startsWith('agent.update.') && kind !== 'agent.update.started');
  expect(ended).toEqual(['agent.update.succeeded', 'agent.update.returned', 'agent.update.succeeded']);
  expect(await known()).toEqual(before);
});

test('of two agents with one identity the earlier one stops for good and the cluster goes on with the other', async () => {
  const clone = machine.directory('clone');
  for (const name of ['agent.json', 'releases', 'launcher.sh', 'journal', 'desired.json']) {
    cpSync(join(home, name), join(clone, name), { recursive: true });
  }
  symlinkSync(join(home, 'runtime'), join(clone, 'runtime'));
  const launched = machine.launch(clone);
  await installation.until('the first one has stopped', async () => machine.keepers(home).length === 0);
  expect(machine.read(join(home, 'run', 'agent.log'))).toContain('Another agent has taken over this identity');
  await installation.until(
    'it runs what the other one does',
    async () => (await machine.status(clone)).instances === 2,
  );
  expect(launched.over()).toBe(false);
  // The machine that was meant is started again; what runs there went on without an agent.
  const original = machine.launch(home);
  expect(await launched.ended).toBe(64);
  expect(machine.keepers(clone)).toEqual([]);
  await installation.until('the cluster is ready', isReady);
  await installation.until('its own instances', async () => JSON.stringify(await known()) === JSON.stringify(before));
  expect(original.over()).toBe(false);
  expect((await kinds()).filter((kind) => kind === 'agent.superseded')).toHaveLength(2);
  const left = await machine.agent(clone, ['leave', '--yes']);
  expect(left).toMatchObject({ code: 0, said: expect.stringContaining('has left the cluster Berlin') });
  expect(processesNaming(clone)).toEqual([]);
  // Whatever starts it all the same, as after a reboot, ends and says why.
  expect(await machine.launch(clone).ended).toBe(66);
});

test('an agent can say nothing about another cluster, and what an earlier incarnation says does not count', async () => {
  const credentialOf = (directory: string): string =>
    JSON.parse(machine.read(join(directory, 'agent.json'))).credential;
  const as = applications.admin;
  const { items } = (await installation.call('GET', '/api/v1/clusters', { as })).body;
  const potsdam = (items as { id: string; slug: string }[]).find(({ slug }) => slug === 'potsdam')?.id;
  const of = async (path: string) =>
    (await installation.call('GET', `/api/v1/clusters/${potsdam}${path}`, { as })).body;
  const its = new PeerAgent(installation.url);
  its.credential = credentialOf(join(machine.path, 'potsdam'));
  await its.hello();
  const image = { repository: 'registry.example.com/shop', tag: '1' };
  const body = { image, processes: [{ name: 'web', kind: 'worker' }] };
  const put = await installation.call('PUT', `/api/v1/clusters/${potsdam}/workloads/shop`, { as, body });
  expect(put.text).toContain('"shop"');
  await installation.until('Potsdam is ready', async () => (await of('')).status === 'ready');
  const restart = { kind: 'restart', workload: 'shop' };
  const path = `/api/v1/clusters/${potsdam}/commands`;
  const asked = await installation.call('POST', path, { as, body: restart });
  expect(asked.text).toContain('"queued"');
  const { id } = asked.body;
  const all = () => Promise.all(['', '/workloads', '/events', `/commands/${id}`].map(of));
  const untouched = await all();
  expect(untouched.at(-1)).toMatchObject({ id, state: 'queued' });

  const forger = new PeerAgent(installation.url);
  forger.credential = credentialOf(home);
  forger.incarnation = Number((await status()).incarnation);
  expect((await forger.call('POST', `commands/${id}/result`, { attempt: 1, outcome: 'done' })).status).toBe(404);
  const slice = { key: 'shop', appliedRevision: 9, error: 'Forged.', instances: [] };
  const report = { number: 1_000_000, full: true, appliedRevision: 9, slices: [slice], clusterId: potsdam };
  // Of its own cluster it may say this, were it the one that counts.
  forger.incarnation -= 1;
  expect((await forger.call('POST', 'report', report)).status).toBe(409);
  expect((await applications.list())?.[0]?.state).toBe('applied');
  expect(await all()).toEqual(untouched);
});

test('a revoked agent is refused; who has left can join again, and finds what shall run', async () => {
  const seen = await traffic.end();
  expect(seen.failures).toEqual([]);
  await installation.call('DELETE', `${applications.path}/agent`, { as: applications.admin });
  await installation.until('it awaits another agent', async () => (await shown())?.status === 'awaiting-agent');
  await installation.until('it is refused', async () => String((await status()).error).includes('revoked'));
  // Running instances go on until somebody stops them.
  expect(await through(ingress, host)).toMatchObject({ status: 200 });
  expect(await machine.agent(home, ['leave', '--yes'])).toMatchObject({ code: 0 });
  expect(processesNaming(home)).toEqual([]);
  const again = await machine.type((await cluster('token')).stdout);
  expect(again).toMatchObject({ code: 0, said: expect.stringContaining('of the cluster Berlin is in contact with') });
  await installation.until('the cluster is ready', isReady);
  // Applied means that it is there again, not that it was before.
  const { instances } = await applications.applied('shop');
  expect(instances.map(({ state }) => state)).toEqual(['ready', 'ready']);
  const { ingressPort } = await status();
  expect(await through(`http://127.0.0.1:${ingressPort}`, host)).toMatchObject({ status: 200 });
});

test('a cluster goes when nothing lives there any more, and its agent ends for good', async () => {
  const inUse = await cluster('delete', '--yes');
  expect(inUse).toMatchObject({ stderr: expect.stringContaining('shop') });
  expect(inUse.code).not.toBe(0);
  await applications.remove('shop');
  await installation.until('nothing lives there', async () => (await cluster('delete', '--yes')).code === 0);
  await installation.until('it is gone', async () => (await shown()) === undefined);
  await installation.until('nothing is left there', async () => processesNaming(home).length === 0);
  expect(machine.read(join(home, 'run', 'agent.log'))).toContain('The cluster of this agent was deleted');
});

function enrolIn(where: string, token: string, url = installation.url) {
  return machine.agent(where, ['join', '--url', url, '--token-file', '-'], { input: token, program: home });
}
