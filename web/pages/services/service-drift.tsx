import { useQuery } from '@tanstack/react-query';
import type { DialogAction } from '../../components/actions/action.ts';
import { confirmAction } from '../../components/actions/confirm-action.tsx';
import { Diff } from '../../components/diff/diff.tsx';
import { Button } from '../../components/forms/button.tsx';
import { Notice } from '../../components/notice.tsx';
import { type Sent, useChange } from '../../control-plane/change.ts';
import { usePlane } from '../../control-plane/plane.ts';
import { type Answers, useMay } from '../../control-plane/session.ts';
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
  const { client, trpc } = usePlane();
  const mayDeploy = useMay('deployer');
  const query = { environmentId: environment.id };
  const { data: differing } = useQuery(trpc.services.drift.queryOptions({ path: { id: service.id }, query }));
  const draft = useQuery(trpc.changeSets.draft.queryOptions({ path: { id: environment.id } })).data;
  const deploy = useChange(
    ({ id, revision }: { id: string; revision: number | undefined }, sent: Sent) =>
      client.changeSets.applyDraft.mutate(
        {
          path: { id },
          body: {
            source: 'console',
            deployServiceIds: [service.id],
            ...(revision === undefined ? {} : { expectedRevision: revision }),
          },
        },
        sent,
      ),
    {
      failed: `${service.name} could not be deployed`,
      succeeded: ({ approval }) => (approval === undefined ? 'Deployment started' : 'Approval requested'),
      elsewhere: true,
      touches: () => [trpc.changeSets.pathKey(), trpc.environments.pathKey(), trpc.deployments.pathKey()],
    },
  );
  if (draft === undefined) return null;
  const { changeSet, items } = draft;
  return (
    <Notice tone="attention" title={count === 0 ? 'What is applied is not live' : sentenceOf(driftWords(count))}>
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
          onClick={() => deploy.send({ id: changeSet.id, revision: changeSet.revision })}
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
  const { id, revision } = draft.changeSet;
  return confirmAction({
    role: 'deployer',
    label: 'Deploy',
    name: service.name,
    operation: trpc.changeSets.applyDraft,
    path: { id },
    body: {
      source: 'console',
      deployServiceIds: [service.id],
      ...(revision === undefined ? {} : { expectedRevision: revision }),
    },
    text: `${service.source.imageRepository} is looked up again, and runs in ${environment.name} with the settings that are applied.${environment.production ? ' In production that waits for an approval.' : ''}`,
    succeeded: ({ approval }) => (approval === undefined ? 'Deployment started' : 'Approval requested'),
    touches: [trpc.environments.pathKey(), trpc.deployments.pathKey(), trpc.approvals.pathKey()],
  });
}

type Item = Answers['services']['drift']['items'][number];

function asLine(item: Item) {
  return lineOf({ ...item, id: `${item.kind} ${item.key} ${item.label}`, toEmpty: item.to === '""' });
}

function sentenceOf(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}
