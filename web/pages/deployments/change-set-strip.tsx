import { isChangeSetOver } from '../../../domain/change-sets/items.ts';
import { changeSetWords } from '../../../workflows/change-set/words.ts';
import type { Action } from '../../components/actions/action.ts';
import { ActionMenu } from '../../components/actions/action-menu.tsx';
import { confirmAction } from '../../components/actions/confirm-action.tsx';
import { deleteAction } from '../../components/actions/delete-action.tsx';
import { Section } from '../../components/page.tsx';
import { usePlane } from '../../control-plane/plane.ts';
import type { Answers } from '../../control-plane/session.ts';

type ChangeSet = Answers['changeSets']['get']['changeSet'];

/** How a change set stands, and what can be done about all of it. */
export function ChangeSetStrip({ changeSet }: { changeSet: ChangeSet }) {
  const { state, message, stateMessage } = changeSet;
  const words = state === 'draft' ? undefined : changeSetWords.states[state];
  return (
    <Section
      title={message === '' ? 'Change set' : `Change set: ${message}`}
      about={[words?.word, stateMessage].filter((text) => text !== undefined && text !== '').join(': ')}
      actions={<ActionMenu label="Actions for this change set" actions={useChangeSetActions(changeSet)} />}
      bare
    >
      {null}
    </Section>
  );
}

function useChangeSetActions({ id, state, appliedAt }: ChangeSet): readonly Action[] {
  const { trpc } = usePlane();
  const touches = [trpc.deployments.pathKey(), trpc.environments.pathKey(), trpc.approvals.pathKey()];
  if (state === 'draft') return [];
  const shared = { role: 'deployer', path: { id }, touches } as const;
  const cancel = deleteAction({
    ...shared,
    verb: 'Cancel',
    label: 'Cancel the change set',
    noun: 'change set',
    name: 'the change set',
    operation: trpc.changeSets.cancel,
    succeeded: 'Cancelling the change set',
    consequences:
      state === 'held'
        ? 'Its changes are staged again, and nothing is deployed.'
        : 'Deployments that wait end; those that roll return to the live release. What went live stays.',
  });
  if (!isChangeSetOver(state)) return [cancel];
  // Rejected, expired, or cancelled before: it changed nothing.
  if (appliedAt === undefined) return [];
  const retry = confirmAction({
    ...shared,
    label: 'Retry',
    operation: trpc.changeSets.retry,
    body: { source: 'console' },
    text: 'What failed or was cancelled is deployed again, with its settings as they are. What is staged stays staged.',
    succeeded: ({ approval }) => (approval === undefined ? 'Retrying' : 'Approval requested'),
  });
  const revert = confirmAction({
    ...shared,
    label: 'Revert',
    operation: trpc.changeSets.revert,
    text: 'What is still as this change set made it is staged to be as it was before. Nothing is deployed until you deploy the staged changes.',
    succeeded: ({ skipped }) =>
      skipped.length === 0
        ? 'The inverse is staged'
        : `The inverse is staged, without ${skipped.map(({ label, reason }) => `${label}: ${reason}`).join('; ')}`,
  });
  return state === 'applied' ? [revert] : [retry, revert];
}
