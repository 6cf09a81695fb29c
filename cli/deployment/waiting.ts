import { duration } from '../../domain/settings/setting.ts';
import { type Option, UsageError } from '../engine/command.ts';

const patience = duration(1_000, 86_400_000);

/** Options of commands that start something and can see it through. */
export const waitOptions = {
  wait: { type: 'boolean', what: 'Wait until it has ended, for an approval, too.' },
  'no-wait': { type: 'boolean', what: 'Start it and do not wait.' },
  timeout: { type: 'string', value: '10m', what: 'How long to wait; 10m by default, for an approval no end.' },
} as const satisfies Record<string, Option>;

export interface Waiting {
  /** Not at all; until it has ended or is held for an approval; or beyond that. */
  until: 'started' | 'held' | 'ended';
  millis: number;
  /** Whether the time was said, and so counts while an approval is waited for. */
  bounded: boolean;
  /** Stages and waits are told to programs, in lines of JSON. */
  json: boolean;
}

export function readWaiting(given: {
  wait?: boolean | undefined;
  'no-wait'?: boolean | undefined;
  timeout?: string | undefined;
  json?: boolean | undefined;
}): Waiting {
  const { wait = false, 'no-wait': noWait = false, timeout, json = false } = given;
  if (wait && noWait) throw new UsageError('--wait and --no-wait contradict each other; give one of them.');
  const millis = timeout === undefined ? 600_000 : patience.parse(timeout);
  if (millis === undefined) throw new UsageError(`--timeout wants ${patience.form}.`);
  return { until: noWait ? 'started' : wait ? 'ended' : 'held', millis, bounded: timeout !== undefined, json };
}
