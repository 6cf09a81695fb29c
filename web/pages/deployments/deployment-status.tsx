import { Status, wordsOf } from '../../components/status.tsx';
import { blockers, type DeploymentAnswer, states } from './deployment-words.ts';

/** The state of a deployment; one that waits says for what. */
export function DeploymentStatus({ deployment }: { deployment: Pick<DeploymentAnswer, 'state' | 'blocker'> }) {
  const { state, blocker } = deployment;
  const { word, tone } = wordsOf(states, state);
  const known = blockers[blocker as keyof typeof blockers];
  return <Status tone={tone}>{state === 'pending' && known !== undefined ? known.waits : word}</Status>;
}
