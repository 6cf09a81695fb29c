import type { z } from 'zod';
import type { workloadSchema } from '../../api/workloads/workload.ts';
import { duration } from '../../domain/settings/setting.ts';
import { command, UsageError } from '../engine/command.ts';
import { asTable, printable } from '../engine/table.ts';
import { appliedWorkloads } from '../workload/applied-workloads.ts';
import { readWorkloadFile } from '../workload/workload-file.ts';
import { chosenCluster, clusterOptions } from './chosen-cluster.ts';

export type Workload = z.output<typeof workloadSchema>;

const patience = duration(1_000, 86_400_000);

export const clusterApply = command({
  summary: 'Puts the workloads of a file on a cluster',
  usage: 'FILE [--cluster SLUG] [--prune] [--dry-run] [--wait | --no-wait] [--timeout 10m] [--json]',
  details: `FILE is YAML or JSON, as docs/clusters.md describes it; - is the standard input. All of it is put there or nothing. On
a terminal it waits until all is in effect; exit code 1 tells that something is not.`,
  words: { least: 1, most: 1 },
  options: {
    prune: { type: 'boolean', what: 'Take away the workloads that the file does not name.' },
    'dry-run': { type: 'boolean', what: 'Only say what would be put there and taken away.' },
    wait: { type: 'boolean', what: 'Wait until all is in effect, also where nobody watches.' },
    'no-wait': { type: 'boolean', what: 'Do not wait.' },
    timeout: { type: 'string', value: '10m', what: 'How long to wait; 10m if left out.' },
    ...clusterOptions,
  },
  run: async ({ prune = false, 'dry-run': dryRun, wait, 'no-wait': noWait, timeout, ...given }, [file = '']) => {
    if (wait && noWait) throw new UsageError('--wait and --no-wait contradict each other; give one of them.');
    const millis = timeout === undefined ? 600_000 : patience.parse(timeout);
    if (millis === undefined) throw new UsageError(`--timeout wants ${patience.form}.`);
    const { workloads } = readWorkloadFile(file);
    const { rest, cluster, path } = await chosenCluster(given);
    if (dryRun) {
      const there = await rest.all<Workload>(`${path}/workloads`);
      tell(given.json, { cluster: cluster.slug, ...plan(workloads, there, prune) });
      return;
    }
    const answer = await rest.call<{ items: Workload[]; removed: string[] }>('PUT', `${path}/workloads`, {
      workloads,
      prune,
    });
    const waits = wait ?? (noWait ? false : process.stdout.isTTY);
    const items = waits ? await appliedWorkloads(rest, path, answer.items, millis) : answer.items;
    if (given.json) process.stdout.write(`${JSON.stringify({ ...answer, items }, undefined, 2)}\n`);
    else process.stdout.write(asText(items, answer.removed));
    if (!waits || items.every(({ state }) => state === 'applied')) return;
    process.exitCode = 1;
    const waiting = items.filter(({ state }) => state === 'pending').map(({ name }) => printable(name));
    if (waiting.length > 0) {
      process.stderr.write(`ballast: Not in effect in time: ${waiting.join(', ')}; see \`./ballast cluster ps\`.\n`);
    }
  },
});

interface Plan {
  add: string[];
  replace: string[];
  remove: string[];
}

/** What is sent again may be the same; only the control plane can tell, since it alone knows the secrets. */
function plan(workloads: { name: string }[], there: Workload[], prune: boolean): Plan {
  const now = there.filter(({ state }) => state !== 'removing').map(({ name }) => name);
  const wanted = workloads.map(({ name }) => name);
  return {
    add: wanted.filter((name) => !now.includes(name)),
    replace: wanted.filter((name) => now.includes(name)),
    remove: prune ? now.filter((name) => !wanted.includes(name)) : [],
  };
}

function tell(json: boolean | undefined, { cluster, ...planned }: Plan & { cluster: string }): void {
  if (json) {
    process.stdout.write(`${JSON.stringify({ cluster, ...planned }, undefined, 2)}\n`);
    return;
  }
  const verbs = { add: 'would be added', replace: 'would be applied again', remove: 'would be taken away' } as const;
  for (const verb of ['add', 'replace', 'remove'] as const) {
    for (const name of planned[verb]) process.stdout.write(`${printable(name)} ${verbs[verb]}\n`);
  }
}

function asText(items: Workload[], removed: string[]): string {
  const rows = items.map(({ name, release, state, hosts, error }) => [
    printable(name),
    printable(release),
    state,
    printable(error === '' ? hosts.map(({ url, host }) => url || host).join(' ') : error),
  ]);
  const gone = removed.map((name) => `${printable(name)} is taken away\n`).join('');
  return (rows.length === 0 ? '' : asTable(['workload', 'release', 'state', ''], rows)) + gone;
}
