import type { RunVerdict } from '../../worker/replay/replayer.ts';
import { printable } from '../engine/table.ts';
import type { RanRun, Replayed } from './replayed.ts';

/** The exit codes of a replay, as docs/cli.md and --help say them. */
export const replayCodes = { replays: 0, diverges: 3, unreadable: 4 } as const;
export const replayCodesText = `Exit codes: 0 everything replays, 1 the control plane refuses, 2 usage, 3 something diverges, 4 something cannot be replayed.`;

/** The code of several is that of the one that matters most. */
export function replayCode(verdicts: readonly RunVerdict['verdict'][]): number {
  if (verdicts.includes('diverges')) return replayCodes.diverges;
  return verdicts.includes('unreadable') ? replayCodes.unreadable : replayCodes.replays;
}

/** In one sentence: that it replays, the first divergence, or why it cannot be replayed. */
export function verdictLines({ runs, events }: Replayed): string[] {
  const last = runs.at(-1);
  if (last === undefined) return [];
  const { run, result } = last;
  if (result.verdict === 'replays') {
    return [`replays: ${events} events${runs.length === 1 ? '' : ` in ${runs.length} runs`}`];
  }
  if (result.verdict === 'unreadable') return [`cannot be replayed: run ${run}: ${printable(result.why)}`];
  const { event, type, at, history, code } = result.divergence;
  return [
    `diverges: run ${run}, event ${event} of ${result.events} (${type}, ${at})`,
    `  history:       ${printable(history)}`,
    `  this checkout: ${printable(code)}`,
  ];
}

/** Each step of the runs in words, the numbers of its events first. */
export function stepLines(runs: readonly RanRun[]): string[] {
  return runs.flatMap(({ run, steps }) => [
    ...(runs.length === 1 ? [] : [`run ${run}`]),
    ...steps.map(({ events, startedAt, title, detail, failure }) => {
      const more = [detail, failure].filter((text) => text !== '').join('; ');
      return `  ${events.join(',').padEnd(9)} ${startedAt}  ${printable(title)}${more === '' ? '' : `: ${printable(more)}`}`;
    }),
  ]);
}
