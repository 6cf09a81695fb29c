import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { deleteAction } from '../../components/actions/delete-action.tsx';
import { formAction } from '../../components/actions/form-action.tsx';
import { OneAction } from '../../components/actions/one-action.tsx';
import { Copyable } from '../../components/copyable.tsx';
import { numbered } from '../../components/dialogs/affected-list.tsx';
import { Checkbox, Select } from '../../components/forms/form.tsx';
import { Setting, Settings } from '../../components/forms/setting.tsx';
import { Section } from '../../components/page.tsx';
import { Loaded } from '../../components/states.tsx';
import { useFieldChange } from '../../control-plane/field-change.ts';
import { usePlane } from '../../control-plane/plane.ts';
import { type Answers, useMay } from '../../control-plane/session.ts';
import { endedWith, Impact, type Impacts } from '../deletions/impact.tsx';
import { BranchField } from '../services/source/branch-field.tsx';
import { namedIn } from '../services/source/use-branches.ts';
import { type EnvironmentAnswer, useEnvironment } from './use-environment.ts';

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

/** Settings of an environment, changed at once. */
export function EnvironmentSettings() {
  return <Loaded query={useEnvironment()}>{(environment) => <AllSettings environment={environment} />}</Loaded>;
}

function AllSettings({ environment }: { environment: EnvironmentAnswer }) {
  const { trpc } = usePlane();
  const { id, name, slug, namespace } = environment;
  const rename = formAction({
    label: 'Rename',
    title: `Rename ${name}`,
    operation: trpc.environments.change,
    path: { id },
    current: { name },
    fields: { name: {} },
    succeeded: 'Environment renamed',
  });
  const clone = formAction({
    label: 'Clone',
    title: `Clone ${name}`,
    about: environment.production
      ? 'All services, settings and variables that were applied here are staged in the new one. Secret values are copied only if it is production, too. Data of volumes is not copied.'
      : 'All services, settings and variables that were applied here are staged in the new one, secret values included. Data of volumes is not copied.',
    operation: trpc.environments.clone,
    path: { id },
    start: { production: false },
    fields: {
      name: { placeholder: `${name} 2` },
      production: { hint: 'Its changes wait for an approval.' },
      clusterId: { control: () => null },
    },
    submit: 'Clone',
    succeeded: ({ name: copy, leftOut }) =>
      leftOut.length === 0
        ? `${copy} created, with all of ${name} staged`
        : `${copy} created, with all of ${name} staged but ${leftOut.length} secret ${leftOut.length === 1 ? 'variable' : 'variables'}: ${[...new Set(leftOut.map(({ key }) => key))].join(', ')}`,
    touches: [trpc.environments.pathKey(), trpc.changeSets.pathKey()],
  });
  return (
    <Section title="Environment">
      <Settings>
        <Setting title="Name" about={`Its short name stays ${slug}.`}>
          {name}
          <OneAction action={rename} small />
        </Setting>
        <Flag
          environment={environment}
          field="production"
          label="Production"
          about="Its staged changes and deployments wait for an approval."
          words={{ on: 'is production', off: 'is not production' }}
        />
        <Cluster environment={environment} />
        <BranchSetting environment={environment} />
        <Flag
          environment={environment}
          field="autoDeploy"
          label="Deploy pushes"
          about="What is built of a pushed commit is deployed. Without it there is a release, which a person can deploy."
          words={{ on: 'deploys pushes', off: 'does not deploy pushes' }}
        />
        <Setting title="Space on the cluster" about="The name of what it has there.">
          <Copyable text={namespace} label="name" />
        </Setting>
        <Setting title="Clone" about="Another environment, in which all of this one is staged.">
          <OneAction action={clone} small />
        </Setting>
        <DeleteEnvironment environment={environment} />
      </Settings>
    </Section>
  );
}

interface FlagProps {
  environment: EnvironmentAnswer;
  field: 'production' | 'autoDeploy';
  label: string;
  about: string;
  /** Behind the environment's name: "is production". */
  words: { on: string; off: string };
}

/** A setting that is on or off. */
function Flag({ environment, field, label, about, words }: FlagProps) {
  const { trpc } = usePlane();
  const { id, name } = environment;
  const wordOf = (is: unknown) => (is === true ? words.on : words.off);
  const change = useFieldChange({
    operation: trpc.environments.change,
    path: { id },
    field,
    value: environment[field],
    word: wordOf,
    failed: 'The setting could not be changed',
    succeeded: (_, is) => `${name} ${wordOf(is)}`,
    shownBy: [trpc.environments.list.pathKey()],
  });
  return (
    <Setting title={label} about={about}>
      <Checkbox
        label={label}
        checked={environment[field]}
        disabled={!useMay('admin')}
        onChange={(is) => change.send(is)}
      />
    </Setting>
  );
}

function Cluster({ environment: { id, name, clusterId } }: { environment: EnvironmentAnswer }) {
  const { trpc } = usePlane();
  const clusters = useQuery(trpc.clusters.list.queryOptions({ query: { limit: 200 } })).data?.items ?? [];
  const wordOf = (theirs: unknown) => clusters.find((cluster) => cluster.id === theirs)?.name ?? 'none';
  const mayChange = useMay('admin');
  const change = useFieldChange({
    operation: trpc.environments.change,
    path: { id },
    field: 'clusterId',
    value: clusterId as never,
    word: wordOf,
    failed: 'The cluster could not be changed',
    succeeded: (_, to) => `${name} runs on ${wordOf(to)}`,
    shownBy: [trpc.environments.list.pathKey()],
  });
  return (
    <Setting title="Cluster" about="Where its services run.">
      {mayChange ? (
        <div className="w-52 max-w-full">
          <Select
            label="Cluster"
            value={clusterId ?? ''}
            onChange={(to) => to !== '' && change.send(to)}
            choices={[
              ...(clusterId === undefined ? [{ value: '', label: 'None yet' }] : []),
              ...clusters.map(({ id: value, name: label }) => ({ value, label })),
            ]}
          />
        </div>
      ) : (
        wordOf(clusterId)
      )}
    </Setting>
  );
}

/** The end of an environment, with what goes with it. */
function DeleteEnvironment({ environment: { id, name } }: { environment: EnvironmentAnswer }) {
  const { trpc } = usePlane();
  const navigate = useNavigate();
  const { organization = '', project = '' } = useParams({ strict: false });
  const action = deleteAction({
    role: 'admin',
    noun: 'environment',
    name,
    operation: trpc.environments.delete,
    path: { id },
    typed: name,
    elsewhere: true,
    done: () => navigate({ to: '/$organization/p/$project', params: { organization, project } }),
    touches: [trpc.deletions.pathKey(), trpc.services.pathKey(), trpc.approvals.pathKey()],
    consequences: <Consequences id={id} />,
  });
  return (
    <Setting title="Delete" about="Stops all that runs there. It can be restored until it is purged.">
      <OneAction action={action} small />
    </Setting>
  );
}

function Consequences({ id }: { id: string }) {
  const { trpc } = usePlane();
  return (
    <Impact options={trpc.environments.deletionImpact.queryOptions({ path: { id } })} lines={linesOf}>
      {(impact) => (
        <p>
          All that runs there stops at once. Its settings, variables, releases and volumes are kept, and can be restored
          from Deleted until they are purged.
          {impact?.lastEnvironment === true && ' It is the last environment of its project.'}
        </p>
      )}
    </Impact>
  );
}

function linesOf(impact: Answers['environments']['deletionImpact']): Impacts {
  const names = (list: readonly { name: string }[]) => list.map(({ name }) => name);
  return [
    { what: numbered('service stops', 'services stop'), names: names([...impact.services, ...impact.databases]) },
    {
      what: numbered(
        'service is lost for good: it was never deployed',
        'services are lost for good: they were never deployed',
      ),
      names: names(impact.stagedServices),
    },
    ...endedWith(impact),
    {
      what: numbered('variable is kept until the purge', 'variables are kept until the purge'),
      count: impact.variables,
    },
  ];
}
