import { KeyIcon } from '@primer/octicons-react';
import type { Action } from '../../../components/actions/action.ts';
import { dialogAction } from '../../../components/actions/dialog-action.tsx';
import { usePageAction } from '../../../components/actions/use-page-action.tsx';
import { Section } from '../../../components/page.tsx';
import { EmptyState, Loaded } from '../../../components/states.tsx';
import { Badge } from '../../../components/status.tsx';
import type { Column } from '../../../components/table/column.ts';
import { Table } from '../../../components/table/table.tsx';
import { timeColumn } from '../../../components/table/time-column.tsx';
import { useList } from '../../../control-plane/by-slug.ts';
import { type Sent, useChange } from '../../../control-plane/change.ts';
import { usePlane } from '../../../control-plane/plane.ts';
import type { Answers } from '../../../control-plane/session.ts';
import { type Placed, useService } from '../use-service.ts';
import { ImportForm } from './import-form.tsx';
import { VariableForm } from './variable-form.tsx';
import { VariableHistory } from './variable-history.tsx';

type Variable = Answers['variables']['list']['items'][number];

/** The variables of a service in an environment: those that are set, and those that are staged. */
export function ServiceVariables() {
  return <Loaded query={useService()}>{(placed) => <Variables {...placed} />}</Loaded>;
}

function Variables({ service, environment }: Placed) {
  const { trpc } = usePlane();
  const path = { id: environment.id };
  const query = { serviceId: service.id };
  const pages = useList(trpc.variables.list, { path, query, id: ({ key }) => key });
  const stage = useStaging();
  const form = { environmentId: environment.id, serviceId: service.id };
  const { button, dialog } = usePageAction(
    'make',
    dialogAction({
      role: 'deployer',
      label: 'Add a variable',
      title: `Add a variable to ${service.name}`,
      content: (close) => <VariableForm {...form} onClose={close} />,
    }),
  );
  const importing = usePageAction(
    'import',
    dialogAction({
      role: 'deployer',
      label: 'Import',
      title: `Import variables into ${service.name}`,
      wide: true,
      content: (close) => <ImportForm {...form} onClose={close} />,
    }),
    { look: 'plain' },
  );
  const buttons = (
    <div className="flex flex-wrap gap-2">
      {importing.button}
      {button}
    </div>
  );
  const actions = ({ key, value, secret, staged, itemId }: Variable): Action[] => [
    ...(staged === 'unset'
      ? []
      : [
          dialogAction({
            role: 'deployer',
            label: 'Change',
            title: `Change ${key}`,
            content: (close) => <VariableForm {...form} current={{ key, value, secret }} onClose={close} />,
          }),
        ]),
    dialogAction({
      role: 'viewer',
      label: 'History',
      title: `History of ${key}`,
      wide: true,
      content: () => <VariableHistory {...form} variable={key} />,
    }),
    ...(itemId === undefined
      ? []
      : [{ role: 'deployer' as const, label: 'Discard the staged change', act: () => stage.discard(itemId, key) }]),
    ...(staged === 'unset'
      ? []
      : [{ role: 'deployer' as const, danger: true as const, label: 'Unset', act: () => stage.unset(form, key) }]),
  ];
  return (
    <Section
      title="Variables"
      about="Given to each process as its environment. Changes are staged; they take effect when they are deployed."
      actions={pages.items?.length !== 0 && buttons}
    >
      <Table
        label="Variables"
        pages={pages}
        columns={columns}
        name={({ key }) => key}
        actions={actions}
        empty={
          <EmptyState icon={<KeyIcon />} title="No variables yet" action={buttons}>
            Addresses, keys and switches that differ between environments belong here, not into the image.
          </EmptyState>
        }
      />
      {dialog}
      {importing.dialog}
    </Section>
  );
}

const columns: Column<Variable>[] = [
  {
    label: 'Key',
    cell: ({ key, staged }) => (
      <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <span className="break-all font-mono text-sm">{key}</span>
        {staged !== undefined && <Badge tone="live">{staged === 'set' ? 'staged' : 'staged to be unset'}</Badge>}
      </span>
    ),
    sort: ({ key }) => key,
    width: 'minmax(0, 1.5fr)',
  },
  {
    label: 'Value',
    cell: ({ value, secret }) =>
      secret ? (
        <span className="text-faint">Secret, never shown</span>
      ) : (
        <span className="line-clamp-3 whitespace-pre-wrap break-all font-mono text-sm text-text">{value}</span>
      ),
    width: 'minmax(0, 2fr)',
  },
  { label: 'By', cell: ({ updatedBy }) => updatedBy, sort: ({ updatedBy }) => updatedBy },
  timeColumn('Changed', ({ updatedAt }) => updatedAt),
];

/** Staged at once: the bar above shows it, and each can be discarded again. */
function useStaging() {
  const { client, trpc } = usePlane();
  const touches = () => [trpc.variables.pathKey(), trpc.changeSets.pathKey()];
  const unset = useChange(
    ({ environmentId, serviceId, key }: { environmentId: string; serviceId: string; key: string }, sent: Sent) =>
      client.changeSets.putItem.mutate(
        { path: { id: environmentId }, body: { kind: 'variable.unset', serviceId, key } },
        sent,
      ),
    { failed: 'The variable could not be unset', succeeded: (_, { key }) => `${key} staged to be unset`, touches },
  );
  const discard = useChange(
    ({ id }: { id: string; key: string }, sent: Sent) => client.changeSets.deleteItem.mutate({ path: { id } }, sent),
    {
      failed: 'The staged change could not be discarded',
      succeeded: (_, { key }) => `Staged change of ${key} discarded`,
      touches,
    },
  );
  return {
    unset: (of: { environmentId: string; serviceId: string }, key: string) => unset.send({ ...of, key }),
    discard: (id: string, key: string) => discard.send({ id, key }),
  };
}
