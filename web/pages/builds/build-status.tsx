import { Status, wordsOf } from '../../components/status.tsx';
import { type BuildAnswer, states } from './build-words.ts';

/** The state of a build; one that was built and could not be deployed says so. */
export function BuildStatus({ build }: { build: Pick<BuildAnswer, 'status' | 'releaseError' | 'cancelRequested'> }) {
  const { status, releaseError, cancelRequested } = build;
  if (status === 'succeeded' && releaseError !== '') return <Status tone="attention">Built, not deployed</Status>;
  if (cancelRequested && (status === 'running' || status === 'queued'))
    return <Status tone="attention">Cancelling</Status>;
  const { word, tone } = wordsOf(states, status);
  return <Status tone={tone}>{word}</Status>;
}
