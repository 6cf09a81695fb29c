import type { Action } from '../../components/actions/action.ts';
import { deleteAction } from '../../components/actions/delete-action.tsx';
import { formAction } from '../../components/actions/form-action.tsx';
import { CopyBlock } from '../../components/copyable.tsx';
import { Done } from '../../components/dialogs/dialog.tsx';
import { useOperation } from '../../control-plane/operation.ts';
import { type Plane, usePlane } from '../../control-plane/plane.ts';
import { allowedFields, everyProject } from '../projects/allowed-projects.tsx';
import { type Connection, howToPaste } from './connection-words.ts';

/** The address and the secret of a webhook, ready to paste at the host. */
function WebhookSecret({
  made,
  connection,
  onClose,
}: {
  made: { webhookUrl: string; secret: string };
  connection: Connection;
  onClose: () => void;
}) {
  return (
    <div className="flex flex-col gap-3">
      <p className="text-pretty text-soft text-sm">{howToPaste(connection.provider)}</p>
      <CopyBlock text={made.webhookUrl} label="address" />
      <CopyBlock text={made.secret} label="secret" />
      <p className="text-pretty text-soft text-sm">The secret is not shown again.</p>
      <Done onClose={onClose} />
    </div>
  );
}

export const addConnection = (trpc: Plane['trpc']) =>
  formAction({
    label: 'Connect a host',
    operation: trpc.gitConnections.createSelfhosted,
    start: everyProject,
    fields: {
      host: {
        label: 'Host',
        placeholder: 'github.com',
        hint: 'github.com, gitlab.com, codeberg.org, or one of your own.',
      },
      label: { label: 'Label', hint: 'By which people choose it.' },
      token: {
        secret: true,
        mono: true,
        hint: 'GitHub: repo. GitLab: api. Gitea and Forgejo: read:user and write:repository. A host that only serves git: name:password. Ballast asks the host whether it accepts it; it is stored encrypted and never shown.',
      },
      ...allowedFields,
    },
    submit: 'Connect',
    succeeded: ({ label }) => `${label} connected`,
  });

/** All that can be done to a connection, in the order of its menu. */
export function useConnectionActions(): (connection: Connection) => Action[] {
  const { trpc } = usePlane();
  const check = useOperation(trpc.gitConnections.check, {
    failed: 'The connection could not be checked',
    succeeded: ({ label, lastError }) => (lastError === '' ? `${label} works` : `${label} fails`),
  });
  return (connection) => [
    { label: 'Check', role: 'deployer', act: () => check.send({ path: { id: connection.id } }) },
    formAction({
      label: 'Choose projects',
      operation: trpc.gitConnections.update,
      path: { id: connection.id },
      current: { allProjects: connection.allProjects, projectIds: connection.projectIds },
      fields: allowedFields,
      title: `Projects that may use ${connection.label}`,
      submit: 'Save',
      succeeded: `Projects of ${connection.label} saved`,
    }),
    formAction({
      label: 'Set up the webhook',
      operation: trpc.gitConnections.webhookSecret,
      path: { id: connection.id },
      fields: {},
      title: `Webhook of ${connection.label}`,
      submit: 'Make a secret',
      succeeded: 'Secret made',
      children: (
        <p className="text-pretty text-soft text-sm">
          By a webhook the host tells what is pushed, so that it is built. This makes a new secret for it, shown once;
          what is signed with an older one is refused from then on.
        </p>
      ),
      after: {
        wide: true,
        title: () => `Webhook of ${connection.label}`,
        content: (made, close) => <WebhookSecret made={made} connection={connection} onClose={close} />,
      },
    }),
    deleteAction({
      noun: 'connection',
      name: connection.label,
      operation: trpc.gitConnections.delete,
      path: { id: connection.id },
      consequences:
        'Its repositories can no longer be chosen, and pushes that its host tells of are refused. It is not deleted while a service is built from it. Revoke the token at the host, too.',
    }),
  ];
}
