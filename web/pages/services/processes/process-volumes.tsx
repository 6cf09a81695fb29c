import { useQuery } from '@tanstack/react-query';
import { ActionMenu } from '../../../components/actions/action-menu.tsx';
import { deleteAction } from '../../../components/actions/delete-action.tsx';
import { formAction } from '../../../components/actions/form-action.tsx';
import { TextField } from '../../../components/forms/form.tsx';
import type { FieldWords } from '../../../components/forms/operation/fields.ts';
import { Row, Rows } from '../../../components/rows.tsx';
import { Time } from '../../../components/times/time.tsx';
import { usePlane } from '../../../control-plane/plane.ts';
import type { Answers } from '../../../control-plane/session.ts';
import type { ProcessAnswer } from './process-fields.tsx';
import { useBackUp } from './volume-backups.tsx';
import { gibibyte, sizeText } from './volume-size.ts';

type VolumeAnswer = Answers['volumes']['list']['items'][number];

interface ProcessVolumesProps {
  process: ProcessAnswer;
  environmentId: string;
  /** The environment's. */
  environmentName: string;
}

/** The volumes of a process as its environment wants them, with what is used of each. Nothing where there are none. */
export function ProcessVolumes({ process, environmentId, environmentName }: ProcessVolumesProps) {
  const { trpc } = usePlane();
  const query = { environmentId };
  const { data } = useQuery(trpc.volumes.list.queryOptions({ path: { id: process.id }, query }));
  if (data === undefined || data.items.length === 0) return null;
  return (
    <Rows label={`Volumes of ${process.name}`}>
      {data.items.map((volume) => (
        <Volume key={volume.id} volume={volume} environmentId={environmentId} environmentName={environmentName} />
      ))}
    </Rows>
  );
}

function Volume({
  volume,
  environmentId,
  environmentName,
}: Omit<ProcessVolumesProps, 'process'> & { volume: VolumeAnswer }) {
  const { trpc } = usePlane();
  const { id, name, mountPath, sizeBytes, usage } = volume;
  const shared = {
    role: 'deployer',
    path: { id },
    query: { environmentId },
    touches: [trpc.changeSets.pathKey()],
  } as const;
  const backUp = useBackUp(volume, environmentId);
  const grow = formAction({
    ...shared,
    label: 'Grow',
    title: `Grow ${name}`,
    operation: trpc.volumes.change,
    current: volume,
    fields: { sizeBytes: sizeField('It only grows. No instance is replaced by it.') },
    submit: 'Stage',
    succeeded: `The size of ${name} is staged`,
  });
  const remove = deleteAction({
    ...shared,
    noun: 'volume',
    name,
    operation: trpc.volumes.delete,
    succeeded: `${name} staged to be deleted`,
    consequences: `It is mounted in ${environmentName} no more once the staged changes are deployed. Its data are kept, and it can be restored from Deleted until they are purged. A rollback to a release that mounts it has them again, too.`,
  });
  return (
    <Row
      title={name}
      detail={
        <>
          at <code>{mountPath}</code>
        </>
      }
      facts={
        <span>
          {usage === undefined ? (
            sizeText(sizeBytes)
          ) : (
            <>
              {sizeText(usage.usedBytes)} of {sizeText(sizeBytes)} used,{' '}
              {usage.filesystem !== undefined && `${sizeText(usage.filesystem.availableBytes)} free on its disk, `}as of{' '}
              <Time at={usage.observedAt} />
            </>
          )}
        </span>
      }
      actions={<ActionMenu label={`Actions for the volume ${name}`} actions={[backUp, grow, remove]} />}
    />
  );
}

/** Adds a volume to a process; those on a schedule have none. */
export function useAddVolume({ process, environmentId }: Omit<ProcessVolumesProps, 'environmentName'>) {
  const { trpc } = usePlane();
  return formAction({
    role: 'deployer',
    path: { id: process.id },
    query: { environmentId },
    touches: [trpc.changeSets.pathKey()],
    label: 'Add a volume',
    title: `Add a volume: ${process.name}`,
    operation: trpc.volumes.create,
    fields: {
      name: { placeholder: 'data', mono: true },
      mountPath: { label: 'Mounted at', placeholder: '/data', mono: true, hint: 'Outside of the other volumes.' },
      sizeBytes: sizeField('It can grow later. The process has one instance at a time from then on.'),
    },
    start: { sizeBytes: gibibyte },
    submit: 'Stage',
    succeeded: 'Volume staged',
  });
}

function sizeField<Body>(hint: string): FieldWords<number, Body> {
  return {
    control: ({ value, onChange }) => (
      <TextField
        name="sizeBytes"
        label="Size in GiB"
        hint={hint}
        type="number"
        required
        value={value === undefined ? '' : String(value / gibibyte)}
        onChange={(text) => onChange(text === '' ? undefined : Math.round(Number(text) * gibibyte))}
      />
    ),
  };
}
