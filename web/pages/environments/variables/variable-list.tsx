import { KeyIcon } from '@primer/octicons-react';
import type { ReactNode } from 'react';
import { buildTimeTitles } from '../../../../domain/variables/build-time.ts';
import type { Action } from '../../../components/actions/action.ts';
import { dialogAction } from '../../../components/actions/dialog-action.tsx';
import { usePageAction } from '../../../components/actions/use-page-action.tsx';
import { Diff, type DiffLine } from '../../../components/diff/diff.tsx';
import { Card, Section } from '../../../components/page.tsx';
import { EmptyState, Loaded, LoadedPages } from '../../../components/states.tsx';
import { Table } from '../../../components/table/table.tsx';
import { Time } from '../../../components/times/time.tsx';
import { useList } from '../../../control-plane/by-slug.ts';
import { usePages } from '../../../control-plane/pages.ts';
import { usePlane } from '../../../control-plane/plane.ts';
import type { Answers } from '../../../control-plane/session.ts';
import { valueText } from '../staged/item-lines.ts';
import { type EnvironmentAnswer, useEnvironment } from '../use-environment.ts';
import { ImportForm } from './import-form.tsx';
import { useReferrers } from './use-referrers.ts';
import { useStaging, type Whose } from './use-staging.ts';
import { type Variable, variableColumns } from './variable-columns.tsx';
import { seenOf, VariableForm } from './variable-form.tsx';

interface VariableListProps {
  whose: Whose;
  title: string;
  about: ReactNode;
  /** Of the service, or of the environment that shares them. */
  owner: string;
  /** In place of the table while there are none. */
  empty: ReactNode;
  /** Actions on each besides. */
  more?: (variable: Variable) => readonly Action[];
  /** Paths of the files that are made of each. */
  files?: ReadonlyMap<string, readonly string[]>;
}

/** Variables that are set or staged, and all that can be done to them: of a service, or those shared. */
export function VariableList({ whose, title, about, owner, empty, more, files }: VariableListProps) {
  const { trpc } = usePlane();
  const { environmentId, serviceId } = whose;
  const query = serviceId === undefined ? { shared: true } : { serviceId };
  const pages = useList(trpc.variables.list, { path: { id: environmentId }, query, id: ({ key }) => key });
  const stage = useStaging(environmentId);
  const referrers = useReferrers(whose);
  const adding = usePageAction(
    'make',
    dialogAction({
      role: 'deployer',
      label: 'Add a variable',
      title: serviceId === undefined ? 'Add a shared variable' : `Add a variable to ${owner}`,
      content: (close) => <VariableForm {...whose} onClose={close} />,
    }),
  );
  const importing = usePageAction(
    'import',
    dialogAction({
      role: 'deployer',
      label: 'Import',
      title: serviceId === undefined ? `Import shared variables into ${owner}` : `Import variables into ${owner}`,
      wide: true,
      content: (close) => <ImportForm {...whose} onClose={close} />,
    }),
    { look: 'plain' },
  );
  const buttons = (
    <div className="flex flex-wrap gap-2">
      {importing.button}
      {adding.button}
    </div>
  );
  const change = (variable: Variable): Action =>
    dialogAction({
      role: 'deployer',
      label: 'Change',
      title: `Change ${variable.key}`,
      content: (close) => <VariableForm {...whose} current={variable} onClose={close} />,
    });
  const actions = (variable: Variable): Action[] => {
    const { key, staged, itemId } = variable;
    const stays = staged !== 'unset';
    const unset = () => stage.remove({ kind: 'variable.unset', serviceId, key, seen: seenOf(variable) }, key);
    return [
      ...(stays ? [change(variable), ...(more?.(variable) ?? [])] : []),
      dialogAction({
        role: 'viewer',
        label: 'History',
        title: `History of ${key}`,
        wide: true,
        content: () => <VariableHistory {...whose} variable={key} />,
      }),
      ...(itemId === undefined
        ? []
        : [{ role: 'deployer' as const, label: 'Discard the staged change', act: () => stage.discard(itemId, key) }]),
      ...(stays ? [{ role: 'deployer' as const, danger: true as const, label: 'Unset', act: unset }] : []),
    ];
  };
  return (
    <Section title={title} about={about} actions={pages.items?.length !== 0 && buttons}>
      <Table
        label={title}
        pages={pages}
        columns={variableColumns({ shared: serviceId === undefined, referrers, files })}
        name={({ key }) => key}
        actions={actions}
        empty={
          <EmptyState icon={<KeyIcon />} title={`No ${title.toLowerCase()} yet`} action={buttons}>
            {empty}
          </EmptyState>
        }
      />
      {adding.dialog}
      {importing.dialog}
    </Section>
  );
}

/** The variables that the services of an environment share. */
export function EnvironmentVariables() {
  return <Loaded query={useEnvironment()}>{(environment) => <Shared environment={environment} />}</Loaded>;
}

function Shared({ environment: { id, name } }: { environment: EnvironmentAnswer }) {
  return (
    <VariableList
      whose={{ environmentId: id }}
      owner={name}
      title="Shared variables"
      about={
        <>
          Services refer to them as <code className="whitespace-nowrap">{'${{shared.KEY}}'}</code> in their own values.
          Changes are staged; deploying them deploys the services that use them, too.
        </>
      }
      empty="Put values here that several services need, such as a region or the address of a mail server."
    />
  );
}

type Change = Answers['variables']['history']['items'][number];

interface VariableHistoryProps extends Whose {
  variable: string;
}

/** Who changed a variable, from what to what, newest first. */
function VariableHistory({ environmentId, serviceId, variable }: VariableHistoryProps) {
  const { trpc } = usePlane();
  const pages = usePages(trpc.variables.history, {
    path: { id: environmentId },
    query: { serviceId, key: variable, limit: 20 },
  });
  const empty = (
    <EmptyState title="Never applied">{variable} was staged, and no deployment has applied it yet.</EmptyState>
  );
  return (
    <LoadedPages pages={pages} empty={empty}>
      {(changes) => (
        <Card>
          <Diff label={`Changes of ${variable}`} lines={changes.map(lineOf)} />
        </Card>
      )}
    </LoadedPages>
  );
}

function lineOf({
  id,
  change,
  from,
  to,
  secret,
  buildTime,
  stagedBy,
  appliedBy,
  appliedAt,
  message,
}: Change): DiffLine {
  return {
    id,
    title: <Time at={appliedAt} />,
    from: valueText(from),
    to: change === 'unset' ? undefined : (valueText(to) ?? ''),
    note: change === 'unset' && secret ? 'Unset; the value was secret' : undefined,
    secret,
    about: (
      <>
        {stagedBy.name === appliedBy.name
          ? `By ${appliedBy.name}`
          : `Staged by ${stagedBy.name}, applied by ${appliedBy.name}`}
        {message !== '' && `: ${message}`}
        {buildTime !== '' && buildTime !== 'no' && ` (${buildTimeTitles[buildTime].toLowerCase()})`}
      </>
    ),
  };
}
