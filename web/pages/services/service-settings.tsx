import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { deleteAction } from '../../components/actions/delete-action.tsx';
import { formAction } from '../../components/actions/form-action.tsx';
import { OneAction } from '../../components/actions/one-action.tsx';
import { LinesField } from '../../components/forms/area-field.tsx';
import { Checkbox } from '../../components/forms/form.tsx';
import { Setting, Settings } from '../../components/forms/setting.tsx';
import { Section } from '../../components/page.tsx';
import { Loaded } from '../../components/states.tsx';
import { Time } from '../../components/times/time.tsx';
import { useFieldChange } from '../../control-plane/field-change.ts';
import { usePlane } from '../../control-plane/plane.ts';
import { useMay } from '../../control-plane/session.ts';
import { DeleteService } from './delete-service.tsx';
import { BuiltBranch } from './source/built-branch.tsx';
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
    isIt: (one: { id: string }) => one.id === id,
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
        {...(environment.production ? { hint: 'Counts here.' } : {})}
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
