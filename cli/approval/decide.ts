import { UsageError } from '../engine/command.ts';
import { type Address, Rest } from '../engine/rest.ts';
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
}

/** Decides the approval that was named, or the only one that waits. */
export async function decide(
  given: DecideGiven,
  id: string | undefined,
  decision: 'approved' | 'rejected',
): Promise<void> {
  const rest = new Rest(given);
  const approval = id ?? (await onlyOne(rest)).id;
  const decided = await rest.call<Approval>('POST', `/approvals/${encodeURIComponent(approval)}/decide`, {
    decision,
    ...(given.reason === undefined ? {} : { reason: given.reason }),
  });
  if (given.json) return void process.stdout.write(`${JSON.stringify(decided, undefined, 2)}\n`);
  process.stdout.write(`The approval ${printable(decided.id)} is ${decided.decision ?? decision}.\n`);
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
