import { FileIcon } from '@primer/octicons-react';
import { useState } from 'react';
import type { Action } from '../../../components/actions/action.ts';
import { dialogAction } from '../../../components/actions/dialog-action.tsx';
import { usePageAction } from '../../../components/actions/use-page-action.tsx';
import { SelectField } from '../../../components/forms/form.tsx';
import { Section } from '../../../components/page.tsx';
import { EmptyState, Loaded } from '../../../components/states.tsx';
import type { Column } from '../../../components/table/column.ts';
import { Table } from '../../../components/table/table.tsx';
import { useList } from '../../../control-plane/by-slug.ts';
import { useWhole, wholeList } from '../../../control-plane/pages.ts';
import { usePlane } from '../../../control-plane/plane.ts';
import { StagingForm } from '../../environments/variables/staging-form.tsx';
import { useStaging, type Whose } from '../../environments/variables/use-staging.ts';
import { StagedBadge } from '../../environments/variables/variable-columns.tsx';
import { VariableList } from '../../environments/variables/variable-list.tsx';
import { type Placed, useService } from '../use-service.ts';
import { type ServiceFile, useFiles } from './use-files.ts';

/** The variables of a service in an environment, and the files that are made of them. */
export function ServiceVariables() {
  return <Loaded query={useService()}>{(placed) => <Variables {...placed} />}</Loaded>;
}

function Variables({ service, environment }: Placed) {
  const whose = { environmentId: environment.id, serviceId: service.id };
  const files = useFiles({ service, environment });
  const stay = files.filter(({ staged }) => staged !== 'unset');
  const made = Map.groupBy(stay, ({ variable }) => variable);
  return (
    <>
      <VariableList
        whose={whose}
        owner={service.name}
        title="Variables"
        about="Given to each process as its environment. Changes are staged; they take effect when they are deployed."
        empty="Addresses, keys and switches that differ between environments belong here, not into the image."
        files={new Map([...made].map(([key, of]) => [key, of.map(({ path }) => path)]))}
        more={({ key }) => [
          dialogAction({
            role: 'deployer',
            label: 'Put into a file',
            title: `Put ${key} into a file`,
            content: (close) => <FileForm whose={whose} variable={key} onClose={close} />,
          }),
        ]}
      />
      <ServiceFiles whose={whose} owner={service.name} files={files} />
    </>
  );
}

interface ServiceFilesProps {
  whose: OfService;
  owner: string;
  files: ServiceFile[];
}

/** The files that each instance gets, made of variables. */
function ServiceFiles({ whose, owner, files }: ServiceFilesProps) {
  const stage = useStaging(whose.environmentId);
  const { button, dialog } = usePageAction(
    'file',
    dialogAction({
      role: 'deployer',
      label: 'Add a file',
      title: `Add a file to ${owner}`,
      content: (close) => <FileForm whose={whose} onClose={close} />,
    }),
    { look: 'plain' },
  );
  const actions = (file: ServiceFile): Action[] => {
    const { path, variable, staged, itemId } = file;
    const stays = staged !== 'unset';
    const { serviceId } = whose;
    const remove = () => stage.remove({ kind: 'file.unset', serviceId, key: path, seen: { value: variable } }, path);
    const change = dialogAction({
      role: 'deployer',
      label: 'Change',
      title: `Change ${path}`,
      content: (close) => <FileForm whose={whose} current={file} onClose={close} />,
    });
    return [
      ...(stays ? [change] : []),
      ...(itemId === undefined
        ? []
        : [{ role: 'deployer' as const, label: 'Discard the staged change', act: () => stage.discard(itemId, path) }]),
      ...(stays ? [{ role: 'deployer' as const, danger: true as const, label: 'Remove', act: remove }] : []),
    ];
  };
  return (
    <Section
      title="Files"
      about="Each instance gets them with the value of a variable as their content, readable by its user alone (mode 0400)."
      actions={files.length > 0 && button}
    >
      <Table
        label="Files"
        pages={wholeList(files, ({ path }) => path)}
        columns={columns}
        name={({ path }) => path}
        actions={actions}
        empty={
          <EmptyState icon={<FileIcon />} title="No files" action={button}>
            For programs that read a configuration, a key or a certificate from a file.
          </EmptyState>
        }
      />
      {dialog}
    </Section>
  );
}

const columns: Column<ServiceFile>[] = [
  {
    label: 'Path',
    cell: ({ path, staged }) => (
      <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <span className="break-all font-mono text-sm">{path}</span>
        <StagedBadge staged={staged} removed="staged to be removed" />
      </span>
    ),
    sort: ({ path }) => path,
  },
  {
    label: 'Made of',
    cell: ({ variable }) => <code className="break-all">{variable}</code>,
    sort: ({ variable }) => variable,
    phone: 'labelled',
  },
  {
    label: 'Told by',
    cell: ({ variable }) => <code className="break-all">{`FILE_${variable.toUpperCase()}`}</code>,
    phone: 'labelled',
  },
];

type OfService = Whose & { serviceId: string };

interface FileFormProps {
  whose: OfService;
  /** The variable that is put into the file; without it, it is chosen. */
  variable?: string;
  /** The one that is made of another variable. */
  current?: { path: string; variable: string };
  onClose: () => void;
}

/** Stages a file of a service that is made of one of its variables. */
function FileForm({ whose: { environmentId, serviceId }, variable, current, onClose }: FileFormProps) {
  const { trpc } = usePlane();
  const pages = useList(trpc.variables.list, {
    path: { id: environmentId },
    query: { serviceId },
    id: ({ key }) => key,
  });
  useWhole(pages, variable === undefined);
  const keys = (pages.items ?? []).filter(({ staged }) => staged !== 'unset').map(({ key }) => key);
  const [path, setPath] = useState(current?.path ?? '');
  const [chosen, setChosen] = useState(variable ?? current?.variable);
  const value = chosen ?? keys[0] ?? '';
  const hint = 'Absolute, or from the directory that the program works in.';
  return (
    <StagingForm
      environmentId={environmentId}
      noun="file"
      item={{
        ...{ kind: 'file.set', serviceId, key: path, value },
        seen: current === undefined ? {} : { value: current.variable },
      }}
      field={
        current === undefined && {
          label: 'Path',
          hint,
          maxLength: 1024,
          placeholder: 'config/app.yml',
          onChange: setPath,
        }
      }
      disabled={value === ''}
      onClose={onClose}
    >
      {variable === undefined && (
        <SelectField
          name="value"
          label="Variable"
          hint="Its value is the content of the file."
          value={value}
          onChange={setChosen}
          first={current !== undefined}
          choices={keys.map((key) => ({ value: key, label: key }))}
        />
      )}
      <p className="text-pretty text-soft text-sm">
        Its user alone may read the file (mode 0400)
        {value !== '' && (
          <>
            , and <code className="break-all">FILE_{value.toUpperCase()}</code> tells the program where it is
          </>
        )}
        .
      </p>
    </StagingForm>
  );
}
