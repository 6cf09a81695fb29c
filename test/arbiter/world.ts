import type { Admitted, Snapshot } from '../../domain/deployments/arbiter-types.ts';
import { isDeploymentClaimed } from '../../domain/deployments/states.ts';

/** A project and the messages that its actors have not heard. */
export interface World {
  snapshot: Snapshot;
  /** Deployments whose actor was started or told and has not acted on that yet. Empty where messages are lost anyhow. */
  told: ReadonlySet<string>;
}

export const places = ['p', 'q'] as const;

export function emptyWorld(concurrency: number): World {
  const live = new Map(places.map((place) => [place, `first release of ${place}`]));
  return {
    snapshot: { concurrency, deployments: [], building: new Set(), suspended: new Set(), live },
    told: new Set(),
  };
}

export const isClaimed = (one: Admitted): boolean => isDeploymentClaimed(one.state);
export const isHeld = (one: Admitted): boolean => one.state === 'pending' && one.blocker === 'approval';
export const isQueued = (one: Admitted): boolean => one.state === 'pending' && one.blocker !== 'approval';

/**
 * The same text for worlds that differ in names only: of deployments, approvals, change sets, and of the two places. The
 * release that serves is left out, since no rule asks for it; each step checks it.
 */
export function keyOf({ snapshot, told }: World): string {
  const claimed = snapshot.deployments.filter(isClaimed);
  const waiting = snapshot.deployments.filter((one) => one.state === 'pending').sort((a, b) => a.order - b.order);
  const texts = [places, [...places].reverse()].map((named) => {
    const approvals: (string | undefined)[] = [];
    const text = (one: Admitted): string => {
      const common = `${named.indexOf(one.place as 'p')}${told.has(one.id) ? '!' : ''}`;
      if (isClaimed(one)) return `${common}${one.state}${one.cancelRequested ? 'x' : ''}`;
      const kind = one.kind === 'rollback' ? 'R' : '';
      const after = (one.after ?? []).map((id) => waiting.concat(claimed).findIndex((other) => other.id === id));
      const order = after.some((at) => at >= 0) ? `>${after.filter((at) => at >= 0).join(',')}` : '';
      if (!isHeld(one)) return `${common}${kind}${one.blocker}${order}`;
      if (!approvals.includes(one.approvalId)) approvals.push(one.approvalId);
      return `${common}${kind}h${approvals.indexOf(one.approvalId)}${one.changeSetId === undefined ? '' : 's'}${order}`;
    };
    return [...claimed.map(text).sort(), ...waiting.map(text)].join(' ');
  });
  return `${snapshot.concurrency}|${(texts[0] as string) < (texts[1] as string) ? texts[0] : texts[1]}`;
}
