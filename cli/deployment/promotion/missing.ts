import { type Option, UsageError } from '../../engine/command.ts';
import { agreed, canAsk } from '../../engine/question.ts';
import { RestRefusal } from '../../engine/rest.ts';

export const missingOption = {
  'accept-missing': { type: 'boolean', what: 'Go ahead although variables of the release are missing in the target.' },
} as const satisfies Record<string, Option>;

/** The same as `acceptingDowntime` where the target of a promotion has no value for variables of the release. */
export async function acceptingMissing<Answer>(
  accepted: boolean,
  send: (body: { missingAccepted?: true }) => Promise<Answer>,
): Promise<Answer | undefined> {
  try {
    return await send(accepted ? { missingAccepted: true } : {});
  } catch (error) {
    if (accepted || !(error instanceof RestRefusal) || !error.missing) throw error;
    if (!canAsk())
      throw new UsageError(
        `${error.message} --set KEY=VALUE and --generate KEY give them; --accept-missing goes without.`,
      );
    process.stderr.write(`${error.message}\n`);
    return (await agreed('Promote it without them?')) ? await send({ missingAccepted: true }) : undefined;
  }
}
