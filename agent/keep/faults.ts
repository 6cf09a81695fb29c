import { Cron } from 'croner';
import type { Process, Workload } from '../../protocol/workload.ts';
import type { DesiredSlice } from './observe/seen.ts';

/** Faults of a workload itself: processes and host names that cannot be applied, each with a reason. */
export interface Faults {
  processes: ReadonlyMap<string, string>;
  hosts: ReadonlyMap<string, string>;
  /** The same process named twice, for example: nothing of the slice can be told apart. */
  whole?: string;
}

export function faultsOf(workload: Workload, ingress: boolean): Faults {
  const names = workload.processes.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  const processes = new Map<string, string>();
  for (const process of workload.processes) {
    const fault = faultOf(workload, process) ?? (ingress ? undefined : portFault(process));
    if (fault !== undefined) processes.set(process.name, fault);
  }
  const hosts = new Map<string, string>();
  for (const { host, process } of workload.routes) {
    const target = workload.processes.find(({ name }) => name === process);
    const fault = !isHost(host)
      ? `"${host}" is not a host name.`
      : target === undefined
        ? `The host ${host} leads to the process ${process}, which this release does not have.`
        : target.port === undefined || target.kind === 'cron'
          ? `The host ${host} leads to the process ${process}, which listens nowhere: give it a port.`
          : ingress
            ? undefined
            : `The host ${host} cannot be served: this agent runs without an ingress.`;
    if (fault !== undefined) hosts.set(host, fault);
  }
  return {
    processes,
    hosts,
    ...(twice === undefined ? {} : { whole: `The process ${twice} is there twice: give each its own name.` }),
  };
}

/** Each host name belongs to one slice; of two that want it, the one that comes first in the alphabet has it. */
export function hostOwners(wanted: Iterable<DesiredSlice>): Map<string, string> {
  const owners = new Map<string, string>();
  for (const { key, workload } of [...wanted].sort((one, other) => (one.key < other.key ? -1 : 1))) {
    for (const { host } of workload?.routes ?? []) {
      if (!owners.has(normalHost(host))) owners.set(normalHost(host), key);
    }
  }
  return owners;
}

export function normalHost(host: string): string {
  return host.toLowerCase().replace(/\.$/, '');
}

function isHost(host: string): boolean {
  return normalHost(host)
    .split('.')
    .every((label) => /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(label));
}

function portFault({ name, internalPort }: Process): string | undefined {
  if (internalPort === undefined) return undefined;
  return `The port ${internalPort}, which leads to ${name}, cannot be opened: this agent runs without an ingress.`;
}

function faultOf(workload: Workload, process: Process): string | undefined {
  const volumes = new Set(workload.volumes.map(({ name }) => name));
  const missing = process.mounts.find(({ volume }) => !volumes.has(volume));
  if (missing !== undefined) {
    return `The process ${process.name} mounts the volume ${missing.volume}, which is not there: declare it.`;
  }
  if (process.port === undefined && (process.kind === 'http' || process.kind === 'tcp')) {
    return `The process ${process.name} is of the kind ${process.kind} and has no port: give it one.`;
  }
  const asked = Object.values(process.checks).find((check) => check?.kind === 'http' || check?.kind === 'tcp');
  if (process.port === undefined && asked !== undefined) {
    return `The process ${process.name} has a check by ${asked.kind} and no port to ask: give it one.`;
  }
  if (process.kind !== 'cron') return undefined;
  if (process.schedule === undefined) return `The process ${process.name} has no schedule: give it one.`;
  try {
    new Cron(process.schedule, { timezone: process.timeZone, mode: '5-part', paused: true }).nextRun();
    return undefined;
  } catch {
    return `The process ${process.name} has the schedule "${process.schedule}" in ${process.timeZone}, which cannot be understood: five fields and a time zone such as Europe/Berlin are.`;
  }
}
