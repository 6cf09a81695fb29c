import type { LinkProps } from '@tanstack/react-router';
import { type BuildTrigger, isBuildFinal } from '../../../domain/builds/states.ts';
import type { Stage } from '../../components/stages/stage-list.tsx';
import type { Answers } from '../../control-plane/session.ts';

export { buildStateWords as states } from '../../../workflows/build/words.ts';

export type BuildAnswer = Answers['builds']['get'];

export const triggerWords: Record<BuildTrigger, string> = {
  push: 'Push',
  tag: 'Tag',
  manual: 'By hand',
  retry: 'Retry',
  'change-set': 'Staged changes',
  upload: 'Upload',
};

const stepTitles: Record<string, string> = {
  fetch: 'Fetch the source',
  detect: 'Find out what it is',
  tools: 'Get the tools',
  install: 'Install packages',
  build: 'Build',
  image: 'Make the image',
  push: 'Push the image',
};

/** Steps of a newer agent are shown under the names that it gives them. */
function stepTitle(name: string): string {
  return stepTitles[name] ?? name;
}

type Sourced = Pick<BuildAnswer, 'repository' | 'branch' | 'commitSha' | 'commitMessage' | 'message'>;

/** The source in a line: the commit, or the folder that was uploaded, with the words of the person who did. */
export function sourceText({ repository, branch, commitSha, commitMessage, message }: Sourced): string {
  if (commitSha === '' && repository === '') return message === '' ? 'Uploaded folder' : `Uploaded folder: ${message}`;
  const where = [branch, commitSha.slice(0, 8)].filter((part) => part !== '').join(' ');
  const [first = ''] = commitMessage.split('\n');
  return [where === '' ? repository : where, first].filter((part) => part !== '').join(': ');
}

/** "2 of 6 steps"; nothing before it has steps. */
export function cacheText({ cachedSteps, totalSteps }: BuildAnswer['cache']): string {
  if (totalSteps === 0) return '';
  return `${cachedSteps} of ${totalSteps} ${totalSteps === 1 ? 'step' : 'steps'}`;
}

/** From its turn on, without the wait for that; undefined: it never began. */
export function buildMillis(
  { startedAt, finishedAt }: Pick<BuildAnswer, 'startedAt' | 'finishedAt'>,
  now: number,
): number | undefined {
  if (startedAt === undefined) return undefined;
  return Math.max(0, (finishedAt === undefined ? now : Date.parse(finishedAt)) - Date.parse(startedAt));
}

/** Why it is as it is; undefined where nothing has to be said. */
export function whyOf(
  build: Pick<BuildAnswer, 'status' | 'blocker' | 'error' | 'releaseError' | 'cancelRequested'>,
): { tone: 'fault' | 'attention' | 'neutral'; title: string; text: string } | undefined {
  const { status, blocker, error, releaseError, cancelRequested } = build;
  if (status === 'failed') return { tone: 'fault', title: 'The build failed', text: error };
  if (status === 'cancelled') return { tone: 'neutral', title: 'The build was cancelled', text: error };
  if (status === 'superseded')
    return { tone: 'neutral', title: 'A newer commit took its place', text: 'That one is built instead.' };
  if (status === 'succeeded') {
    if (releaseError === '') return undefined;
    return { tone: 'attention', title: 'Built, but not deployed', text: releaseError };
  }
  if (cancelRequested)
    return { tone: 'attention', title: 'The build is being cancelled', text: 'The agent ends all of its processes.' };
  if (status !== 'queued' && blocker === '') return undefined;
  return {
    tone: 'attention',
    title: 'The build waits',
    text:
      blocker === 'temporal'
        ? 'Its workflow cannot be reached at the moment; it goes on by itself.'
        : blocker || 'For its turn on the cluster.',
  };
}

/** The page of a build, from wherever only its id is known. */
export function buildLink({ id }: { id: string }, organization: string): LinkProps {
  return { to: '/$organization/builds/$build', params: { organization, build: id } };
}

/** The page of a build, at the last line of its log where there is one. */
export function logEnd({ id, logLines }: { id: string; logLines: number }, organization: string): LinkProps {
  return { ...buildLink({ id }, organization), ...(logLines === 0 ? {} : { hash: `L${logLines}` }) };
}

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
