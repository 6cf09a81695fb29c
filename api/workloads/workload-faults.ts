import type { FieldError } from '../../domain/problems.ts';
import { scheduleFault } from '../../domain/services/process-faults.ts';
import type { WorkloadBody } from './workload.ts';

type Process = WorkloadBody['processes'][number];

/** Faults that the schema cannot see: parts of a workload that do not fit each other. `at` is its place in the body. */
export function workloadFaults(workload: WorkloadBody, at: string): FieldError[] {
  const volumes = new Set(workload.volumes.map(({ name }) => name));
  return [
    ...doubles(workload.processes, `${at}.processes`, 'process'),
    ...doubles(workload.volumes, `${at}.volumes`, 'volume'),
    ...imageFaults(workload.image, `${at}.image`),
    ...reserved(workload, at),
    ...workload.processes.flatMap((process, index) => processFaults(process, volumes, `${at}.processes[${index}]`)),
  ];
}

/** The second of two that have one name, since only one of them can be found by it. */
export function doubles(named: readonly { name: string }[], at: string, what: string): FieldError[] {
  const first = new Map<string, number>();
  return named.flatMap(({ name }, index) => {
    if (!first.has(name)) {
      first.set(name, index);
      return [];
    }
    return [{ location: `${at}[${index}].name`, message: `is the name of another ${what} already`, value: name }];
  });
}

function imageFaults(image: WorkloadBody['image'], at: string): FieldError[] {
  if ('layout' in image) {
    if (image.layout.startsWith('/')) return [];
    return [{ location: `${at}.layout`, message: 'must be an absolute path on the cluster', value: image.layout }];
  }
  if (image.digest !== undefined || image.tag !== undefined) return [];
  return [{ location: at, message: 'must say which one: by digest, or by tag' }];
}

function reserved(workload: WorkloadBody, at: string): FieldError[] {
  if (!Object.hasOwn(workload.environment, 'PORT')) return [];
  return [{ location: `${at}.environment.PORT`, message: 'is told to each process by its `port`; leave it out here' }];
}

function processFaults(process: Process, volumes: ReadonlySet<string>, at: string): FieldError[] {
  const listens = process.kind === 'http' || process.kind === 'tcp';
  const errors: FieldError[] = [];
  const fault = (field: string, message: string, value?: unknown) =>
    void errors.push({ location: `${at}.${field}`, message, ...(value === undefined ? {} : { value }) });
  if (listens && process.port === undefined) fault('port', `is missing: a process of kind ${process.kind} has one`);
  if (process.kind === 'cron') errors.push(...scheduleFaults(process, at));
  else if (process.schedule !== undefined) fault('schedule', 'is for processes of kind cron', process.schedule);
  const mounted = new Set<string>();
  for (const [index, { volume, path }] of process.mounts.entries()) {
    if (!volumes.has(volume)) fault(`mounts[${index}].volume`, 'names no volume of this workload', volume);
    const where = pathFault(path);
    if (where !== undefined) fault(`mounts[${index}].path`, where, path);
    else if (mounted.has(path)) fault(`mounts[${index}].path`, 'is mounted twice', path);
    mounted.add(path);
  }
  for (const [name, check] of Object.entries(process.checks)) {
    if (check === undefined || check.kind === 'command') continue;
    if (process.port === undefined) {
      fault(`checks.${name}`, `asks a port, and the process has none: use a command, or give it a port`);
    }
    if (check.kind === 'http' && !isRequestPath(check.path)) {
      fault(`checks.${name}.path`, 'must be a path without spaces and without a fragment', check.path);
    }
  }
  return errors;
}

function scheduleFaults({ schedule, timeZone }: Process, at: string): FieldError[] {
  if (schedule === undefined) return [{ location: `${at}.schedule`, message: 'is missing: a cron process needs one' }];
  const fault = scheduleFault(schedule, timeZone);
  if (fault === undefined) return [];
  const value = fault.field === 'schedule' ? schedule : timeZone;
  return [{ location: `${at}.${fault.field}`, message: fault.message, value }];
}

/** Within the instance nothing may lie outside of where it says, nor over all that there is. */
function pathFault(path: string): string | undefined {
  const parts = path.split('/').slice(1);
  if (path === '/') return 'must lie beneath the root';
  if (parts.some((part) => part === '' || part === '.' || part === '..')) {
    return 'must be written without `.`, `..`, double and trailing slashes';
  }
  return undefined;
}

function isRequestPath(path: string): boolean {
  return /^\/[\x21-\x7e]*$/.test(path) && !path.includes('#');
}
