import { releaseName } from '../../../domain/clusters/clusters.ts';
import { agentUpdateWords } from '../../../workflows/agent-update/words.ts';
import { isOutOfContact, Status, wordsOf } from '../../components/status.tsx';
import type { Answers } from '../../control-plane/session.ts';

export type AgentStatus = Answers['clusters']['agent'];
export type UpdateAttempt = AgentStatus['history'][number];

/** A success is no good news any more while nobody hears of the agent. */
export function AttemptStatus({ status, agent }: Pick<UpdateAttempt, 'status'> & { agent: AgentStatus }) {
  const { word, tone } = wordsOf(agentUpdateWords.states, status);
  return <Status tone={tone === 'good' && isOutOfContact(agent) ? 'neutral' : tone}>{word}</Status>;
}

/** Phases of an update in order, each with its words while running and when done. */
export const phases = [
  { status: 'requested', now: 'Sending the update to the agent', done: 'The agent accepted the update' },
  { status: 'downloading', now: 'The agent is downloading the release', done: 'Downloaded and checked' },
  { status: 'switching', now: 'The agent is switching to it', done: 'Switched' },
  { status: 'confirming', now: 'Waiting for the new agent to connect', done: 'The new agent connected' },
] as const satisfies readonly { status: UpdateAttempt['status']; now: string; done: string }[];

/** Until the agent begins to switch. */
export function canCancel({ status }: UpdateAttempt): boolean {
  return status === 'requested' || status === 'downloading';
}

/** Releases that ran on the cluster earlier, newest first: only these are offered for a rollback. */
export function releasesBefore({ history, currentImage }: AgentStatus): string[] {
  const ran = history.flatMap(({ status, fromImage, toImage }) =>
    status === 'succeeded' ? [toImage, fromImage] : [fromImage],
  );
  return [...new Set(ran)].filter((image) => image !== currentImage && image !== '');
}

/** Two releases of one version differ in their build alone, so it is shown, too. */
export function Release({ image }: { image: string }) {
  const { version, build } = releaseName(image);
  return (
    <span title={image} className="whitespace-nowrap">
      {version}
      {build !== '' && <span className="ml-1.5 font-mono text-[0.92em] text-faint">{build}</span>}
    </span>
  );
}
