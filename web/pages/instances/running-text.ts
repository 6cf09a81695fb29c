import { isOutOfContact } from '../../components/status.tsx';
import type { WorkloadAnswer } from './instance-state.tsx';

/** Healthy instances of the desired number. Scheduled processes are not counted: they run only at their times. */
export function runningText({ processes, instances, asOf }: WorkloadAnswer): string {
  const wanted = processes.reduce((sum, { kind, replicas }) => sum + (kind === 'cron' ? 0 : replicas), 0);
  const well = instances.filter(({ state }) => state === 'ready' || state === 'running').length;
  const text = wanted === 0 && well === 0 ? 'No instances' : `${well} of ${wanted} instances`;
  return isOutOfContact({ asOf }) ? `Last known: ${text}` : text;
}
