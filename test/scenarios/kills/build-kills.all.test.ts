import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { groupOf } from '../../../agent/builders/sandbox/mounts.ts';
import { processesWith } from '../../builders/processes-with.ts';
import { BuildingCluster } from '../../builds/building-cluster.ts';
import { signalProcess } from '../../installation/process-family.ts';
import { type PartName, partNames } from '../../installation/running-parts.ts';

const directory = mkdtempSync(join(tmpdir(), 'ballast-build-kills-'));
const mark = `mark-${crypto.randomUUID()}`;

/** So many lines, in about ten seconds. */
const lines = 5_000;
const program = `let told = 0; const timer = setInterval(() => {
  for (let more = 0; more < 50; more += 1) console.log('line ' + ++told + ' ' + '.'.repeat(told % 70));
  if (told === ${lines}) clearInterval(timer);
}, 100);`;
const textOf = (number: number) => `line ${number} ${'.'.repeat(number % 70)}`;

interface Build {
  id: string;
  status: string;
  error: string;
  sourceId: string;
  environmentId: string;
  serviceId: string;
}

const building = await BuildingCluster.start('build-kills');
const { installation } = building;
const scripts = { build: `node lines.js ${mark}`, start: 'node server.js' };
const server = `require('http').createServer((q, a) => a.end('ok')).listen(process.env.PORT)`;
const files = { 'package.json': JSON.stringify({ name: 'app', scripts }), 'lines.js': program, 'server.js': server };
for (const [path, content] of Object.entries(files)) writeFileSync(join(directory, path), content);
await building.deploy(directory, '--project', 'kills', '--service', 'web', '--yes');
const { items } = await building.call<{ items: Build[] }>('GET', '/builds');
const { environmentId = '', serviceId = '', sourceId = '' } = items[0] ?? {};
const service = { environmentId, serviceId, sourceId };
afterAll(async () => {
  await building.close();
  rmSync(directory, { recursive: true });
});

/** Undefined while nobody answers. */
const find = (id: string) => building.call<Build>('GET', `/builds/${id}`).catch(() => undefined);

async function request(): Promise<string> {
  const { environmentId, serviceId, sourceId } = service;
  const body = { environmentId, sourceId, deploy: false };
  return (await building.call<Build>('POST', `/services/${serviceId}/builds`, body)).id;
}

async function logOf(id: string): Promise<{ seq: number; text: string }[]> {
  const all: { seq: number; text: string }[] = [];
  let cursor = '';
  do {
    const page = await building.call<{ items: typeof all; nextCursor?: string }>(
      'GET',
      `/builds/${id}/logs?limit=1000${cursor}`,
    );
    all.push(...page.items);
    cursor = page.nextCursor === undefined ? '' : `&cursor=${page.nextCursor}`;
  } while (cursor !== '');
  return all;
}

/** Of the agent; as root it is a link. */
const home = () => realpathSync(join(installation.home, 'agent'));

/** Processes and folders of builds, and the control groups of these sandboxes. */
function left(sandboxes: readonly string[] = []): string[] {
  const groups = sandboxes.flatMap((name) => ['-o', '-name', groupOf(name)]).slice(1);
  // Other tests' groups go while it looks, at which it complains.
  const found =
    groups.length === 0 ? '' : spawnSync('find', ['/sys/fs/cgroup', ...groups], { encoding: 'utf8' }).stdout;
  return [...processesWith(mark), ...inside('builds'), ...inside('sandboxes'), ...found.split('\n').filter(Boolean)];
}

function inside(name: string): string[] {
  const path = join(home(), name);
  return existsSync(path) ? readdirSync(path) : [];
}

interface Kill {
  what: string;
  parts: readonly PartName[];
  supervisor?: boolean;
  /** Words in the arguments of processes of the build. */
  processes?: () => string;
  ends: 'succeeded' | RegExp;
}

const interrupted = /^The agent was interrupted while it built; build again\.$/;
const kills: Kill[] = [
  ...partNames.map((part): Kill => ({ what: part, parts: [part], ends: 'succeeded' })),
  { what: 'the control plane at once', parts: partNames, ends: 'succeeded' },
  { what: 'the agent', parts: ['agent'], ends: interrupted },
  { what: 'all parts at once', parts: [...partNames, 'agent'], ends: interrupted },
  { what: 'the supervisor and all parts', parts: [...partNames, 'agent'], supervisor: true, ends: interrupted },
  { what: 'the program of a step', parts: [], processes: () => mark, ends: /^The step build failed: its command / },
  {
    what: 'the sandbox of a build',
    parts: [],
    processes: () => join(home(), 'sandboxes'),
    ends: /^The step build failed: its command was ended by SIGKILL/,
  },
];

test.each(kills)(
  'kill -9 of $what in the middle of a build: it ends right, its log is whole, and nothing is left',
  async (kill) => {
    const { parts, supervisor = false, processes, ends } = kill;
    const id = await request();
    await installation.until('it is in the middle', async () =>
      (await logOf(id)).some(({ text }) => text === textOf(700)),
    );
    const sandboxes = inside('sandboxes');
    expect(sandboxes).toHaveLength(1);
    const before = new Map<PartName, number>(parts.map((part) => [part, installation.parts.pid(part)]));
    installation.parts.kill(...parts, ...(supervisor ? (['supervisor'] as const) : []));
    for (const pid of processes === undefined ? [] : processesWith(processes())) signalProcess(Number(pid), 'SIGKILL');
    if (supervisor) {
      await installation.ended();
      await installation.start();
    } else for (const part of parts) await installation.replaced(part, before.get(part) ?? 0);
    await installation.ready();
    const over = await installation.until('it has ended', async () => {
      const build = await find(id);
      return build !== undefined && !['queued', 'running'].includes(build.status) && build;
    });
    if (ends === 'succeeded') expect(over).toMatchObject({ status: 'succeeded', error: '' });
    else expect(over).toMatchObject({ status: 'failed', error: expect.stringMatching(ends) });

    const log = await logOf(id);
    expect(log.map(({ seq }) => seq)).toEqual(log.map((_, index) => index + 1));
    const told = log.map(({ text }) => text).filter((text) => text.startsWith('line '));
    expect(told).toEqual(told.map((_, index) => textOf(index + 1)));
    expect(told.length).toBeGreaterThanOrEqual(ends === 'succeeded' ? lines : 700);

    await installation.until('nothing of it is left', async () => left(sandboxes).length === 0);
    // No lock either: the next build of the same service has the same caches.
  },
);

test('after all of that a build succeeds', async () => {
  const id = await request();
  const over = await installation.until('it has ended', async () => {
    const build = await find(id);
    return build !== undefined && !['queued', 'running'].includes(build.status) && build;
  });
  expect(over).toMatchObject({ status: 'succeeded', error: '' });
  expect(left()).toEqual([]);
});
