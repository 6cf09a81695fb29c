import { Link } from '@tanstack/react-router';
import { OneAction } from '../../components/actions/one-action.tsx';
import { type Sent, useChange } from '../../control-plane/change.ts';
import { usePlane } from '../../control-plane/plane.ts';
import { useMembership } from '../../control-plane/session.ts';
import { deploymentLink } from '../deployments/deployment-words.ts';
import { counted } from '../instances/counted.ts';
import type { Attention } from './attention-words.ts';

type Loosening = NonNullable<Attention['loosening']>;

/** What went to production while a guard was loosened, with the way to each. */
export function DeployedMeanwhile({ loosening: { deployed, deployedCount } }: { loosening: Loosening }) {
  const { slug } = useMembership();
  if (deployedCount === 0) return <p className="text-soft text-sm">Nothing was deployed to production meanwhile.</p>;
  return (
    <div className="text-sm">
      <p>Deployed to production meanwhile:</p>
      <ul aria-label="Deployed meanwhile">
        {deployed.map(({ id, serviceName, releaseNumber, environmentName, projectName }) => (
          <li key={id}>
            <Link {...deploymentLink({ id }, slug)} className="break-words underline underline-offset-3">
              Release {releaseNumber} of {serviceName} to {environmentName} of {projectName}
            </Link>
          </li>
        ))}
      </ul>
      {deployedCount > deployed.length && <p>and {counted(deployedCount - deployed.length, 'earlier deployment')}.</p>}
    </div>
  );
}

/** Makes the guard again what it was, by one click; nothing where it was changed again. */
export function UndoLoosening({ loosening: { id, endedAt } }: { loosening: Loosening }) {
  const { client, trpc } = usePlane();
  const change = useChange((_: undefined, sent: Sent) => client.guards.undo.mutate({ path: { id } }, sent), {
    failed: 'It could not be undone',
    succeeded: 'Undone',
    touches: () => [trpc.attention.pathKey()],
  });
  if (endedAt !== undefined) return null;
  return <OneAction small action={{ label: 'Undo', act: () => change.send(undefined) }} />;
}
