import { isBuildFinal } from '../../../domain/builds/states.ts';
import type { Stage } from '../../components/stages/stage-list.tsx';
import { type BuildAnswer, stepTitle } from './build-words.ts';

type Shown = Pick<BuildAnswer, 'status' | 'steps' | 'createdAt' | 'startedAt' | 'finishedAt'>;

const looks = {
  running: { outcome: 'running', tone: 'live' },
  succeeded: { outcome: 'done', tone: 'good' },
  failed: { outcome: 'failed', tone: 'fault' },
  cancelled: { outcome: 'cancelled', tone: 'neutral' },
  skipped: { outcome: 'skipped', tone: 'neutral' },
} as const;

/** The wait for its turn, then the steps. A step that nobody ended is over when the build is. */
export function stagesOf({ status, steps, createdAt, startedAt, finishedAt }: Shown): Stage[] {
  const over = isBuildFinal(status);
  const queue: Stage = {
    ...{ name: 'queue', title: 'Wait for its turn', startedAt: createdAt },
    ...(startedAt !== undefined
      ? { ...looks.succeeded, finishedAt: startedAt }
      : over
        ? { ...looks.cancelled, finishedAt }
        : looks.running),
  };
  const walked = steps.map((step): Stage => {
    const left = over && step.status === 'running';
    const look = left ? looks[status === 'failed' ? 'failed' : 'cancelled'] : looks[step.status];
    return {
      ...{ name: step.name, title: stepTitle(step.name), startedAt: step.startedAt },
      finishedAt: step.finishedAt ?? (over ? finishedAt : undefined),
      ...(look ?? looks.skipped),
    };
  });
  return [queue, ...walked];
}
