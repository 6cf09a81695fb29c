import type { z } from 'zod';
import type { instanceSchema, workloadSchema } from '../../api/workloads/workload.ts';
import { defined } from '../../domain/defined.ts';
import { chosenCluster, clusterOptions } from '../cluster.ts';
import { command } from '../engine/command.ts';
import { failureOf, finishedCommand } from '../engine/command-end.ts';
import { listed } from '../engine/outcome.ts';
import { type FieldFault, faultsText, printableLines, RestRefusal } from '../engine/rest.ts';
import { said } from '../engine/table.ts';

type Instance = z.output<typeof instanceSchema>;

export const clusterPs = command({
  summary: 'Lists the instances on a cluster, as its agent sees them',
  usage: '[--cluster SLUG] [--json]',
  options: clusterOptions,
  run: async (given) => {
    const { rest, path } = await chosenCluster(given);
    const instances = await rest.all<Instance>(`${path}/instances`);
    return listed({ instances }, 'Nothing runs there; see `./ballast cluster apply`.', {
      instance: 'id',
      workload: 'workload',
      release: ({ release, releaseNumber }) => releaseNumber ?? release,
      state: ({ state, asOf }) => (asOf?.inContact === false ? `${state} (last known)` : state),
      run: 'run',
      since: 'startedAt',
      '': ({ message, exit }) => message ?? endOf(exit),
    });
  },
});

function endOf(exit: Instance['exit']): string {
  if (exit === undefined) return '';
  const how = exit.signal === undefined ? `exit code ${exit.code ?? 'unknown'}` : `signal ${exit.signal}`;
  return `last ended with ${how}`;
}

export const clusterRemove = command({
  summary: 'Removes a workload from a cluster',
  usage: 'WORKLOAD [--cluster SLUG] [--json]',
  details: 'The instances finish their work and are stopped. Volumes stay on the machine.',
  options: clusterOptions,
  run: async (given, [workload = '']) => {
    const { rest, path } = await chosenCluster(given);
    await rest.call('DELETE', `${path}/workloads/${encodeURIComponent(workload)}`);
    const text = said`${workload} is being removed; \`./ballast cluster ps\` shows what is left.`;
    return { jsonLine: { removed: workload }, text };
  },
});

export const clusterRestart = command({
  summary: 'Restarts a workload: replaces its instances one after the other',
  usage: 'WORKLOAD [--process NAME] [--cluster SLUG] [--json]',
  details: 'Release and image stay the same. The command waits until the new instances have taken over.',
  options: {
    process: { type: 'string', value: 'NAME', what: 'Only this process of it.' },
    ...clusterOptions,
  },
  run: async ({ process: only, ...given }, [workload = '']) => {
    const { rest, path } = await chosenCluster(given);
    const body = defined({ kind: 'restart', workload, process: only });
    const { id } = await rest.call<{ id: string }>('POST', `${path}/commands`, body);
    const finished = await finishedCommand(rest, `${path}/commands/${id}`);
    const failure = failureOf(finished, 'The restart');
    const text = failure === undefined ? said`${workload} is restarted.` : '';
    return { jsonLine: { id, ...finished }, text, failure };
  },
});

/** A workload as the API answers it. */
export type Workload = z.output<typeof workloadSchema>;

interface Named {
  name: string;
  processes?: unknown;
}

/** A refusal of what a file says, in the words of that file: `"port" of process web of workload shop in shop.yaml`. */
export function inWordsOfFile(refusal: RestRefusal, file: string, workloads: readonly Named[]): RestRefusal {
  if (refusal.errors.length === 0) return refusal;
  const faults = refusal.errors.map(
    (fault): FieldFault => ({ ...fault, location: placeOf(fault.location, file, workloads) }),
  );
  return new RestRefusal(printableLines(faultsText(faults)), refusal.status, refusal.errors);
}

/** `field` of a workload, as a sentence begins with it. */
export function placeIn(file: string, workload: string, field: string, process?: string): string {
  const owner = process === undefined ? '' : `process ${process} of `;
  return [field === '' ? '' : `"${field}" of `, owner, `workload ${workload} in ${file}`].join('');
}

function placeOf(location: string, file: string, workloads: readonly Named[]): string {
  const [, index, rest = ''] = /^body\.workloads\[(\d+)\]\.?(.*)$/.exec(location) ?? [];
  const workload = index === undefined ? undefined : workloads[Number(index)];
  if (workload === undefined) return location.replace(/^body\.?/, '');
  const [, at, field = ''] = /^processes\[(\d+)\]\.?(.*)$/.exec(rest) ?? [];
  if (at === undefined) return placeIn(file, workload.name, rest);
  return placeIn(file, workload.name, field, processName(workload.processes, Number(at)));
}

function processName(processes: unknown, index: number): string {
  const process: unknown = Array.isArray(processes) ? processes[index] : undefined;
  const named =
    typeof process === 'object' && process !== null && 'name' in process && typeof process.name === 'string';
  return named ? String(process.name) : `number ${index + 1}`;
}
