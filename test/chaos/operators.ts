import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { uploadFolder } from '../../cli/build/upload-folder.ts';
import { Rest } from '../../cli/engine/rest.ts';
import { runBallast } from '../installation/ballast-command.ts';
import { headersOf } from '../installation/running-api.ts';
import { type Answer, type Client, ofChangeSet, rowOf } from './client.ts';
import type { Promised } from './facts.ts';
import { allPlaces, type Ground } from './ground.ts';

type Step = (pick: number) => Promise<void>;

/** Scales, restarts, suspends and resumes a service. */
export function operator(client: Client, { places: { pump } }: Ground): Step {
  const { serviceId, environmentId, processId } = pump;
  const suspension = (suspended: boolean): Promised => ({ of: 'suspension', environmentId, serviceId, suspended });
  return async (pick) => {
    const replicas = 1 + Math.floor(client.chance() * 3);
    if (pick < 0.4) {
      const items = [{ kind: 'process.set', processId, key: 'replicas', value: replicas }];
      const path = `/environments/${environmentId}/change-set/items:batch`;
      const staged = await client.ask('scale', 'PUT', path, { body: { items } });
      const id = staged?.changeSet?.id;
      if (id) await client.ask('apply', 'POST', `/change-sets/${id}/apply`, { body: {}, promised: ofChangeSet });
    } else if (pick < 0.65) {
      const path = `/processes/${processId}/restart?environmentId=${environmentId}`;
      await client.ask('restart', 'POST', path, { promised: ({ id }) => rowOf('command', id) });
    } else if (pick < 0.8) {
      const body = { environmentId, deployments: 'cancel' };
      await client.ask('suspend', 'POST', `/services/${serviceId}/suspend`, { body, promises: [suspension(true)] });
    } else await resume(client, { environmentId, serviceId });
  };
}

/** Whether it runs again follows from the deployment that resumes it. */
export async function resume(
  client: Client,
  { environmentId, serviceId }: { environmentId: string; serviceId: string },
) {
  const running: Promised = { of: 'suspension', environmentId, serviceId, suspended: false };
  const promised = ({ deployment }: Answer): Promised[] =>
    deployment === undefined ? [] : [{ ...running, by: deployment.id }, ...rowOf('deployment', deployment.id)];
  const asking = { body: { environmentId, queue: true }, promises: [running], promised };
  return await client.ask('resume', 'POST', `/services/${serviceId}/resume`, asking);
}

/** Uploads a folder and has it built; cancels builds, and begins them again. */
export function builder(client: Client, { installation, places: { pages }, directory }: Ground, token: string): Step {
  const { serviceId, environmentId, project, slug } = pages;
  const [folder, tokenFile] = [join(directory, 'pages'), join(directory, 'token')];
  mkdirSync(folder);
  writeFileSync(tokenFile, token, { mode: 0o600 });
  const rest = new Rest({ url: installation.url, 'token-file': tokenFile });
  const target = { project, service: { id: serviceId, slug } };
  let count = 0;
  const ofBuild = ({ id }: Answer) => rowOf('build', id);
  return async (pick) => {
    const found = await client.read<{ items: { id: string; finishedAt?: string }[] }>(
      `/services/${serviceId}/builds?limit=5`,
    );
    const [last] = found?.items ?? [];
    if (last !== undefined && last.finishedAt === undefined) {
      if (pick < 0.3) await client.ask('cancel build', 'POST', `/builds/${last.id}/cancel`, { promised: ofBuild });
    } else if (last !== undefined && pick < 0.25) {
      await client.ask('retry build', 'POST', `/builds/${last.id}/retry`, { promised: ofBuild });
    } else if (pick < 0.7) {
      count += 1;
      writeFileSync(join(folder, 'index.html'), `<h1>${client.name} ${count}</h1>\n`);
      const { sourceId } = await uploadFolder({ rest, organization: { slug: 'default' } as never }, target, folder);
      const body = { environmentId, sourceId };
      await client.ask('build', 'POST', `/services/${serviceId}/builds`, { body, promised: ofBuild });
    }
  };
}

/** Reads what everybody may: lists, overviews, workflows, reasons, by the API and by `./ballast why`. */
export function reader(client: Client, { installation, places }: Ground, token: string): Step {
  const all = allPlaces(places);
  return async (pick) => {
    const place = all[Math.floor(client.chance() * all.length)] ?? places.api;
    const { environmentId, serviceId } = place;
    const lists = ['/deployments?limit=100', '/workflows?limit=100', '/builds?limit=20', '/attention', '/approvals'];
    if (pick < 0.5) await client.read(lists[Math.floor(client.chance() * lists.length)] ?? '/deployments');
    else if (pick < 0.7) await client.read(`/environments/${environmentId}/overview`);
    else if (pick < 0.9) await client.read(`/services/${serviceId}/why?environmentId=${environmentId}`);
    else {
      const words = ['why', place.slug, '--project', place.project.slug];
      const env = { ...installation.env, BALLAST_URL: installation.url, BALLAST_TOKEN: token };
      const { stdout } = await runBallast(words, env);
      for (const line of stdout.split('\n')) client.hears('./ballast why', line);
    }
  };
}

export interface Hint {
  kind: string;
  id: string;
}

/** Follows the event stream from end to end, and begins it again where it was cut. */
export async function listen(
  client: Client,
  url: string,
  hints: Map<string, Hint>,
  ending: AbortSignal,
): Promise<void> {
  while (!ending.aborted) {
    try {
      const headers = headersOf('GET', { as: client.as });
      const answer = await fetch(`${url}/api/v1/events/stream`, { headers, signal: ending });
      let text = '';
      const decoder = new TextDecoder();
      for await (const chunk of answer.body ?? []) {
        text += decoder.decode(chunk, { stream: true });
        const frames = text.split('\n\n');
        text = frames.pop() ?? '';
        for (const frame of frames.filter((one) => one.startsWith('event: change\n'))) {
          const { kind, id } = JSON.parse(frame.split('data: ')[1] ?? '{}');
          hints.set(`${kind} ${id}`, { kind, id });
        }
      }
    } catch {
      // Cut by a kill, or by the end of the run.
    }
    await pause(1_000, undefined, { signal: ending }).catch(() => undefined);
  }
}
