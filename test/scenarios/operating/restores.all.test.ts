import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { claimedDeploymentStates, finalDeploymentStates } from '../../../domain/deployments/states.ts';
import { BuildingCluster } from '../../builds/building-cluster.ts';
import { startBallast } from '../../installation/ballast-command.ts';
import type { Session } from '../../installation/installation.ts';
import { patient } from '../../run/patience.ts';

interface Deployment {
  id: string;
  state: string;
  serving: boolean;
  environmentName: string;
  message: string;
}
interface Approval {
  id: string;
  /** None while it waits. */
  decision?: string;
}
interface Build {
  id: string;
  status: string;
  environmentName: string;
  deploymentId?: string;
}
interface Known {
  deployments: Deployment[];
  approvals: Approval[];
  builds: Build[];
}

/** The version that each build for staging has built. */
const versions = new Map<string, string>();

/** Seconds for everything to come to an end again. */
const patience = 180;

let building: BuildingCluster;
let admin: Session;
let address: Awaited<ReturnType<BuildingCluster['deploy']>>;
const directory = mkdtempSync(join(tmpdir(), 'ballast-restores-'));
const place = join(directory, 'place');
const keyFile = join(directory, 'key');

beforeAll(async () => {
  building = await BuildingCluster.start('restores');
  const { installation } = building;
  const database = await installation.database();
  const { id } = await database.kysely.selectFrom('organization').select('id').executeTakeFirstOrThrow();
  admin = await installation.session(id, 'admin');
  address = await building.deploy(folder('v0'), ...words('staging'), '--yes');
  expect((await address()).body).toBe(servedOf(await known(), 'v0'));
  const first = await building.ballast('admin', 'backup', '--to', place, '--new-key', '--json');
  expect(first, first.stderr).toMatchObject({ code: 0 });
  writeFileSync(keyFile, JSON.parse(first.stdout).key);
}, patient(600_000));
afterAll(async () => {
  await building?.close();
  rmSync(directory, { recursive: true });
});

const words = (environment: string) => ['--project', 'web', '--service', 'web', '--environment', environment];

function folder(version: string): string {
  const path = join(directory, version);
  mkdirSync(path, { recursive: true });
  writeFileSync(join(path, 'index.html'), version);
  return path;
}

async function known(): Promise<Known> {
  const list = async <T>(path: string) => (await building.call<{ items: T[] }>('GET', `${path}?limit=100`)).items;
  const [deployments, approvals, builds] = await Promise.all([
    list<Deployment>('/deployments'),
    list<Approval>('/approvals'),
    list<Build>('/builds'),
  ]);
  return { deployments, approvals, builds };
}

/** How each thing stands that is over. A build of a change set and its deployment have one id. */
function ends({ deployments, approvals, builds }: Known): Map<string, string> {
  const over = [
    ...deployments.filter(deployed).map(({ id, state }) => [`deployment ${id}`, state] as const),
    ...approvals.flatMap(({ id, decision }) => (decision === undefined ? [] : [[`approval ${id}`, decision] as const])),
    ...builds.filter(built).map(({ id, status }) => [`build ${id}`, status] as const),
  ];
  return new Map(over);
}

const deployed = ({ state }: Deployment) => finalDeploymentStates.some((one) => one === state);
const built = ({ status }: Build) => finalBuilds.includes(status);
const finalBuilds = ['succeeded', 'failed', 'superseded', 'cancelled'];
const pending = ({ approvals }: Known) => approvals.filter(({ decision }) => decision === undefined);

async function asAdmin(approval: Approval, decision: 'approved' | 'rejected'): Promise<void> {
  const { status, text } = await building.installation.call('POST', `/api/v1/approvals/${approval.id}/decide`, {
    as: admin,
    body: { decision },
  });
  expect(status, text).toBe(200);
}

/** Things under way when the backup begins. */
const moments = {
  'a build runs': async () => {
    await seen('a build runs', ({ builds }) => builds.some(({ status }) => status === 'running'));
  },
  'a rollout is under way': async () => {
    await seen('a rollout', ({ deployments }) =>
      deployments.some(({ state }) => claimedDeploymentStates.some((one) => one === state)),
    );
  },
  'an approval waits': async () => {
    await waiting();
  },
  'an approval has just been given': async () => {
    await asAdmin(await waiting(), 'approved');
  },
  'an approval has just been refused': async () => {
    await asAdmin(await waiting(), 'rejected');
  },
} as const;

async function seen(what: string, is: (now: Known) => boolean): Promise<Known> {
  return await building.installation.until(
    what,
    async () => {
      const now = await known();
      return is(now) && now;
    },
    patience,
  );
}

async function waiting(): Promise<Approval> {
  const [found] = pending(await seen('an approval waits', (now) => pending(now).length > 0));
  if (found === undefined) throw new Error('No approval waits.');
  return found;
}

/** The state once nothing is under way any more. */
async function settled(now: Known): Promise<Known> {
  for (const approval of pending(now)) await asAdmin(approval, 'approved');
  return await seen('everything is over', ({ deployments, builds }) => {
    const requested = new Set(deployments.map(({ id }) => id));
    const settled = (build: Build) =>
      built(build) && (build.status !== 'succeeded' || requested.has(build.deploymentId ?? ''));
    return deployments.every(deployed) && builds.every(settled);
  });
}

/** The version that staging serves by its rows. Builds that were not known before have built this version. */
function servedOf({ deployments, builds }: Known, version: string): string | undefined {
  const staged = builds.filter(({ environmentName }) => environmentName === 'Staging');
  for (const { id } of staged) if (!versions.has(id)) versions.set(id, version);
  const [live] = deployments.filter(({ environmentName, serving }) => environmentName === 'Staging' && serving);
  return versions.get(staged.find(({ deploymentId }) => deploymentId === live?.id)?.id ?? '');
}

/** As on another disk: everything of the control plane is gone, the local agent and what it runs are there. */
async function loseEverything(): Promise<void> {
  const { installation } = building;
  await installation.stop();
  if (process.getuid?.() === 0) rmSync(dirname(readlinkSync(join(installation.home, 'postgres'))), { recursive: true });
  const agent = join(installation.home, 'agent');
  if (process.getuid?.() !== 0) renameSync(agent, join(directory, 'agent'));
  rmSync(installation.home, { recursive: true });
}

const rounds = [...Object.keys(moments), ...Object.keys(moments)].map((moment, index) => [index + 1, moment] as const);

test.each(rounds)('restore %i: of a backup that was taken while %s', async (round, moment) => {
  const { installation } = building;
  const version = `v${round}`;
  const running = [
    building.ballast('deploy', folder(version), ...words('staging'), '--yes'),
    building.ballast('deploy', folder(version), ...words('production'), '--yes', '--no-wait'),
  ];
  await moments[moment as keyof typeof moments]();
  const before = await known();
  const taken = await building.ballast('admin', 'backup', '--to', place, '--keep', '2', '--json');
  expect(taken, taken.stderr).toMatchObject({ code: 0 });
  await Promise.all(running);

  await loseEverything();
  const restored = await building.ballast('admin', 'restore', '--from', place, '--key-file', keyFile, '--json');
  expect(restored, restored.stderr).toMatchObject({ code: 0 });
  if (process.getuid?.() !== 0) renameSync(join(directory, 'agent'), join(installation.home, 'agent'));
  await installation.start();

  // Whatever was over is as it was, and every decision stands.
  const after = await known();
  const now = ends(after);
  expect([...ends(before)].filter(([id, end]) => now.get(id) !== end)).toEqual([]);
  // Whatever was under way comes to an end, and nothing of it is told to have failed.
  const end = await settled(after);
  expect(end.deployments.filter(({ state }) => state === 'failed')).toEqual([]);
  expect(end.builds.filter(({ status }) => status === 'failed')).toEqual([]);
  expect((await address()).body).toBe(servedOf(end, version));
});

test('a backup that is killed is none, and a restore that is killed is run again', async () => {
  const { installation } = building;
  const backups = async () => (await building.ballast('admin', 'backups', '--from', place)).stdout;
  const before = await backups();
  const backup = startBallast(['admin', 'backup', '--to', place], installation.env);
  await installation.until('it copies', async () =>
    readdirSync(place, { recursive: true }).some((name) => String(name).endsWith('.part')),
  );
  process.kill(-backup.pid, 'SIGKILL');
  await backup.ended;
  expect(await backups()).toBe(before);

  await loseEverything();
  const words = ['admin', 'restore', '--from', place, '--key-file', keyFile];
  const restore = startBallast(words, installation.env);
  await installation.until('it restores', async () => existsSync(join(installation.home, 'home.json')));
  process.kill(-restore.pid, 'SIGKILL');
  await restore.ended;
  const up = await installation.run('up');
  expect([up.code, up.stderr]).toEqual([1, expect.stringContaining('its restore was interrupted')]);
  const again = await building.ballast(...words);
  expect(again, again.stderr).toMatchObject({ code: 0 });
  if (process.getuid?.() !== 0) renameSync(join(directory, 'agent'), join(installation.home, 'agent'));
  await installation.start();
  expect((await address()).body).toBe(servedOf(await settled(await known()), ''));
});
