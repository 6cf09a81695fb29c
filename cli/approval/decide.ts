import { UsageError } from '../engine/command.ts';
import { type Address, Rest, RestRefusal } from '../engine/rest.ts';
import { printable } from '../engine/table.ts';

/** What a command needs to know of one. */
interface Approval {
  id: string;
  kind: string;
  environmentName: string;
  requestedBy: string;
  requestedById: string;
  createdAt: string;
  decision?: string;
}

export interface DecideGiven extends Address {
  reason?: string | undefined;
  json?: boolean | undefined;
  refresh?: boolean | undefined;
}

/** Decides the approval that was named, or the only one that waits. */
export async function decide(
  given: DecideGiven,
  id: string | undefined,
  decision: 'approved' | 'rejected',
): Promise<void> {
  const rest = new Rest(given);
  const approval = id ?? (await onlyOne(rest)).id;
  if (given.refresh === true) return await refresh(rest, approval, given.json ?? false);
  const path = `/approvals/${encodeURIComponent(approval)}`;
  const decided = await rest
    .call<Approval>('POST', `${path}/decide`, {
      decision,
      ...(given.reason === undefined ? {} : { reason: given.reason }),
    })
    .catch(async (error: unknown) => {
      if (decision !== 'approved' || !(error instanceof RestRefusal) || error.status !== 409) throw error;
      const { stale } = await rest.call<{ stale: boolean }>('GET', path);
      if (!stale) throw error;
      throw new RestRefusal(
        `${error.message} \`./ballast approve --refresh ${printable(approval)}\` refreshes it.`,
        409,
      );
    });
  if (given.json) return void process.stdout.write(`${JSON.stringify(decided, undefined, 2)}\n`);
  process.stdout.write(`The approval ${printable(decided.id)} is ${decided.decision ?? decision}.\n`);
}

/** A new approval takes the place of one that is stale; it is looked at before somebody decides. */
async function refresh(rest: Rest, approval: string, json: boolean): Promise<void> {
  const fresh = await rest.call<Approval>('POST', `/approvals/${encodeURIComponent(approval)}/refresh`);
  if (json) return void process.stdout.write(`${JSON.stringify(fresh, undefined, 2)}\n`);
  process.stdout.write(
    `The approval ${printable(fresh.id)} takes its place: look at it, then approve it by this id.\n`,
  );
}

async function onlyOne(rest: Rest): Promise<Approval> {
  const waiting = await rest.all<Approval>('/approvals', undefined, { state: 'pending' });
  const [only, ...others] = waiting;
  if (only === undefined) throw new UsageError('No approval waits for a decision.');
  if (others.length === 0) return only;
  const you = (await rest.all<{ callerId: string }>('/organizations'))[0]?.callerId;
  const lines = waiting.map(({ id, kind, environmentName, requestedBy, requestedById, createdAt }) => {
    const by = requestedById === you ? 'you' : printable(requestedBy);
    return `  ${id}  ${kind} in ${printable(environmentName)} by ${by}, ${createdAt}`;
  });
  throw new UsageError(`Several approvals wait; name one of them:\n${lines.join('\n')}`);
}
