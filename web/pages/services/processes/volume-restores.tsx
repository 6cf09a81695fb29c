import { transferStateWords } from '../../../../domain/volume-backups/words.ts';
import type { Action } from '../../../components/actions/action.ts';
import { confirmAction } from '../../../components/actions/confirm-action.tsx';
import { Section } from '../../../components/page.tsx';
import { Status } from '../../../components/status.tsx';
import type { Column } from '../../../components/table/column.ts';
import { Table } from '../../../components/table/table.tsx';
import { Time } from '../../../components/times/time.tsx';
import { useList } from '../../../control-plane/by-slug.ts';
import { useOperation } from '../../../control-plane/operation.ts';
import { usePlane } from '../../../control-plane/plane.ts';
import type { Answers } from '../../../control-plane/session.ts';
import type { Placed } from '../use-service.ts';
import { requestedColumn, volumeColumn } from './transfer-columns.tsx';
import { sizeText } from './volume-size.ts';

type Restore = Answers['volumeRestores']['listAll']['items'][number];
type Backup = Answers['volumeBackups']['listAll']['items'][number];

/** Restores of the volumes of a service in an environment. Nothing where there are none. */
export function VolumeRestores({ service, environment }: Placed) {
  const { trpc } = usePlane();
  const query = { environmentId: environment.id, serviceId: service.id };
  const pages = useList(trpc.volumeRestores.listAll, { query });
  const actionsOf = useRestoreActions();
  if (pages.items === undefined || pages.items.length === 0) return null;
  return (
    <Section title="Restores" about="The data before a restore are kept in Deleted.">
      <Table label="Restores" pages={pages} columns={columns} actions={actionsOf} name={nameOf} empty={null} />
    </Section>
  );
}

/** Puts the files of a backup in the place of its volume. */
export function useRestore(): (backup: Backup) => Action {
  const { trpc } = usePlane();
  return ({ id: backupId, volumeId, environmentId, volumeName, createdAt }) =>
    confirmAction({
      label: 'Restore',
      role: 'admin',
      operation: trpc.volumeRestores.create,
      path: { id: volumeId },
      body: { environmentId, backupId },
      name: volumeName,
      text: (
        <>
          The files of the backup of <Time at={createdAt} /> are fetched and checked while the process goes on. Then it
          stands still for some seconds, in which they take the place of those that the volume has. These are kept in
          Deleted, and can be restored from there.
        </>
      ),
      succeeded: `The restore of ${volumeName} is requested`,
    });
}

function useRestoreActions(): (restore: Restore) => Action[] {
  const cancel = useOperation(usePlane().trpc.volumeRestores.cancel, {
    failed: 'The restore could not be cancelled',
    succeeded: 'Restore cancelled',
  });
  return ({ id, status }) =>
    status === 'queued' || status === 'downloading'
      ? [{ label: 'Cancel', role: 'admin', act: () => cancel.send({ path: { id } }) }]
      : [];
}

const nameOf = ({ volumeName, createdAt }: Restore) => `${volumeName}, ${createdAt}`;

const stateWords = {
  ...transferStateWords,
  downloading: { word: 'Downloading', tone: 'live' },
  replacing: { word: 'Replacing', tone: 'live' },
} as const;

function RestoreState({ status, message, sizeBytes, progress, stoppedSeconds }: Restore) {
  const { word, tone } = stateWords[status];
  const how = {
    downloading: `${sizeText(progress.fetchedBytes)} of ${sizeText(sizeBytes)} fetched`,
    replacing: 'The process stands still.',
    succeeded: stoppedSeconds === undefined ? '' : `The process stood still for ${stoppedSeconds.toFixed(1)} s.`,
  }[status as string];
  return (
    <>
      <Status tone={tone}>{word}</Status>
      {[how, message].map(
        (line) =>
          line !== undefined &&
          line !== '' && (
            <span key={line} className="block text-pretty text-soft text-sm">
              {line}
            </span>
          ),
      )}
    </>
  );
}

const columns: Column<Restore>[] = [
  volumeColumn,
  { label: 'State', cell: (restore) => <RestoreState {...restore} />, width: 'minmax(0, 2fr)', phone: 'labelled' },
  {
    label: 'From',
    cell: ({ sourceBackupId }) => (sourceBackupId === undefined ? 'Deleted' : 'A backup'),
    width: 'minmax(0, 0.7fr)',
    phone: 'labelled',
  },
  requestedColumn,
];
