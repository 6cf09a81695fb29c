import { existsSync } from 'node:fs';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { chosenCluster, clusterOptions } from '../cluster.ts';
import { readWaiting } from '../deployment/waiting.ts';
import { command } from '../engine/command.ts';
import { Events, eventsOption, Progress } from '../engine/progress.ts';
import { type Rest, RestRefusal } from '../engine/rest.ts';
import { asTable, said } from '../engine/table.ts';
import { inWordsOfFile, placeIn, type Workload } from './workload.ts';
import { nameOf, readWorkloadFile } from './workload-file.ts';

type Instance = Workload['instances'][number];

/**
 * Looks on until all these are in effect, one of them says that it cannot be, or the time is up. `json`: how each stands is told in
 * lines of JSON; ends of instances are for people.
 */
async function appliedWorkloads(
  rest: Rest,
  path: string,
  begun: Workload[],
  millis: number,
  json: boolean,
): Promise<Workload[]> {
  const deadline = Date.now() + millis;
  const progress = new Progress(process.stderr);
  const events = new Events();
  const wanted = new Set(begun.map(({ key }) => key));
  const told = new Set<string>();
  // How runs ended before is no news.
  const known = new Set(begun.flatMap(({ instances }) => instances.map(endOf)));
  try {
    for (let now = begun; ; ) {
      for (const workload of now) {
        const { key, name, state } = workload;
        for (const line of news(workload, known)) progress.line(line);
        if (json) events.tell('workload', key, factsOf(workload));
        else if (state === 'pending') progress.running(key, said`${name} ${standing(workload)}`);
        else if (!told.has(key)) {
          told.add(key);
          if (state === 'applied') progress.done(key, said`${name} is in effect`);
          else progress.forget(key);
        }
      }
      if (now.every(({ state }) => state !== 'pending') || Date.now() > deadline) return now;
      await pause(500);
      now = (await rest.all<Workload>(`${path}/workloads`)).filter(({ key }) => wanted.has(key));
    }
  } finally {
    progress.end();
  }
}

/** The changes of instances since the last look: ends, and reasons that keep one from starting. */
function news({ name, instances }: Workload, known: Set<string>): string[] {
  return instances.flatMap((instance) => {
    const [end, why] = [endOf(instance), `${instance.id} ${instance.message ?? ''}`];
    const who = said`${name}/${instance.process} ${instance.id}`;
    const lines: string[] = [];
    if (instance.exit !== undefined && !known.has(end))
      lines.push(`  ${who} ${exitText(instance.exit)} in run ${instance.exit.run}`);
    const stuck = instance.state === 'preparing' && instance.message !== undefined && instance.message !== preparing;
    if (stuck && !known.has(why)) lines.push(said`  ${who}: ${instance.message ?? ''}`);
    known.add(end).add(why);
    return lines;
  });
}

const preparing = 'Its image is being made ready.';

function endOf({ id, exit }: Instance): string {
  return `${id} run ${exit?.run ?? 0}`;
}

function exitText({ code, signal }: NonNullable<Instance['exit']>): string {
  if (signal !== undefined) return said`was ended by ${signal}`;
  return code === undefined ? 'ended while nobody saw it' : `exited with code ${code}`;
}

function factsOf({ name, release, state, error, instances }: Workload): Record<string, unknown> {
  const counts = Object.fromEntries([...statesOf(instances)].map(([is, some]) => [is, some.length]));
  return { workload: name, release, state, error, instances: counts };
}

function statesOf(instances: readonly Instance[]): Map<string, Instance[]> {
  return Map.groupBy(instances, ({ state }) => state);
}

/** "is being applied: 1 ready, 2 starting". */
function standing({ instances }: Workload): string {
  const counts = [...statesOf(instances)].map(([state, some]) => `${some.length} ${state}`).join(', ');
  return counts === '' ? 'is being applied' : `is being applied: ${counts}`;
}

interface Named {
  name: string;
  image?: unknown;
}

/**
 * Layouts of a cluster on this machine may be named as seen from the file. They are looked at before anything is sent:
 * nobody else can say sooner that a directory is not there.
 */
function withLocalLayouts<Workload extends Named>(workloads: readonly Workload[], file: string): Workload[] {
  const base = file === '-' ? process.cwd() : dirname(resolve(file));
  return workloads.map((workload) => {
    const layout = layoutOf(workload.image);
    if (layout === undefined || layout === '') return workload;
    const path = isAbsolute(layout) ? layout : join(base, layout);
    if (existsSync(join(path, 'index.json')))
      return { ...workload, image: { ...Object(workload.image), layout: path } };
    const what = existsSync(path) ? 'is no image layout: it has no index.json' : 'is not there';
    const help = '`./ballast image build` builds one';
    throw new RestRefusal(`${placeIn(file, workload.name, 'image.layout')}: ${path} ${what}; ${help}.`);
  });
}

function layoutOf(image: unknown): string | undefined {
  if (typeof image !== 'object' || image === null || !('layout' in image)) return undefined;
  return typeof image.layout === 'string' ? image.layout : undefined;
}

export const clusterApply = command({
  summary: 'Applies the workloads of a file to a cluster',
  usage: 'FILE [--cluster SLUG] [--prune] [--dry-run] [--wait | --no-wait] [--timeout 10m] [--json]',
  details: `For operators: workloads of the platform itself, and to try out a cluster. Applications are deployed by \`./ballast deploy\`,\nwhich keeps their releases and history. FILE is YAML or JSON, as docs/clusters.md describes it; - is the standard input. All of it is put there or nothing. It
waits until all is in effect; exit code 1 tells that something is not. On a cluster of this machine a layout may be named
as seen from FILE.`,
  options: {
    prune: { type: 'boolean', what: 'Remove the workloads that the file does not name.' },
    'dry-run': { type: 'boolean', what: 'Check everything and say what would change, without changing it.' },
    wait: { type: 'boolean', what: 'Wait until everything is in effect; the default.' },
    'no-wait': { type: 'boolean', what: 'Do not wait.' },
    timeout: { type: 'string', value: '10m', what: 'How long to wait; 10m by default.' },
    ...clusterOptions,
    ...eventsOption,
  },
  run: async ({ prune = false, 'dry-run': dryRun, ...given }, [file = '']) => {
    const { millis, until, json } = readWaiting(given);
    const noWait = until === 'started';
    const read = readWorkloadFile(file);
    const { rest, cluster, path } = await chosenCluster(given);
    const workloads = cluster.local ? withLocalLayouts(read.workloads, file) : read.workloads;
    const place = `${path}/workloads`;
    if (dryRun) {
      const { changes } = await put(rest, place, file, { workloads, prune, dryRun });
      const text = changes.map(({ name, change }) => said`${name} ${inDryRun[change]}\n`);
      return { json: { cluster: cluster.slug, changes }, text };
    }
    const answer = await put(rest, place, file, { workloads, prune });
    if (!noWait && ['lost', 'awaiting-agent'].includes(cluster.status)) {
      const help = 'see `./ballast cluster show`, or give --no-wait';
      process.stderr.write(
        `ballast: ${cluster.slug} is ${cluster.status}: this is applied once its agent is in contact; ${help}.\n`,
      );
    }
    const items = noWait ? answer.items : await appliedWorkloads(rest, path, answer.items, millis, json);
    // Without waiting, what is on its way is no failure; what is known to have failed is one all the same.
    const failed = items.filter(({ state }) => (noWait ? state === 'failed' : state !== 'applied'));
    tellFailures(failed);
    if (failed.length > 0) process.exitCode = 1;
    const table = asTable(items, '', {
      workload: 'name',
      release: 'release',
      state: 'state',
      '': ({ error, hosts }) => error || hosts.map(({ url, host }) => url || host).join(' '),
    });
    const gone = answer.removed.map((name) => said`${name} is removed\n`);
    return { json: { ...answer, items }, text: [table, ...gone] };
  },
});

type Change = 'created' | 'changed' | 'unchanged' | 'again' | 'removed';
interface Applied {
  items: Workload[];
  changes: { name: string; change: Change }[];
  removed: string[];
}

const inDryRun: Record<Change, string> = {
  created: 'would be created',
  changed: 'would be changed',
  unchanged: 'is unchanged',
  again: 'is unchanged, and would be tried again with what its image is now',
  removed: 'would be removed',
};

async function put(
  rest: Rest,
  path: string,
  file: string,
  body: { workloads: { name: string }[]; prune: boolean; dryRun?: boolean },
): Promise<Applied> {
  return await rest.call<Applied>('PUT', path, body).catch((error: unknown) => {
    throw error instanceof RestRefusal ? inWordsOfFile(error, nameOf(file), body.workloads) : error;
  });
}

function tellFailures(items: Workload[]): void {
  for (const { name, error } of items.filter(({ state }) => state === 'failed')) {
    process.stderr.write(said`ballast: ${name} failed: ${error}\n`);
  }
  const waiting = items.filter(({ state }) => state === 'pending').map(({ name }) => name);
  if (waiting.length > 0) {
    process.stderr.write(said`ballast: Not in effect in time: ${waiting.join(', ')}; see \`./ballast cluster ps\`.\n`);
  }
}
