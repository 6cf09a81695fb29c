import type { Action } from '../../components/actions/action.ts';
import { deleteAction } from '../../components/actions/delete-action.tsx';
import { formAction } from '../../components/actions/form-action.tsx';
import { OneAction } from '../../components/actions/one-action.tsx';
import { CheckedState } from '../../components/checked-state.tsx';
import { Copyable } from '../../components/copyable.tsx';
import { Section } from '../../components/page.tsx';
import type { Tone } from '../../components/style.ts';
import type { Column } from '../../components/table/column.ts';
import { Table } from '../../components/table/table.tsx';
import { Time } from '../../components/times/time.tsx';
import { useList } from '../../control-plane/by-slug.ts';
import { useOperation } from '../../control-plane/operation.ts';
import { type Plane, usePlane } from '../../control-plane/plane.ts';
import { type Answers, useMay } from '../../control-plane/session.ts';
import { AllowedProjects, allowedFields, everyProject } from '../projects/allowed-projects.tsx';

type Credential = Answers['registryCredentials']['list']['items'][number];

/** Sign-ins at outside registries, and who may use each. Only administrators see them. */
export function RegistryCredentials() {
  const { trpc } = usePlane();
  const may = useMay('admin');
  const pages = useList(trpc.registryCredentials.list, {}, may);
  const actionsOf = useCredentialActions();
  if (!may) return null;
  return (
    <Section
      title="Registry credentials"
      about="Sign-ins at outside registries, with which images of services are resolved and pulled."
      actions={<OneAction action={addCredential(trpc)} />}
    >
      <Table
        label="Registry credentials"
        pages={pages}
        columns={columns}
        actions={actionsOf}
        empty={
          <p className="px-4 py-3 text-pretty text-soft text-sm">
            None yet. Images that everybody may pull, and those that are pushed to Ballast, need none.
          </p>
        }
      />
    </Section>
  );
}

const addCredential = (trpc: Plane['trpc']) =>
  formAction({
    label: 'Add a credential',
    role: 'admin',
    operation: trpc.registryCredentials.create,
    start: everyProject,
    fields: {
      name: { label: 'Name', hint: 'By which people choose it.' },
      host: { label: 'Registry', placeholder: 'ghcr.io', mono: true },
      username: { label: 'User name' },
      password: {
        secret: true,
        hint: 'Or a token that may read packages. It is stored encrypted, sent to this registry alone and never shown.',
      },
      ...allowedFields,
    },
    submit: 'Add',
    succeeded: ({ name }) => `${name} added`,
  });

function useCredentialActions(): (credential: Credential) => Action[] {
  const { trpc } = usePlane();
  const check = useOperation(trpc.registryCredentials.check, {
    failed: 'The credential could not be checked',
    succeeded: ({ name, host, lastError }) => (lastError === '' ? `${host} accepts ${name}` : `${name} fails`),
  });
  return ({ id, name, allProjects, projectIds }) => [
    { label: 'Check', role: 'admin', act: () => check.send({ path: { id } }) },
    formAction({
      label: 'Choose projects',
      operation: trpc.registryCredentials.update,
      path: { id },
      current: { allProjects, projectIds },
      fields: allowedFields,
      title: `Projects that may use ${name}`,
      submit: 'Save',
      succeeded: `Projects of ${name} saved`,
    }),
    deleteAction({
      noun: 'credential',
      name,
      operation: trpc.registryCredentials.delete,
      path: { id },
      consequences:
        'Sources that name it no longer resolve, and machines that lack an image of them cannot fetch it. Revoke the password at the registry, too.',
    }),
  ];
}

function stateOf({ lastError, verifiedAt }: Credential): { word: string; tone: Tone } {
  if (lastError !== '') return { word: 'Failing', tone: 'fault' };
  if (verifiedAt === undefined) return { word: 'Not checked', tone: 'neutral' };
  return { word: 'Working', tone: 'good' };
}

const columns: Column<Credential>[] = [
  {
    label: 'Credential',
    cell: ({ name, host, username }) => (
      <>
        <span className="font-medium">{name}</span>
        <span className="block text-soft text-sm">
          {username} at {host}
        </span>
      </>
    ),
    sort: ({ name }) => name,
    width: 'minmax(0, 1.5fr)',
  },
  {
    label: 'State',
    cell: (credential) => <CheckedState {...stateOf(credential)} {...credential} />,
    width: 'minmax(0, 1.2fr)',
    phone: 'labelled',
  },
  {
    label: 'Projects',
    cell: (credential) => <AllowedProjects {...credential} />,
    width: 'minmax(0, 1fr)',
    phone: 'labelled',
  },
  {
    label: 'Id',
    cell: ({ id }) => <Copyable text={id} label="id" />,
    width: 'minmax(0, 1.5fr)',
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
