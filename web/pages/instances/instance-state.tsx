import { isOutOfContact, Status, Told, wordsOf } from '../../components/status.tsx';
import type { Tone } from '../../components/style.ts';
import type { Answers } from '../../control-plane/session.ts';

export type WorkloadAnswer = Answers['workloads']['list']['items'][number];
export type InstanceAnswer = Answers['workloads']['instances']['items'][number];

const instanceStates: Record<InstanceAnswer['state'], { word: string; tone: Tone }> = {
  preparing: { word: 'Preparing', tone: 'live' },
  starting: { word: 'Starting', tone: 'live' },
  running: { word: 'Running', tone: 'good' },
  ready: { word: 'Ready', tone: 'good' },
  failing: { word: 'Failing', tone: 'fault' },
  draining: { word: 'Draining', tone: 'live' },
  waiting: { word: 'Waiting to start again', tone: 'attention' },
  ended: { word: 'Ended', tone: 'neutral' },
};

export function InstanceStatus({ instance }: { instance: Pick<InstanceAnswer, 'state' | 'asOf'> }) {
  const { word, tone } = wordsOf(instanceStates, instance.state);
  return (
    <Told of={instance} tone={tone}>
      {word}
    </Told>
  );
}

const workloadStates: Record<WorkloadAnswer['state'], { word: string; tone: Tone }> = {
  pending: { word: 'Applying', tone: 'live' },
  applied: { word: 'Applied', tone: 'good' },
  failed: { word: 'Failed', tone: 'fault' },
  removing: { word: 'Removing', tone: 'live' },
};

/** An applied workload can still have failing instances. */
export function WorkloadStatus({ workload }: { workload: WorkloadAnswer }) {
  const troubled = workload.instances.some(({ state }) => state === 'waiting' || state === 'failing');
  const { word, tone } = wordsOf(workloadStates, workload.state);
  // The control plane knows of its own that a change is not in effect yet; all else was told by the agent.
  if (workload.state === 'pending' || workload.state === 'removing') {
    return isOutOfContact(workload) ? (
      <Status tone="neutral">Waiting for contact</Status>
    ) : (
      <Status tone={tone}>{word}</Status>
    );
  }
  const degraded = workload.state === 'applied' && troubled;
  return (
    <Told of={workload} tone={degraded ? 'attention' : tone}>
      {degraded ? 'Degraded' : word}
    </Told>
  );
}

/** How often it was started again after it had ended. */
export function restartsOf({ run }: Pick<InstanceAnswer, 'run'>): number {
  return Math.max(0, run - 1);
}

/** The number of its release; the name that other workloads give to what runs. */
export function releaseOf({ release, releaseNumber }: Pick<InstanceAnswer, 'release' | 'releaseNumber'>): string {
  return releaseNumber === undefined ? release : String(releaseNumber);
}

/** Healthy instances of the desired number. Scheduled processes are not counted: they run only at their times. */
export function runningText({ processes, instances, asOf }: WorkloadAnswer): string {
  const wanted = processes.reduce((sum, { kind, replicas }) => sum + (kind === 'cron' ? 0 : replicas), 0);
  const well = instances.filter(({ state }) => state === 'ready' || state === 'running').length;
  const text = wanted === 0 && well === 0 ? 'No instances' : `${well} of ${wanted} instances`;
  return isOutOfContact({ asOf }) ? `Last known: ${text}` : text;
}
