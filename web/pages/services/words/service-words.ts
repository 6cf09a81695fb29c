import { isOutOfContact, wordsOf } from '../../../components/status.tsx';
import type { Tone } from '../../../components/style.ts';
import { states } from '../../deployments/deployment-words.ts';
import type { ServiceOverview } from '../../environments/use-overview.ts';
import { type Source, sourceLine } from '../source/source.ts';

interface Words {
  word: string;
  tone: Tone;
}

const healths: Record<ServiceOverview['health'], Words & { urgency: number }> = {
  down: { word: 'Down', tone: 'fault', urgency: 0 },
  degraded: { word: 'Degraded', tone: 'attention', urgency: 1 },
  unknown: { word: 'Unknown', tone: 'neutral', urgency: 2 },
  healthy: { word: 'Healthy', tone: 'good', urgency: 3 },
  suspended: { word: 'Suspended', tone: 'neutral', urgency: 4 },
  none: { word: 'Not deployed', tone: 'neutral', urgency: 5 },
};

/** Whether what should run does. A cluster that is out of contact tells nothing, which is no last known state. */
export function healthWords(of: Pick<ServiceOverview, 'health' | 'asOf'>): Words {
  if (of.health === 'unknown' && isOutOfContact(of)) return { word: 'Out of contact', tone: 'neutral' };
  return wordsOf(healths, of.health);
}

export function urgencyOf({ health }: Pick<ServiceOverview, 'health'>): number {
  return healths[health]?.urgency ?? 0;
}

/** The release that serves; a suspended service serves none. */
export function servedText({
  activeReleaseNumber,
  suspended,
}: Pick<ServiceOverview, 'activeReleaseNumber' | 'suspended'>): string {
  if (activeReleaseNumber === undefined) return 'None yet';
  return suspended ? `Nothing; it resumes with release ${activeReleaseNumber}` : `Release ${activeReleaseNumber}`;
}

/** Why it is not healthy, as of now: a deployment that failed is past, and has a notice of its own. */
export function nowText({
  message,
  fault,
  health,
  pendingDeployment,
}: Pick<ServiceOverview, 'message' | 'fault' | 'health' | 'pendingDeployment'>): string {
  if (health === 'healthy') return '';
  return pendingDeployment === undefined ? fault : message;
}

/** The deployment that is under way, or how the last one ended; of a suspended service nothing is live. */
export function lastDeploymentWords({
  pendingDeployment,
  failedDeployment,
  suspended,
  activeReleaseNumber,
  warnings,
}: ServiceOverview): Words | undefined {
  if (pendingDeployment !== undefined) {
    const { word, tone } = wordsOf(states, pendingDeployment.state);
    return { word: `Release ${pendingDeployment.releaseNumber}: ${word.toLowerCase()}`, tone };
  }
  if (failedDeployment !== undefined)
    return { word: `Release ${failedDeployment.releaseNumber} failed`, tone: 'fault' };
  if (activeReleaseNumber === undefined) return undefined;
  if (suspended) return healths.suspended;
  return warnings.length === 0 ? { word: 'Live', tone: 'good' } : { word: 'Live, with a warning', tone: 'attention' };
}

/** "3 changes not deployed". */
export function driftWords(count: number): string {
  if (count === 0) return 'not live';
  return count === 1 ? '1 change not deployed' : `${count} changes not deployed`;
}

interface Slugs {
  organization: string;
  project: string;
  service: string;
}

/** An image by its name, one that is built here by what it is built of; empty where there is nothing yet. */
export function imageText({ source }: { source: Source }, { organization, project, service }: Slugs): string {
  if (source.kind === 'upload') return 'Built from uploaded folders';
  const from = sourceLine(source);
  if (source.kind === 'git') return from === '' ? '' : `Built from ${from}`;
  // A tag or a digest alone is of the service's own repository.
  return /^[:@]/.test(from) ? `${organization}/${project}/${service}${from}` : from;
}
