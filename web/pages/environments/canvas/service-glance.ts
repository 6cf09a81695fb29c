import { asSentence } from '../../../components/forms/operation/values.ts';
import { wordsOf } from '../../../components/status.tsx';
import type { Tone } from '../../../components/style.ts';
import { blockers, isHalted, states } from '../../deployments/deployment-words.ts';
import { driftWords } from '../../services/words/service-words.ts';
import type { ServiceOverview } from '../use-overview.ts';

export type GlanceKind =
  | 'held'
  | 'waiting'
  | 'rolling'
  | 'failed'
  | 'suspended'
  | 'added'
  | 'warned'
  | 'drift'
  | 'live'
  | 'none';

/** The most urgent fact of a service, told by an icon and words of its own, and not by its colour alone. */
export interface Glance {
  kind: GlanceKind;
  word: string;
  tone: Tone;
}

/** The deployment that is held, waits, rolls or failed comes before all that is usual. */
export function glanceOf(service: ServiceOverview): Glance {
  const { pendingDeployment, failedDeployment, suspended, stagedIn, drift, driftCount, activeReleaseNumber } = service;
  const { blocker, warnings } = service;
  if (pendingDeployment !== undefined) {
    const { releaseNumber, state } = pendingDeployment;
    const release = `Release ${releaseNumber}`;
    if (state === 'pending' && blocker === 'approval') {
      return { kind: 'held', word: `${release} held for approval`, tone: 'attention' };
    }
    if (state === 'pending' || isHalted({ state, blocker }))
      return { kind: 'waiting', word: `${release}: ${waitsFor(blocker)}`, tone: 'attention' };
    return { kind: 'rolling', word: `${release}: ${wordsOf(states, state).word.toLowerCase()}`, tone: 'live' };
  }
  if (failedDeployment !== undefined) {
    return { kind: 'failed', word: `Release ${failedDeployment.releaseNumber} failed`, tone: 'fault' };
  }
  if (suspended) return { kind: 'suspended', word: 'Suspended', tone: 'neutral' };
  if (stagedIn !== undefined) return { kind: 'added', word: 'Staged, not deployed yet', tone: 'live' };
  if (warnings.length > 0)
    return { kind: 'warned', word: `Release ${activeReleaseNumber} is live, with a warning`, tone: 'attention' };
  if (drift) return { kind: 'drift', word: asSentence(driftWords(driftCount)), tone: 'attention' };
  if (activeReleaseNumber === undefined) return { kind: 'none', word: 'Nothing deployed yet', tone: 'neutral' };
  return { kind: 'live', word: `Release ${activeReleaseNumber} is live`, tone: 'good' };
}

function waitsFor(blocker: string): string {
  const words: Readonly<Record<string, { waits: string }>> = blockers;
  const waits = words[blocker]?.waits ?? (blocker === '' ? 'waits for its turn' : `waits: ${blocker}`);
  return `${waits.charAt(0).toLowerCase()}${waits.slice(1)}`;
}
