import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { deleteAction } from '../../components/actions/delete-action.tsx';
import { OneAction } from '../../components/actions/one-action.tsx';
import { numbered } from '../../components/dialogs/affected-list.tsx';
import { Setting } from '../../components/forms/setting.tsx';
import { namesText } from '../../components/names.ts';
import { Notice } from '../../components/notice.tsx';
import { usePlane } from '../../control-plane/plane.ts';
import type { Answers } from '../../control-plane/session.ts';
import { Impact, type Impacts } from '../deletions/impact.tsx';
import type { Placed } from './use-service.ts';

type Answer = Answers['services']['deletionImpact'];

/** The end of a service in all environments, with what goes with it. */
export function DeleteService({ service }: Placed) {
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
