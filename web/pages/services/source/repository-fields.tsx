import { useQuery } from '@tanstack/react-query';
import { SelectField, TextField } from '../../../components/forms/form.tsx';
import { usePlane } from '../../../control-plane/plane.ts';
import { useProject } from '../../projects/use-project.ts';
import { ofConnection, type Source } from './source.ts';
import { useRested } from './use-branches.ts';

interface RepositoryFieldsProps {
  source: Source;
  onChange: (source: Source) => void;
}

/** A repository: of a Git connection, found by a part of its name, or by its address. */
export function RepositoryFields({ source, onChange }: RepositoryFieldsProps) {
  const { trpc } = usePlane();
  const { gitConnectionId = '', repository = '', gitUrl = '' } = source;
  const all = useQuery(trpc.gitConnections.list.queryOptions({ query: { limit: 200 } })).data?.items ?? [];
  const project = useProject().data?.id ?? '';
  // The one that is named stays in sight, also where the project has lost it.
  const connections = all.filter(
    ({ id, allProjects, projectIds }) => allProjects || projectIds.includes(project) || id === gitConnectionId,
  );
  const choices = [
    { value: '', label: 'None: a public repository' },
    ...connections.map(({ id, label, host }) => ({ value: id, label: `${label} (${host})` })),
  ];
  return (
    <>
      {(connections.length > 0 || gitConnectionId !== '') && (
        <SelectField
          name="gitConnectionId"
          label="Git connection"
          value={gitConnectionId}
          onChange={(id) => onChange(ofConnection(source, id))}
          choices={choices}
        />
      )}
      {gitConnectionId === '' ? (
        <TextField
          name="gitUrl"
          label="Address of the repository"
          mono
          required
          placeholder="https://git.example.com/team/app.git"
          hint="Over https. For a private one, an administrator adds a Git connection first."
          value={gitUrl}
          onChange={(next) => onChange({ ...source, gitUrl: next })}
        />
      ) : (
        <Repository
          key={gitConnectionId}
          connection={gitConnectionId}
          value={repository}
          onChange={(next) => onChange({ ...source, repository: next })}
        />
      )}
    </>
  );
}

interface RepositoryProps {
  connection: string;
  value: string;
  onChange: (repository: string) => void;
}

function Repository({ connection, value, onChange }: RepositoryProps) {
  const { trpc } = usePlane();
  const q = useRested(value.trim());
  const options = { path: { id: connection }, query: { q } };
  // A host that lists none, or does not answer, is no obstacle: the name is typed.
  const { data } = useQuery({ ...trpc.gitConnections.repositories.queryOptions(options), retry: false });
  return (
    <TextField
      name="repository"
      label="Repository"
      mono
      required
      placeholder="team/app"
      hint="Its full name; those that the connection may read are suggested."
      value={value}
      onChange={onChange}
      suggestions={(data?.repositories ?? []).map(({ fullName }) => fullName)}
    />
  );
}
