import { useQuery } from '@tanstack/react-query';
import { formAction } from '../../components/actions/form-action.tsx';
import { OneAction } from '../../components/actions/one-action.tsx';
import { Setting } from '../../components/forms/setting.tsx';
import { usePlane } from '../../control-plane/plane.ts';
import { BranchField } from '../services/source/branch-field.tsx';
import { namedIn } from '../services/source/use-branches.ts';
import type { EnvironmentAnswer } from './use-environment.ts';

const byDefault = 'The default branch of each repository';

/** The branch that an environment builds of its repositories. Branches of the first of them are offered. */
export function BranchSetting({ environment }: { environment: EnvironmentAnswer }) {
  const { id, name, gitBranch } = environment;
  const { trpc } = usePlane();
  const change = formAction({
    label: 'Change the branch',
    title: `Branch of ${name}`,
    about: 'Pushes to it are built for each service with a repository. Nothing is built by this change itself.',
    operation: trpc.environments.change,
    path: { id },
    current: { gitBranch },
    fields: {
      gitBranch: {
        control: ({ value = '', onChange }) => (
          <BranchOfRepositories environment={environment} value={value} onChange={onChange} />
        ),
      },
    },
    submit: 'Change',
    succeeded: 'Branch changed',
  });
  return (
    <Setting title="Branch" about="Of the repositories of its services: pushes to it are built.">
      {gitBranch === '' ? byDefault : <code className="break-all">{gitBranch}</code>}
      <OneAction action={change} small />
    </Setting>
  );
}

interface BranchOfRepositoriesProps {
  environment: Pick<EnvironmentAnswer, 'id' | 'projectId'>;
  value: string;
  onChange: (branch: string) => void;
}

/** The field asks for the services itself: a dialog that is opened before they are known offers their branches, too. */
function BranchOfRepositories({ environment: { id, projectId }, ...field }: BranchOfRepositoriesProps) {
  const asked = { path: { id: projectId }, query: { environmentId: id, limit: 200 } };
  const services = useQuery(usePlane().trpc.services.list.queryOptions(asked)).data?.items ?? [];
  const of = services.map(({ source }) => namedIn(source)).find((named) => named !== undefined);
  return <BranchField name="gitBranch" of={of} unnamed={() => byDefault} {...field} />;
}
