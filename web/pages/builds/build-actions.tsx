import { useNavigate } from '@tanstack/react-router';
import { isBuildFinal } from '../../../domain/builds/states.ts';
import type { Action } from '../../components/actions/action.ts';
import { confirmAction } from '../../components/actions/confirm-action.tsx';
import { deleteAction } from '../../components/actions/delete-action.tsx';
import { usePlane } from '../../control-plane/plane.ts';
import { useMembership } from '../../control-plane/session.ts';
import { type BuildAnswer, buildLink } from './build-words.ts';

/** Parts of the page that actions on builds need; `follow` leads to the one that an action has begun. */
export function useBuildTools() {
  const { trpc } = usePlane();
  const { slug } = useMembership();
  const navigate = useNavigate();
  return { trpc, follow: (build: { id: string }) => void navigate(buildLink(build, slug)) };
}

/** What can be done about a build. */
export function buildActions(
  build: Pick<
    BuildAnswer,
    'id' | 'number' | 'serviceName' | 'status' | 'cancelRequested' | 'deploys' | 'awaitsApproval'
  >,
  { trpc, follow }: ReturnType<typeof useBuildTools>,
): readonly Action[] {
  const { id, number, serviceName, status, cancelRequested, deploys, awaitsApproval } = build;
  if (!isBuildFinal(status)) {
    if (cancelRequested) return [];
    const cancel = deleteAction({
      role: 'deployer',
      verb: 'Cancel',
      noun: 'build',
      name: `build #${number} of ${serviceName}`,
      operation: trpc.builds.cancel,
      path: { id },
      succeeded: 'Cancelling the build',
      consequences:
        status === 'queued' ? 'It has not begun; nothing changes.' : 'All of its processes end. Nothing is deployed.',
    });
    if (!awaitsApproval) return [cancel];
    const approve = confirmAction({
      role: 'admin',
      label: 'Approve',
      operation: trpc.builds.approve,
      path: { id },
      name: `build #${number} of ${serviceName}`,
      text: 'Commands of its source see the variables that production gives to builds, and could tell them. Look at the source first: it is not the head of the connected branch. What it builds is deployed by an approval of its own.',
      confirm: 'Approve',
      succeeded: () => `Build #${number} approved`,
    });
    return [approve, cancel];
  }
  const retry = confirmAction({
    role: 'deployer',
    label: 'Retry',
    operation: trpc.builds.retry,
    path: { id },
    name: `build #${number} of ${serviceName}`,
    text: deploys
      ? 'A new build of the same source, with the settings of now. Once it has succeeded, it is deployed.'
      : 'A new build of the same source, with the settings of now. It is not deployed.',
    confirm: 'Retry',
    succeeded: ({ number: made }) => `Build #${made} requested`,
    done: follow,
  });
  return [retry];
}
