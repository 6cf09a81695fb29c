import { useQuery } from '@tanstack/react-query';
import { transferStateWords } from '../../../../domain/volume-backups/words.ts';
import type { Action } from '../../../components/actions/action.ts';
import { deleteAction } from '../../../components/actions/delete-action.tsx';
import { formAction } from '../../../components/actions/form-action.tsx';
import { SelectField } from '../../../components/forms/form.tsx';
import { Section } from '../../../components/page.tsx';
import { Status } from '../../../components/status.tsx';
import type { Column } from '../../../components/table/column.ts';
import { Table } from '../../../components/table/table.tsx';
import { useList } from '../../../control-plane/by-slug.ts';
import { useOperation } from '../../../control-plane/operation.ts';
import { usePlane } from '../../../control-plane/plane.ts';
import type { Answers } from '../../../control-plane/session.ts';
import type { Placed } from '../use-service.ts';
import { requestedColumn, volumeColumn } from './transfer-columns.tsx';
import { useRestore } from './volume-restores.tsx';
import { sizeText } from './volume-size.ts';

type Backup = Answers['volumeBackups']['listAll']['items'][number];

/** Backups of the volumes of a service in an environment, also of those that were deleted. Nothing where there are none. */
export function VolumeBackups({ service, environment }: Placed) {
  const { trpc } = usePlane();
  const query = { environmentId: environment.id, serviceId: service.id };
  const pages = useList(trpc.volumeBackups.listAll, { query });
  const actionsOf = useBackupActions();
  if (pages.items === undefined || pages.items.length === 0) return null;
  return (
    <Section title="Backups" about="The files of volumes, in object stores. They are kept when the volume is deleted.">
      <Table label="Backups" pages={pages} columns={columns} actions={actionsOf} name={nameOf} empty={null} />
    </Section>
  );
}

/** Packs a volume into a store that is chosen. */
export function useBackUp(volume: { id: string; name: string }, environmentId: string): Action {
  const { trpc } = usePlane();
  return formAction({
    role: 'deployer',
    label: 'Back up',
    title: `Back up ${volume.name}`,
    about: 'A file that changes while it is read is named afterwards.',
    operation: trpc.volumeBackups.create,
    path: { id: volume.id },
    start: { environmentId },
    fields: {
      environmentId: { control: () => null },
      objectStoreId: { control: ({ value, onChange }) => <StoreField value={value} onChange={onChange} /> },
      quiesce: {
        label: 'Stop the process meanwhile',
        hint: 'The process ends before the volume is packed and starts after it, whatever happens, so that no file changes. Otherwise it goes on.',
      },
    },
    submit: 'Back up',
    succeeded: `The backup of ${volume.name} is requested`,
  });
}

interface StoreFieldProps {
  value: string | undefined;
  onChange: (id: string | undefined) => void;
}

function StoreField({ value, onChange }: StoreFieldProps) {
  const stores = useQuery(usePlane().trpc.objectStores.list.queryOptions({ query: { limit: 200 } })).data?.items;
  return (
    <SelectField
      name="objectStoreId"
      label="Object store"
      hint={stores?.length === 0 ? 'There is none yet: an administrator adds one in Settings.' : undefined}
      value={value ?? ''}
      onChange={(id) => onChange(id === '' ? undefined : id)}
      choices={[
        { value: '', label: 'Choose a store' },
        ...(stores ?? []).map(({ id, name, lastError }) => ({
          value: id,
          label: lastError === '' ? name : `${name} (failing)`,
        })),
      ]}
      first
    />
  );
}

const nameOf = ({ volumeName, createdAt }: Backup) => `${volumeName}, ${createdAt}`;

function useBackupActions(): (backup: Backup) => Action[] {
  const { trpc } = usePlane();
  const cancel = useOperation(trpc.volumeBackups.cancel, {
    failed: 'The backup could not be cancelled',
    succeeded: 'Backup cancelled',
  });
  const download = useOperation(trpc.volumeBackups.download, {
    failed: 'The backup cannot be downloaded',
    succeeded: 'The download begins',
    done: ({ url }) => window.location.assign(url),
  });
  const restore = useRestore();
  return (backup) => {
    const { id, status } = backup;
    if (status === 'queued' || status === 'running' || status === 'uploading')
      return [{ label: 'Cancel', role: 'deployer', act: () => cancel.send({ path: { id } }) }];
    const remove = deleteAction({
      noun: 'backup',
      name: nameOf(backup),
      operation: trpc.volumeBackups.delete,
      path: { id },
      consequences: 'Its object is deleted from the store, for good.',
    });
    if (status !== 'succeeded') return [remove];
    return [restore(backup), { label: 'Download', role: 'admin', act: () => download.send({ path: { id } }) }, remove];
  };
}

function BackupState({ status, message, warnings, progress, stoppedSeconds }: Backup) {
  const { word, tone } =
    status === 'uploading' ? ({ word: 'Uploading', tone: 'live' } as const) : transferStateWords[status];
  const { archiveBytes, volumeBytes, storedBytes } = progress;
  const how = `${sizeText(archiveBytes)} of about ${sizeText(volumeBytes)} read, ${sizeText(storedBytes)} stored`;
  return (
    <>
      <Status tone={tone}>{word}</Status>
      {status === 'uploading' && <span className="block text-soft text-sm">{how}</span>}
      {stoppedSeconds !== undefined && (
        <span className="block text-soft text-sm">The process stood still for {stoppedSeconds.toFixed(1)} s.</span>
      )}
      {message !== '' && <span className="block text-pretty text-soft text-sm">{message}</span>}
      {warnings.map((warning) => (
        <span key={warning} className="block break-words text-attention text-sm">
          {warning}
        </span>
      ))}
    </>
  );
}

const columns: Column<Backup>[] = [
  volumeColumn,
  { label: 'State', cell: (backup) => <BackupState {...backup} />, width: 'minmax(0, 2fr)', phone: 'labelled' },
  {
    label: 'Size',
    cell: ({ status, sizeBytes }) => (status === 'succeeded' ? sizeText(sizeBytes) : ''),
    sort: ({ sizeBytes }) => sizeBytes,
    width: 'minmax(0, 0.7fr)',
    phone: 'labelled',
  },
  requestedColumn,
];
