import { useQuery } from '@tanstack/react-query';
import type { DialogAction } from '../../components/actions/action.ts';
import { confirmAction } from '../../components/actions/confirm-action.tsx';
import { Diff } from '../../components/diff/diff.tsx';
import { Button } from '../../components/forms/button.tsx';
import { asSentence } from '../../components/forms/operation/values.ts';
import { Notice } from '../../components/notice.tsx';
import { useOperation } from '../../control-plane/operation.ts';
import { usePlane } from '../../control-plane/plane.ts';
import { type Answers, useMay } from '../../control-plane/session.ts';
import { begun } from '../deployments/deployment-actions.tsx';
import { lineOf } from '../environments/staged/item-lines.ts';
import type { Placed } from './use-service.ts';
import { driftWords } from './words/service-words.ts';

interface Drifting extends Placed {
  /** How many settings and variables differ. */
  count: number;
  suspended: boolean;
}

/** The applied settings are not those that serve: the last deployment failed or was cancelled, and can be tried again. */
export function ServiceDrift({ service, environment, count, suspended }: Drifting) {
  const { trpc } = usePlane();
  const mayDeploy = useMay('deployer');
  const query = { environmentId: environment.id };
  const { data: differing } = useQuery(trpc.services.drift.queryOptions({ path: { id: service.id }, query }));
  const draft = useQuery(trpc.changeSets.draft.queryOptions({ path: { id: environment.id } })).data;
  const deploy = useOperation(trpc.changeSets.applyDraft, {
    failed: `${service.name} could not be deployed`,
    succeeded: begun('Deployment started'),
    elsewhere: true,
    touches: [trpc.environments.pathKey(), trpc.deployments.pathKey()],
  });
  if (draft === undefined) return null;
  const { changeSet, items } = draft;
  return (
    <Notice tone="attention" title={count === 0 ? 'What is applied is not live' : asSentence(driftWords(count))}>
      <p>The settings of {service.name} were applied, and no deployment has brought them live.</p>
      {differing !== undefined && differing.items.length > 0 && (
        <Diff label={`Changes of ${service.name} that are not deployed`} lines={differing.items.map(asLine)} />
      )}
      {suspended && <p>It is suspended: resume it, then they can be deployed.</p>}
      {items.length > 0 && <p>Deploy or discard what is staged above; then they can be deployed as they are.</p>}
      {items.length === 0 && mayDeploy && !suspended && (
        <Button
          look="strong"
          busy={deploy.sending}
          onClick={() => deploy.send({ path: { id: changeSet.id }, body: appliedOf(service, changeSet) })}
        >
          Deploy
        </Button>
      )}
    </Notice>
  );
}

/** Deploys the applied settings once more, with the image looked up anew. Not while something is staged, which would go along. */
export function useDeployApplied({ service, environment }: Placed): DialogAction | undefined {
  const { trpc } = usePlane();
  const draft = useQuery(trpc.changeSets.draft.queryOptions({ path: { id: environment.id } })).data;
  if (draft === undefined || draft.items.length > 0) return undefined;
  return confirmAction({
    role: 'deployer',
    label: 'Deploy',
    name: service.name,
    operation: trpc.changeSets.applyDraft,
    path: { id: draft.changeSet.id },
    body: appliedOf(service, draft.changeSet),
    text: `${service.source.imageRepository} is looked up again, and runs in ${environment.name} with the settings that are applied.${environment.production ? ' In production that waits for an approval.' : ''}`,
    succeeded: begun('Deployment started'),
    touches: [trpc.environments.pathKey(), trpc.deployments.pathKey(), trpc.approvals.pathKey()],
  });
}

/** The applied settings of this service alone, as long as nothing is staged. */
function appliedOf({ id }: Placed['service'], { revision }: { revision?: number | undefined }) {
  return { source: 'console' as const, deployServiceIds: [id], expectedRevision: revision };
}

type Item = Answers['services']['drift']['items'][number];

function asLine(item: Item) {
  return lineOf({ ...item, id: `${item.kind} ${item.key} ${item.label}`, toEmpty: item.to === '""' });
}
