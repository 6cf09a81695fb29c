import { type Option, UsageError } from '../engine/command.ts';
import { agreed, canAsk } from '../engine/question.ts';
import { RestRefusal } from '../engine/rest.ts';

export const downtimeOption = {
  'accept-downtime': { type: 'boolean', what: 'Go ahead although a process with a volume is down for a moment.' },
} as const satisfies Record<string, Option>;

/**
 * Starts something by `send`. Where a service would be down for a moment, somebody at a terminal is asked; elsewhere it takes
 * --accept-downtime. Answers nothing if somebody said no.
 */
export async function acceptingDowntime<Answer>(
  accepted: boolean,
  send: (body: { downtimeAccepted?: true }) => Promise<Answer>,
): Promise<Answer | undefined> {
  try {
    return await send(accepted ? { downtimeAccepted: true } : {});
  } catch (error) {
    if (accepted || !(error instanceof RestRefusal) || !error.downtime) throw error;
    if (!canAsk()) throw new UsageError(`${error.message} --accept-downtime accepts it.`);
    process.stderr.write(`${error.message}\n`);
    return (await agreed('Accept the downtime?')) ? await send({ downtimeAccepted: true }) : undefined;
  }
}

export function tellDeclined(): void {
  process.stderr.write('Nothing was deployed.\n');
  process.exitCode = 4;
}
