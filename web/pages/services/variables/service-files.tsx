import { FileIcon } from '@primer/octicons-react';
import type { Action } from '../../../components/actions/action.ts';
import { dialogAction } from '../../../components/actions/dialog-action.tsx';
import { usePageAction } from '../../../components/actions/use-page-action.tsx';
import { Section } from '../../../components/page.tsx';
import { EmptyState } from '../../../components/states.tsx';
import type { Column } from '../../../components/table/column.ts';
import { Table } from '../../../components/table/table.tsx';
import { wholeList } from '../../../control-plane/pages.ts';
import { useStaging } from '../../environments/variables/use-staging.ts';
import { StagedBadge } from '../../environments/variables/variable-columns.tsx';
import { FileForm, type OfService } from './file-form.tsx';
import type { ServiceFile } from './use-files.ts';

interface ServiceFilesProps {
  whose: OfService;
  owner: string;
  files: ServiceFile[];
}

/** The files that each instance gets, made of variables. */
export function ServiceFiles({ whose, owner, files }: ServiceFilesProps) {
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
