import type { ProcessSettings } from './settings.ts';

/** A reason why a process with these settings could not run, although each of them is allowed. */
export function processFault({ kind, port, schedule }: ProcessSettings): string | undefined {
  if ((kind === 'http' || kind === 'tcp') && port === undefined) return `is of the kind ${kind} and has no port`;
  if (kind === 'cron' && schedule === '') return 'is of the kind cron and has no schedule';
  return undefined;
}
