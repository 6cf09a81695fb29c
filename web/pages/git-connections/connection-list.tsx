import { CheckedState } from '../../components/checked-state.tsx';
import { Copyable } from '../../components/copyable.tsx';
import type { Column } from '../../components/table/column.ts';
import { ListPage } from '../../components/table/list-page.tsx';
import { Time } from '../../components/times/time.tsx';
import { usePages } from '../../control-plane/pages.ts';
import { usePlane } from '../../control-plane/plane.ts';
import { AllowedProjects } from '../projects/allowed-projects.tsx';
import { addConnection, useConnectionActions } from './connection-actions.tsx';
import { type Connection, providerName, stateOf } from './connection-words.ts';

/** Hosts of repositories, and why one fails. */
export function ConnectionList() {
  const { trpc } = usePlane();
  const actions = useConnectionActions();
  return (
    <ListPage
      about="Hosts of repositories from which services are built: each with a token, and a webhook that tells what is pushed."
      pages={usePages(trpc.gitConnections.list, { query: { limit: 100 } })}
      columns={columns}
      name={({ label }) => label}
      actions={actions}
      make={addConnection(trpc)}
      makeIn="add"
      empty={{
        title: 'No host is connected yet',
        text: 'A service can be built from a repository that everybody may read, by its https address. A connection gives access to private ones on GitHub, GitLab, Gitea, Forgejo and other hosts of git.',
      }}
    />
  );
}

const columns: Column<Connection>[] = [
  {
    label: 'Connection',
    cell: ({ label, provider, host, accountLogin }) => (
      <>
        <span className="font-medium">{label}</span>
        <span className="block text-soft text-sm">
          {providerName(provider)} · {host}
          {accountLogin !== '' && ` · ${accountLogin}`}
        </span>
      </>
    ),
    sort: ({ label }) => label,
    width: 'minmax(0, 1.5fr)',
  },
  {
    label: 'Projects',
    cell: (connection) => <AllowedProjects {...connection} />,
    width: 'minmax(0, 1fr)',
    phone: 'labelled',
  },
  {
    label: 'State',
    cell: (connection) => <State connection={connection} />,
    sort: (connection) => stateOf(connection).word,
    width: 'minmax(0, 2fr)',
  },
  {
    label: 'Webhook',
    cell: ({ webhookUrl, lastDeliveryAt, lastDeliveryStatus }) => (
      <>
        <Copyable text={webhookUrl} label="address of the webhook" />
        <span className="block text-soft text-sm">
          {lastDeliveryAt === undefined ? (
            'Nothing was delivered yet'
          ) : (
            <>
              {lastDeliveryStatus}, <Time at={lastDeliveryAt} />
            </>
          )}
        </span>
      </>
    ),
    width: 'minmax(0, 2fr)',
    phone: 'labelled',
  },
];

function State({ connection }: { connection: Connection }) {
  const { missingPermissions } = connection;
  return (
    <CheckedState {...stateOf(connection)} {...connection}>
      {missingPermissions.length > 0 && (
        <span className="block text-pretty text-sm">The token lacks {missingPermissions.join(', ')}.</span>
      )}
    </CheckedState>
  );
}
