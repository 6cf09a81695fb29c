import { Cron } from 'croner';
import { defined } from '../defined.ts';
import { defaultProcess, type PlacedProcess, type ProcessSettings } from './settings.ts';
import { volumesOf } from './volumes.ts';

/** Why a cron process cannot run by this schedule in this time zone. */
export function scheduleFault(
  schedule: string,
  timeZone: string,
): { field: 'schedule' | 'timeZone'; message: string } | undefined {
  if (schedule.trim().split(/\s+/).length !== 5) {
    return { field: 'schedule', message: 'must have five fields, as in `*/5 * * * *`' };
  }
  try {
    new Intl.DateTimeFormat('en', { timeZone });
  } catch {
    return { field: 'timeZone', message: 'is no time zone, as in `Europe/Berlin`' };
  }
  try {
    if (new Cron(schedule, { timezone: timeZone, paused: true }).nextRun() !== null) return undefined;
  } catch {
    return { field: 'schedule', message: 'cannot be read, as `*/5 * * * *` can' };
  }
  return { field: 'schedule', message: 'names no moment that ever comes' };
}

export interface ProcessFault {
  field: keyof ProcessSettings;
  message: string;
}

const checkPaths = ['startupPath', 'readinessPath', 'livenessPath'] as const;

/** Settings of a process that do not fit each other, although each of them is allowed. */
export function processFaults(process: ProcessSettings & Partial<PlacedProcess>): ProcessFault[] {
  const { kind, port, schedule, timeZone } = process;
  const faults: ProcessFault[] = [];
  const fault = (field: keyof ProcessSettings, message: string) => void faults.push({ field, message });
  const listens = kind === 'http' || kind === 'tcp';
  if (listens && port === undefined) fault('port', `is missing: a process of kind ${kind} has one`);
  if (process.fixedPort === true && (port === undefined || kind === 'cron'))
    fault('fixedPort', 'is for a process that listens on a port');
  if (kind !== 'cron' && schedule !== '') fault('schedule', 'is for processes of kind cron');
  if (kind === 'cron') {
    const wrong =
      schedule === ''
        ? ({ field: 'schedule', message: 'is missing: a cron process needs one' } as const)
        : scheduleFault(schedule, timeZone);
    if (wrong !== undefined) faults.push(wrong);
  }
  for (const field of checkPaths) {
    if (process[field] !== '' && port === undefined) fault(field, 'asks a port, and the process has none');
  }
  if (process.metricsEnabled && process.metricsPort === undefined && port === undefined) {
    fault('metricsPort', 'is missing: the process has no port of its own either');
  }
  const { cpuRequestMilli, cpuLimitMilli, memoryRequestBytes, memoryLimitBytes } = process;
  if (exceeds(cpuRequestMilli, cpuLimitMilli)) fault('cpuRequestMilli', 'is more than the limit');
  if (exceeds(memoryRequestBytes, memoryLimitBytes)) fault('memoryRequestBytes', 'is more than the limit');
  faults.push(...mountFaults(process));
  return faults;
}

/** Two instances of one volume at a time would damage it: so the process has one, and its runs do not overlap. */
export function mountFaults(process: ProcessSettings & Partial<PlacedProcess>): ProcessFault[] {
  const [volume] = volumesOf(process);
  if (volume === undefined) return [];
  const who = process.name === undefined ? 'the process' : `the process "${process.name}"`;
  const has = `${who} has the volume "${volume.name}"`;
  return [
    ...(process.replicas > 1
      ? [{ field: 'replicas', message: `must be at most 1: ${has}, which one instance at a time may have` } as const]
      : []),
    ...(process.kind === 'cron'
      ? [{ field: 'kind', message: `cannot be cron: ${has}, and runs of a schedule may overlap` } as const]
      : []),
  ];
}

function exceeds(requested: number | undefined, limit: number | undefined): boolean {
  return requested !== undefined && limit !== undefined && requested > limit;
}

/** Changes of a process; null takes away what it need not have. */
export type ProcessChanges = { [Field in keyof ProcessSettings]?: ProcessSettings[Field] | null | undefined };

/** The settings of a new process: those given, else the defaults. Only a process that listens has a port by default. */
export function newProcess(given: ProcessChanges): ProcessSettings {
  const { port: _, ...withoutPort } = defaultProcess;
  const kind = given.kind ?? defaultProcess.kind;
  return changedProcess(kind === 'http' || kind === 'tcp' ? defaultProcess : withoutPort, given);
}

/** The settings after the changes. */
export function changedProcess(before: ProcessSettings, changes: ProcessChanges): ProcessSettings {
  const entries = Object.entries({ ...before, ...withoutAbsent(changes) });
  return Object.fromEntries(entries.filter(([, value]) => value !== null)) as ProcessSettings;
}

function withoutAbsent(changes: ProcessChanges): ProcessChanges {
  return defined(changes);
}
