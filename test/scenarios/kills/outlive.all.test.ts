import { mkdirSync, realpathSync, statSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { readStatus } from '../../../agent/home/status.ts';
import { Releases } from '../../../agent/update/releases.ts';
import { offerRelease } from '../../agents/offer-release.ts';
import { Applications, type ShownInstance } from '../../applications/applications.ts';
import { fromImageToAddress } from '../../applications/from-image.ts';
import { readmeExample } from '../../applications/readme-example.ts';
import { steadyTraffic } from '../../applications/steady-traffic.ts';
import { portThief } from '../../attacks/port-thief.ts';
import { freePort } from '../../ground/free-port.ts';
import { Installation } from '../../installation/installation.ts';
import type { PartName } from '../../installation/running-parts.ts';

const replicas = 20;

const kills: { what: string; parts: readonly PartName[] }[] = [
  { what: 'the agent', parts: ['agent'] },
  { what: 'API and worker', parts: ['api', 'worker'] },
  { what: 'Temporal, then PostgreSQL', parts: ['temporal', 'postgres'] },
  { what: 'all at once', parts: ['postgres', 'temporal', 'worker', 'api', 'agent'] },
];

/** Twenty instances that people use; one that writes a line for each request; one that is told to end now and then. */
const ingressPort = await freePort();
const installation = await Installation.start('outlive', {
  LOCAL_CLUSTER: 'true',
  LOCAL_DRIVER: 'process',
  INGRESS_PORT: String(ingressPort),
});
const applications = await Applications.on(installation);
await applications.apply({ name: 'shop', replicas });
await applications.apply({ name: 'writer' });
// One for each kill: the same one again and again would be a crash loop.
const names = kills.map((_, index) => `doomed-${index}`);
for (const name of names) await applications.apply({ name });
const [shop, writer] = await Promise.all(['shop', 'writer'].map((name) => applications.applied(name)));
const before = await applications.instances('shop');
expect(before).toHaveLength(replicas);
const doomed = await Promise.all(names.map(async (name) => hostOf((await applications.applied(name)).hosts)));
const url = `http://127.0.0.1:${ingressPort}`;
const visitors = await steadyTraffic({ url, host: hostOf(shop?.hosts), path: '/', perSecond: 40 });
const path = '/log?text=written&count=1';
const writers = await steadyTraffic({ url, host: hostOf(writer?.hosts), path, perSecond: 10 });

afterAll(async () => {
  await visitors.end().catch(() => undefined);
  await writers.end().catch(() => undefined);
  applications.close();
  await installation.remove();
});

test.each(kills)('kill -9 of $what: the exit status of what ended meanwhile is known afterwards', async ({ parts }) => {
  const index = kills.findIndex((kill) => kill.parts === parts);
  const [code, name] = [10 + index, `doomed-${index}`];
  const [instance] = await applications.instances(name);
  const runs = instance?.run ?? 0;
  const pids = new Map(parts.map((part) => [part, installation.parts.pid(part)]));
  installation.parts.kill(...parts);
  await tellToEnd(code, doomed[index] ?? '');
  for (const part of parts) await installation.replaced(part, pids.get(part) ?? 0);
  await installation.until('everything is as it shall be', async () => {
    const [now] = await applications.instances(name);
    const cluster = await applications.cluster();
    return now?.exit?.run === runs && now.exit.code === code && now.state === 'ready' && cluster?.status === 'ready';
  });
});

test('the agent follows what its control plane offers from now on', async () => {
  // Another ingress too, which takes over from the one that runs.
  const { first, image } = await offerRelease(installation, {}, { additions: { 'ingress.mjs': '\n// Another.\n' } });
  const pid = installation.parts.pid('agent');
  installation.parts.kill('agent');
  await installation.replaced('agent', pid);
  const { history } = await installation.until('it runs the new one', async () => {
    const { body } = await installation.call('GET', `${applications.path}/agent`, { as: applications.admin });
    return body.currentImage === image && body.inProgress === undefined && (body as { history: object[] });
  });
  expect(history).toMatchObject([{ kind: 'update', status: 'succeeded', fromImage: first, toImage: image }]);
  await installation.until('everything is ready', async () => (await applications.cluster())?.status === 'ready');
});

test('no instance was started again, no request failed and no line is missing', async () => {
  const after = await applications.instances('shop');
  const known = (instances: ShownInstance[]) =>
    instances.map(({ id, run, startedAt }) => ({ id, run, startedAt })).sort((a, b) => (a.id < b.id ? -1 : 1));
  expect(known(after)).toEqual(known(before));
  const [seen, written] = await Promise.all([visitors.end(), writers.end()]);
  expect(seen.failures).toEqual([]);
  expect(written.failures).toEqual([]);
  const [writer] = await applications.instances('writer');
  const { stdout } = await applications.command('logs', writer?.id ?? '', '--tail', '10000');
  expect(stdout.split('\n').filter((line) => line.endsWith('written'))).toHaveLength(written.sent);
});

test("the README's own commands run its example, which answers at its address", async () => {
  await readmeExample(installation, ingressPort);
});

const images = [
  { megabytes: 5, patient: false },
  { megabytes: 50, patient: false },
  { megabytes: 50, patient: true },
];
test.each(images)(
  'one command leads from an image of $megabytes MB to an address, another one to the next release, and one back (patient: $patient)',
  async ({ megabytes, patient }) =>
    fromImageToAddress(installation, { ingressPort, hostBound: true, patient, megabytes }),
);

test('events tell of nothing that was not so', async () => {
  const { body } = await installation.call('GET', `${applications.path}/events`, { as: applications.admin });
  const events = body.items as { kind: string }[];
  expect(events.map(({ kind }) => kind)).not.toContain('agent.lost');
});

test('another PORT takes the agent along, and one that cannot start is replaced by the next start', async () => {
  // The ingress goes on with its instances: its port is nobody else's between a stop and the next start either.
  const thief = await portThief([ingressPort]);
  await installation.stop();
  const home = realpathSync(join(installation.home, 'agent'));
  const releases = new Releases(home);
  const crashing = 'c0ffee'.repeat(2);
  mkdirSync(releases.path(crashing));
  writeFileSync(join(releases.path(crashing), 'digest'), 'sha256:c0ffee\n');
  writeFileSync(join(releases.path(crashing), 'ballast'), '#!/bin/sh\nexit 9\n', { mode: 0o755 });
  releases.write({ current: crashing });
  await installation.move();
  await installation.start();
  // The cluster's row may lag behind: an agent is lost only 45 s after its last heartbeat.
  await installation.until('the agent is back', async () => readStatus(home)?.connected);
  expect(releases.read()?.current).not.toBe(crashing);
  await thief.end();
  // The ingress does not listen on ::1.
  expect(thief.got().filter((name) => !name.startsWith('::1 '))).toEqual([]);
  const doctor = await installation.run('doctor');
  for (const part of ['Agent', 'Driver', 'Ingress']) expect(doctor.stdout).toMatch(new RegExp(`^✓ ${part} `, 'm'));
  const instances = await applications.instances('shop');
  expect(instances.map(({ id, run }) => [id, run]).sort()).toEqual(before.map(({ id, run }) => [id, run]).sort());
  // Only its own user gets into the directory of the socket.
  const socket = join(installation.home, 'run', 'api.sock');
  expect(statSync(socket).isSocket()).toBe(true);
  expect(statSync(installation.home).mode & 0o077).toBe(0);
  const status = readStatus(home);
  expect(status).toMatchObject({ connected: true, url: socket });
});

function hostOf(hosts: { host: string }[] | undefined): string {
  const host = hosts?.[0]?.host;
  if (host === undefined) throw new Error('The workload has no host name.');
  return host;
}

/** The process answers nothing any more, so that requests to it fail. */
function tellToEnd(code: number, host: string): Promise<void> {
  return new Promise((resolve) => {
    const asking = request(
      { port: ingressPort, path: `/exit?code=${code}`, method: 'POST', headers: { host } },
      (answer) => answer.resume().on('end', resolve),
    );
    asking.on('error', () => resolve()).end();
  });
}
