import { existsSync, readdirSync, realpathSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { processesWith } from '../../builders/processes-with.ts';
import { BuildingCluster } from '../../builds/building-cluster.ts';
import { gitServer } from '../../git/git-server.ts';
import { signalProcess } from '../../installation/process-family.ts';
import { type PartName, partNames } from '../../installation/running-parts.ts';

/** Answers of the host that begin and do not go on; undefined: they are whole. */
let held: ServerResponse[] | undefined;

interface Build {
  id: string;
  status: string;
  error: string;
  environmentId: string;
  serviceId: string;
  commitMessage: string;
}

const git = await gitServer({
  before: ({ method, headers }, response) => {
    // The control plane asks for names alone; git itself fetches.
    if (held === undefined || method !== 'POST' || !/^git\//.test(headers['user-agent'] ?? '')) return false;
    response.writeHead(200, { 'content-type': 'application/x-git-upload-pack-result' }).write('000dpackfile\n');
    held.push(response);
    return true;
  },
});
const scripts = { start: 'node server.js' };
const server = `require('http').createServer((q, a) => a.end('ok')).listen(process.env.PORT)`;
const files = { 'package.json': JSON.stringify({ name: 'app', scripts }), 'server.js': server };
await git.commit('team/app.git', files, { message: 'Say hello' });
const building = await BuildingCluster.start('fetch-kills', { OUTBOUND_ALLOWED_RANGES: '127.0.0.0/8' });
const { installation } = building;
const { project } = await building.call<{ project: { id: string } }>('POST', '/projects', { name: 'kills' });
const source = { kind: 'git', gitUrl: `${git.url}/team/app.git` };
await building.call('POST', `/projects/${project.id}/services`, { name: 'web', source });
await building.deploy('--staged', '--project', 'kills', '--environment', 'staging');
const { items } = await building.call<{ items: Build[] }>('GET', '/builds');
const { environmentId = '', serviceId = '', commitMessage } = items[0] ?? {};
expect(commitMessage).toBe('Say hello');
const service = { environmentId, serviceId };
afterAll(async () => {
  await building.close();
  await git.close();
});

async function request(): Promise<string> {
  const body = { environmentId: service.environmentId, deploy: false };
  return (await building.call<Build>('POST', `/services/${service.serviceId}/builds`, body)).id;
}

const over = (id: string) =>
  installation.until('it has ended', async () => {
    // Nobody answers while the control plane is down.
    const build = await building.call<Build>('GET', `/builds/${id}`).catch(() => undefined);
    return build !== undefined && !['queued', 'running'].includes(build.status) && build;
  });

/** Of the agent; as root it is a link. */
const home = () => realpathSync(join(installation.home, 'agent'));
const inside = (name: string) => (existsSync(join(home(), name)) ? readdirSync(join(home(), name)) : []);
/** Git has the address of the repository among its words. */
const left = () => [...processesWith(`${git.url}/team`), ...inside('builds'), ...inside('sandboxes')];

interface Kill {
  what: string;
  parts: readonly PartName[];
  /** Done once the parts are there again. */
  besides?: () => void;
  ends: RegExp;
}

const interrupted = /^The agent was interrupted while it built; build again\.$/;
const cut = () => {
  for (const response of held ?? []) response.destroy();
};
const kills: Kill[] = [
  { what: 'the agent', parts: ['agent'], ends: interrupted },
  { what: 'all parts at once', parts: [...partNames, 'agent'], ends: interrupted },
  {
    what: 'the control plane, and then of the connection',
    parts: partNames,
    besides: cut,
    ends: /or broke off: retry/,
  },
  {
    what: 'git',
    parts: [],
    besides: () => {
      for (const pid of processesWith(`${git.url}/team`)) signalProcess(Number(pid), 'SIGKILL');
    },
    ends: /^The step fetch failed: /,
  },
];

test.each(kills)(
  'kill -9 of $what in the middle of a fetch: the build ends right, and the next one fetches',
  async ({ parts, besides, ends }) => {
    held = [];
    const id = await request();
    await installation.until('it is in the middle', async () => (held ?? []).length > 0);
    const before = new Map<PartName, number>(parts.map((part) => [part, installation.parts.pid(part)]));
    installation.parts.kill(...parts);
    for (const part of parts) await installation.replaced(part, before.get(part) ?? 0);
    besides?.();
    await installation.ready();
    expect(await over(id)).toMatchObject({ status: 'failed', error: expect.stringMatching(ends) });
    await installation.until('nothing of it is left', async () => left().length === 0);
    held = undefined;
    expect(await over(await request())).toMatchObject({ status: 'succeeded', error: '', commitMessage: 'Say hello' });
    expect(left()).toEqual([]);
  },
);
