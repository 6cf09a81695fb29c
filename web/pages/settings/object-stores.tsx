import type { Action } from '../../components/actions/action.ts';
import { deleteAction } from '../../components/actions/delete-action.tsx';
import { formAction } from '../../components/actions/form-action.tsx';
import { OneAction } from '../../components/actions/one-action.tsx';
import { CheckedState } from '../../components/checked-state.tsx';
import { Copyable } from '../../components/copyable.tsx';
import { AreaField } from '../../components/forms/area-field.tsx';
import type { FieldsOf } from '../../components/forms/operation/fields.ts';
import { Section } from '../../components/page.tsx';
import type { Tone } from '../../components/style.ts';
import type { Column } from '../../components/table/column.ts';
import { Table } from '../../components/table/table.tsx';
import { Time } from '../../components/times/time.tsx';
import { useList } from '../../control-plane/by-slug.ts';
import { useOperation } from '../../control-plane/operation.ts';
import { type Plane, usePlane } from '../../control-plane/plane.ts';
import { type Answers, useMay } from '../../control-plane/session.ts';

type ObjectStore = Answers['objectStores']['list']['items'][number];

/** Buckets for backups. */
export function ObjectStores() {
  const { trpc } = usePlane();
  const may = useMay('deployer');
  const pages = useList(trpc.objectStores.list, {}, may);
  const actionsOf = useStoreActions();
  if (!may) return null;
  return (
    <Section
      title="Object stores"
      about="Buckets (S3) in which backups are kept."
      actions={<OneAction action={addStore(trpc)} />}
    >
      <Table
        label="Object stores"
        pages={pages}
        columns={columns}
        actions={actionsOf}
        empty={<p className="px-4 py-3 text-pretty text-soft text-sm">None yet. Backups need one.</p>}
      />
    </Section>
  );
}

type Connection = Pick<
  ObjectStore,
  'name' | 'endpoint' | 'bucket' | 'region' | 'prefix' | 'accessKeyId' | 'forcePathStyle' | 'certificateAuthority'
> & { secretAccessKey: string };

const fields: FieldsOf<Partial<Connection>> = {
  name: { hint: 'By which people choose it.' },
  endpoint: { placeholder: 'https://s3.eu-central-1.amazonaws.com', mono: true, hint: 'Without the bucket.' },
  bucket: { mono: true },
  region: { placeholder: 'us-east-1', mono: true },
  prefix: { placeholder: 'ballast', mono: true, hint: 'The beginning of all keys. Empty: none.' },
  accessKeyId: { label: 'Access key id', mono: true },
  secretAccessKey: {
    label: 'Secret access key',
    secret: true,
    hint: 'Stored encrypted, used for this store alone and never shown.',
  },
  forcePathStyle: {
    label: 'Bucket in the path',
    hint: 'Most stores but AWS expect it there and not in the host name.',
  },
  certificateAuthority: {
    control: ({ value = '', onChange }) => (
      <AreaField
        name="certificateAuthority"
        label="Certificate authority"
        hint="In PEM. Empty where the store has a publicly trusted certificate."
        value={value}
        onChange={onChange}
      />
    ),
  },
};

const outcome = ({ name, lastError }: ObjectStore, done: string) =>
  lastError === '' ? done : `${name} fails: ${lastError}`;

const addStore = (trpc: Plane['trpc']) =>
  formAction({
    label: 'Add a store',
    role: 'admin',
    operation: trpc.objectStores.create,
    start: { forcePathStyle: true },
    fields,
    submit: 'Add',
    succeeded: (store) => outcome(store, `${store.name} added, and it works`),
  });

function useStoreActions(): (store: ObjectStore) => Action[] {
  const { trpc } = usePlane();
  const verify = useOperation(trpc.objectStores.verify, {
    failed: 'The store could not be verified',
    succeeded: (store) => outcome(store, `${store.name} works`),
  });
  return ({ id, name, ...store }) => {
    const { endpoint, bucket, region, prefix, accessKeyId, forcePathStyle, certificateAuthority } = store;
    return [
      { label: 'Verify', role: 'admin', act: () => verify.send({ path: { id } }) },
      formAction({
        label: 'Change',
        title: `Change ${name}`,
        about: 'With another endpoint, bucket or access key id, give the secret access key again.',
        operation: trpc.objectStores.update,
        path: { id },
        current: { name, endpoint, bucket, region, prefix, accessKeyId, forcePathStyle, certificateAuthority },
        fields,
        submit: 'Save',
        succeeded: (changed) => outcome(changed, `${changed.name} saved`),
      }),
      deleteAction({
        noun: 'object store',
        name,
        operation: trpc.objectStores.delete,
        path: { id },
        consequences: 'Nothing in the bucket is deleted. Revoke the access key at the store, too.',
      }),
    ];
  };
}

function stateOf({ lastError, verifiedAt }: ObjectStore): { word: string; tone: Tone } {
  if (lastError !== '') return { word: 'Failing', tone: 'fault' };
  if (verifiedAt === undefined) return { word: 'Not verified', tone: 'neutral' };
  return { word: 'Working', tone: 'good' };
}

const columns: Column<ObjectStore>[] = [
  {
    label: 'Store',
    cell: ({ name, bucket, prefix, endpoint }) => (
      <>
        <span className="font-medium">{name}</span>
        <span className="block break-all text-soft text-sm">
          {prefix === '' ? bucket : `${bucket}/${prefix}`} at {endpoint}
        </span>
      </>
    ),
    sort: ({ name }) => name,
    width: 'minmax(0, 1.5fr)',
  },
  {
    label: 'State',
    cell: (store) => <CheckedState {...stateOf(store)} {...store} />,
    width: 'minmax(0, 1.5fr)',
    phone: 'labelled',
  },
  {
    label: 'Id',
    cell: ({ id }) => <Copyable text={id} label="id" />,
    width: 'minmax(0, 1.2fr)',
    phone: 'labelled',
  },
  {
    label: 'Created',
    cell: ({ createdAt, createdBy }) => (
      <>
        <Time at={createdAt} />
        <span className="block text-soft text-sm">{createdBy}</span>
      </>
    ),
    sort: ({ createdAt }) => createdAt,
    width: 'minmax(0, 1fr)',
    phone: 'labelled',
  },
];
