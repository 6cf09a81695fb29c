import { type Option, UsageError } from '../engine/command.ts';
import { agreed, canAsk } from '../engine/question.ts';
import { RestRefusal } from '../engine/rest.ts';

export const downtimeOption = {
  'accept-downtime': { type: 'boolean', what: 'Go ahead although a process with a volume is down for a moment.' },
} as const satisfies Record<string, Option>;

/** Things that are refused until somebody accepts them, as the body of a request does. */
const acceptances = {
  downtime: {
    body: { downtimeAccepted: true },
    question: 'Accept the downtime?',
    elsewhere: '--accept-downtime accepts it.',
  },
  /** The target of a promotion has no value for variables of the release. */
  missing: {
    body: { missingAccepted: true },
    question: 'Promote it without them?',
    elsewhere: '--set KEY=VALUE and --generate KEY give them; --accept-missing goes without.',
  },
} as const;

/**
 * Starts something by `send`. Where that is refused until somebody accepts what it entails, somebody at a terminal is asked;
 * elsewhere it takes an option. Answers nothing if somebody said no.
 */
export async function accepting<Answer>(
  what: keyof typeof acceptances,
  accepted: boolean | undefined,
  send: (body: object) => Promise<Answer>,
): Promise<Answer | undefined> {
  const { body, question, elsewhere } = acceptances[what];
  try {
    return await send(accepted ? body : {});
  } catch (error) {
    if (accepted || !(error instanceof RestRefusal) || !error[what]) throw error;
    if (!canAsk()) throw new UsageError(`${error.message} ${elsewhere}`);
    process.stderr.write(`${error.message}\n`);
    return (await agreed(question)) ? await send(body) : undefined;
  }
}

export function declined(): undefined {
  process.stderr.write('Nothing was deployed.\n');
  process.exitCode = 4;
}
