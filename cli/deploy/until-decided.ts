import { setTimeout as pause } from 'node:timers/promises';
import type { ApprovalDecision } from '../../domain/approvals/approvals.ts';
import { approvalLines, exitCodes, stale, stillUnderWay } from '../deployment/follow.ts';
import type { Waiting } from '../deployment/waiting.ts';
import { Events } from '../engine/progress.ts';
import { type Rest, RestRefusal } from '../engine/rest.ts';
import type { Interrupt } from './interrupt.ts';

const againMillis = 1_000;

interface Approval {
  decision?: ApprovalDecision;
  stale?: boolean;
}

/** An approval that somebody has to give: who decides, or a line of JSON, behind which the events tell what is new of it. */
export function tellHeld(id: string, json: boolean): Events {
  const events = new Events();
  if (json) tellApproval(events, id, {});
  else for (const line of approvalLines([id])) process.stderr.write(`${line}\n`);
  return events;
}

function tellApproval(events: Events, id: string, { decision, stale: isStale = false }: Approval): void {
  events.tell('approval', id, { approvalId: id, decision: decision ?? '', stale: isStale });
}

/**
 * Waits for the decision about settings that a build needs, if somebody said to. Answers the exit code where the build has to
 * wait, or will not come: until then its service is not as it would be built for.
 */
export async function untilDecided(
  rest: Rest,
  id: string,
  waiting: Waiting,
  interrupt: Interrupt,
): Promise<number | undefined> {
  const { json } = waiting;
  const events = tellHeld(id, json);
  const until = waiting.bounded ? performance.now() + waiting.millis : Number.POSITIVE_INFINITY;
  for (;;) {
    const approval = await rest.call<Approval>('GET', `/approvals/${id}`).catch((error: unknown) => {
      // A control plane that is being restarted is waited for.
      if (error instanceof RestRefusal && error.status === 0) return {} as Approval;
      throw error;
    });
    const { decision } = approval;
    if (json) tellApproval(events, id, approval);
    if (decision === 'approved') return undefined;
    if (decision !== undefined) {
      process.stderr.write(`The settings are not applied (${decision}), and nothing is built.\n`);
      return exitCodes[decision];
    }
    if (approval.stale === true) {
      process.stderr.write(`The approval is stale: \`./ballast approve ${id} --refresh\` asks anew.\n`);
      return stale;
    }
    if (waiting.until !== 'ended' || performance.now() > until) {
      process.stderr.write('Once it is approved, the same command builds the folder; --wait waits for that.\n');
      return stillUnderWay;
    }
    interrupt.check();
    await pause(againMillis, undefined, { signal: interrupt.signal }).catch(() => undefined);
    interrupt.check();
  }
}
