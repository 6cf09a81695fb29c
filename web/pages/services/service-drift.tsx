import { useQuery } from '@tanstack/react-query';
import { Button } from '../../components/forms/button.tsx';
import { Notice } from '../../components/notice.tsx';
import { type Sent, useChange } from '../../control-plane/change.ts';
import { usePlane } from '../../control-plane/plane.ts';
import { useMay } from '../../control-plane/session.ts';
import type { Placed } from './use-service.ts';

/** The applied settings are not those that serve: the last deployment failed or was cancelled, and can be tried again. */
export function ServiceDrift({ service, environment }: Placed) {
  const { client, trpc } = usePlane();
  const mayDeploy = useMay('deployer');
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
    <Notice tone="attention" title="What is applied is not live">
      <p>The settings of {service.name} were applied, and no deployment has brought them live.</p>
      {items.length > 0 && <p>Deploy or discard what is staged above; then they can be deployed as they are.</p>}
      {items.length === 0 && mayDeploy && (
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
