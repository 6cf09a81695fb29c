import { Status, wordsOf } from '../../components/status.tsx';
import { blockers, type DeploymentAnswer, isHalted, states } from './deployment-words.ts';

/** The state of a deployment; one that waits says for what, and of those that went live only the one that serves is live. */
export function DeploymentStatus({
  deployment,
}: {
  deployment: Pick<DeploymentAnswer, 'state' | 'blocker'> & Partial<Pick<DeploymentAnswer, 'serving'>>;
}) {
  const { state, blocker, serving } = deployment;
  if (state === 'live' && serving === false) return <Status tone="neutral">Went live</Status>;
  const { word, tone } = wordsOf(states, state);
  const known = blockers[blocker as keyof typeof blockers];
  const waits = known !== undefined && (state === 'pending' || isHalted({ state, blocker }));
  return <Status tone={isHalted({ state, blocker }) ? 'attention' : tone}>{waits ? known.waits : word}</Status>;
}
