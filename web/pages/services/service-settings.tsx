import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate, useParams } from '@tanstack/react-router';
import { deleteAction } from '../../components/actions/delete-action.tsx';
import { formAction } from '../../components/actions/form-action.tsx';
import { OneAction } from '../../components/actions/one-action.tsx';
import { numbered } from '../../components/dialogs/affected-list.tsx';
import { LinesField } from '../../components/forms/area-field.tsx';
import { Checkbox } from '../../components/forms/form.tsx';
import { Setting, Settings } from '../../components/forms/setting.tsx';
import { namesText } from '../../components/names.ts';
import { Notice } from '../../components/notice.tsx';
import { Section } from '../../components/page.tsx';
import { Loaded } from '../../components/states.tsx';
import { Time } from '../../components/times/time.tsx';
import { useFieldChange } from '../../control-plane/field-change.ts';
import { usePlane } from '../../control-plane/plane.ts';
import { type Answers, useMay } from '../../control-plane/session.ts';
import { Impact, type Impacts } from '../deletions/impact.tsx';
import { BuiltBranch } from './source/branch-field.tsx';
import { asGiven, sourceLine } from './source/source.ts';
import { sourceField } from './source/source-field.tsx';
import { type Placed, useService } from './use-service.ts';

const route = getRouteApi('/$organization/p/$project/e/$environment/s/$service');

const sources: Record<Placed['service']['source']['kind'], string> = {
  image: 'The image of its releases.',
  git: 'The repository that is built for its releases.',
  upload: 'The folder that `ballast deploy` uploads, which is built for its releases.',
};

/** Settings of a service: what is the service's own, and what is wanted in this environment. */
export function ServiceSettings() {
  return <Loaded query={useService()}>{(placed) => <AllSettings {...placed} />}</Loaded>;
}

function AllSettings({ service, environment }: Placed) {
  const { trpc } = usePlane();
  const params = route.useParams();
  const { id, name, source, releaseCommand } = service;
  const shared = { role: 'deployer', operation: trpc.services.change, path: { id } } as const;
  const staged = { ...shared, query: { environmentId: environment.id }, touches: [trpc.changeSets.pathKey()] };
  const rename = formAction({
    ...shared,
    label: 'Rename',
    title: `Rename ${name}`,
    current: { name },
    fields: { name: {} },
    succeeded: 'Service renamed',
  });
  const image = formAction({
    ...staged,
    label: 'Change the source',
    current: { source: asGiven(source) },
    fields: {
      source: sourceField({
        ...params,
        projectId: service.projectId,
        service: service.slug,
        builtIn: environment,
      }) as never,
    },
    submit: 'Stage',
    succeeded: 'Source staged',
  });
  const command = formAction({
    ...staged,
    label: 'Change the release command',
    current: { releaseCommand },
    fields: {
      releaseCommand: {
        control: ({ value, onChange }) => (
          <LinesField
            name="releaseCommand"
            label="Release command"
            hint="One argument a line. Empty: none."
            value={value}
            onChange={onChange}
          />
        ),
      },
    },
    submit: 'Stage',
    succeeded: 'Release command staged',
  });
  return (
    <>
      <Section title="Service" about="The same in all environments; changed at once.">
        <Settings>
          <Setting title="Name" about={`Its short name stays ${service.slug}.`}>
            {name}
            <OneAction action={rename} small />
          </Setting>
          <SkipApproval service={service} environment={environment} />
          <DeleteService service={service} environment={environment} />
        </Settings>
      </Section>
      <Section title={`In ${environment.name}`} about="Staged; takes effect when it is deployed.">
        <Settings>
          <Setting title="Source" about={sources[source.kind] ?? 'Where its releases come from.'}>
            <code className="break-all">{sourceLine(source) || 'None yet'}</code>
            <OneAction action={image} small />
          </Setting>
          {source.kind === 'git' && <BuiltBranch source={source} environment={environment} />}
          <Setting
            title="Release command"
            about="Runs once for each release, before its instances start, where the cluster can run it; elsewhere it is refused when it is deployed."
          >
            <code className="break-all">{releaseCommand.join(' ') || 'None'}</code>
            <OneAction action={command} small />
          </Setting>
          <Remove service={service} environment={environment} />
        </Settings>
      </Section>
    </>
  );
}

function SkipApproval({ service, environment }: Placed) {
  const { trpc } = usePlane();
  const { id, skipProductionApproval: skips, skipProductionApprovalBy: by, skipProductionApprovalAt: at } = service;
  const change = useFieldChange({
    operation: trpc.services.change,
    path: { id },
    field: 'skipProductionApproval',
    value: skips,
    word: (skip) => (skip === true ? 'on' : 'off'),
    failed: 'The setting could not be changed',
    succeeded: (_, skip) => `${service.name} ${skip === true ? 'skips' : 'needs'} the approval of production`,
    shownBy: [trpc.services.list.pathKey()],
  });
  return (
    <Setting title="Approval" about="Whether its changes of production are deployed without an approval.">
      {skips && at !== undefined && (
        <span className="text-soft">
          Set by {by}, <Time at={at} />
        </span>
      )}
      <Checkbox
        label="Skip the approval of production"
        checked={skips}
        disabled={!useMay('admin')}
        onChange={(skip) => change.send(skip)}
        hint={environment.production ? 'Counts here.' : undefined}
      />
    </Setting>
  );
}

function Remove({ service, environment }: Placed) {
  const { trpc } = usePlane();
  const navigate = useNavigate();
  const remove = deleteAction({
    role: 'deployer',
    verb: 'Remove',
    noun: 'service',
    name: `${service.name} from ${environment.name}`,
    operation: trpc.changeSets.putItem,
    path: { id: environment.id },
    body: { kind: 'service.remove', serviceId: service.id },
    succeeded: `${service.name} staged to be removed`,
    done: () => navigate({ to: '..' }),
    consequences: 'The removal is staged: its instances end when it is deployed. Other environments keep it.',
  });
  return (
    <Setting title="Remove" about={`Takes it out of ${environment.name}.`}>
      <OneAction action={remove} small />
    </Setting>
  );
}

type Answer = Answers['services']['deletionImpact'];

/** The end of a service in all environments, with what goes with it. */
function DeleteService({ service }: Placed) {
  const { trpc } = usePlane();
  const navigate = useNavigate();
  const { organization = '', project = '', environment = '' } = useParams({ strict: false });
  const params = { organization, project, environment };
  const path = { id: service.id };
  const { data: impact } = useQuery(trpc.services.deletionImpact.queryOptions({ path }));
  const action = deleteAction({
    role: impact?.role ?? 'deployer',
    noun: 'service',
    name: service.name,
    operation: trpc.services.delete,
    path,
    typed: service.slug,
    elsewhere: true,
    done: () => navigate({ to: '/$organization/p/$project/e/$environment', params }),
    touches: [trpc.environments.pathKey(), trpc.changeSets.pathKey(), trpc.approvals.pathKey()],
    blocked: impact !== undefined && isBlocked(impact),
    consequences: <Consequences id={service.id} />,
  });
  return (
    <Setting title="Delete" about="Stops it in all environments. It can be restored until it is purged.">
      <OneAction action={action} small />
    </Setting>
  );
}

function Consequences({ id }: { id: string }) {
  const { trpc } = usePlane();
  return (
    <Impact options={trpc.services.deletionImpact.queryOptions({ path: { id } })} lines={linesOf}>
      {(impact) =>
        impact !== undefined && isBlocked(impact) ? (
          <Blocked impact={impact} />
        ) : (
          <p>
            It stops in all environments at once, and its addresses do not answer any more. Its settings, variables,
            releases and volumes are kept, and can be restored from Deleted until they are purged.
          </p>
        )
      }
    </Impact>
  );
}

function isBlocked({ dependents, references, heldWith }: Answer): boolean {
  return dependents.length > 0 || references.length > 0 || heldWith.length > 0;
}

function Blocked({ impact: { dependents, references, heldWith } }: { impact: Answer }) {
  return (
    <Notice tone="attention" title="It cannot be deleted yet">
      {dependents.length > 0 && (
        <p>Services depend on it: {first(dependents.map(({ name }) => name))}. Change that first.</p>
      )}
      {references.length > 0 && <p>Values refer to it: {first(references.map(referenceText))}. Change them first.</p>}
      {heldWith.length > 0 && (
        <p>
          An approval about it and other changes waits in{' '}
          {first(heldWith.map(({ environmentName }) => environmentName))}. Decide it first.
        </p>
      )}
    </Notice>
  );
}

function first(names: readonly string[]): string {
  return namesText(names, 5);
}

function referenceText({ variable, refersTo, environmentName }: Answer['references'][number]): string {
  return `${variable} to ${refersTo} in ${environmentName}`;
}

function linesOf({ environments, deployments, approvals, stagedChanges }: Answer): Impacts {
  const places = (all: readonly { environmentName: string }[]) => all.map(({ environmentName }) => environmentName);
  return [
    {
      what: numbered('environment loses it', 'environments lose it'),
      names: environments.map(({ name, live }) => (live ? name : `${name} (not live)`)),
    },
    { what: numbered('deployment is cancelled', 'deployments are cancelled'), names: places(deployments) },
    { what: numbered('approval is closed', 'approvals are closed'), names: places(approvals) },
    { what: numbered('staged change is discarded', 'staged changes are discarded'), count: stagedChanges },
  ];
}
