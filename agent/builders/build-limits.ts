import { totalmem } from 'node:os';
import type { BuildBody } from '../../protocol/build.ts';

/** The most that a build of this machine may take; of a service that says nothing, all of it. */
export interface BuildLimits {
  memoryBytes: number;
  diskBytes: number;
  seconds: number;
  /** Thousandths of a core; missing: all of them, shared with what else runs. */
  cpuMilli?: number | undefined;
}

const least = 512 * 2 ** 20;

/** Half of the memory that this machine, or the container of this agent, has. */
export function halfOfMemory(): number {
  const constrained = process.constrainedMemory();
  const all = constrained > 0 && constrained < totalmem() ? constrained : totalmem();
  return Math.max(least, Math.floor(all / 2 / 2 ** 20) * 2 ** 20);
}

const names = ['memoryBytes', 'diskBytes', 'seconds'] as const;

/** The build within the limits of its machine; those that its service has not set are the machine's own. */
export function withinMachine(body: BuildBody, own: BuildLimits): BuildBody {
  const limits = { ...body.limits };
  for (const name of names) {
    const isSet = body.unset?.includes(name) !== true;
    limits[name] = isSet ? Math.min(limits[name], own[name]) : own[name];
  }
  // Longer than that the control plane waits for no build.
  limits.seconds = Math.min(limits.seconds, body.limits.seconds);
  return { ...body, limits: { ...limits, ...(own.cpuMilli === undefined ? {} : { cpuMilli: own.cpuMilli }) } };
}

/** A line of the log, and those limits of the service that are more than its machine gives. */
export function linesOfLimits(asked: BuildBody, { limits }: BuildBody): string[] {
  const cpu = limits.cpuMilli === undefined ? '' : `, ${limits.cpuMilli / 1000} cores`;
  const minutes = Math.round(limits.seconds / 6) / 10;
  return [
    `Limits: ${size(limits.memoryBytes)} of memory, ${size(limits.diskBytes)} of disk, ${minutes} min${cpu}`,
    ...(['memoryBytes', 'diskBytes'] as const).flatMap((name) =>
      asked.unset?.includes(name) || asked.limits[name] <= limits[name]
        ? []
        : [
            `The service asks for ${size(asked.limits[name])}: this cluster gives ${size(limits[name])} (${raisedBy[name]}).`,
          ],
    ),
  ];
}

const raisedBy = { memoryBytes: '--build-memory-mib of its agent', diskBytes: '--build-disk-gib of its agent' };

export function size(bytes: number): string {
  const megabytes = bytes / 2 ** 20;
  return megabytes < 1_024 ? `${Math.round(megabytes)} MB` : `${Math.round(megabytes / 102.4) / 10} GB`;
}
