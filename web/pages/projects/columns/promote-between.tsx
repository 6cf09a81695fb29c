import { ArrowRightIcon } from '@primer/octicons-react';
import { OneAction } from '../../../components/actions/one-action.tsx';
import { useDeploymentTools } from '../../deployments/again/deployment-tools.ts';
import { promoteAction } from '../../deployments/promotion/promote-action.tsx';
import type { ServiceAnswer } from '../../services/use-service.ts';
import { promotesFrom } from './moves.ts';
import { nextWith, type PlacedColumn } from './placed.ts';

interface PromoteBetweenProps {
  service: ServiceAnswer;
  from: PlacedColumn;
  /** The columns behind it, the next one first. */
  behind: readonly PlacedColumn[];
}

/** Between two columns: that both run the same image, or the way from the one to the other. */
export function PromoteBetween({ service, from: { environment, services }, behind }: PromoteBetweenProps) {
  const tools = useDeploymentTools();
  const here = services?.get(service.id);
  const next = nextWith(service.id, behind);
  const there = next?.services?.get(service.id);
  if (next === undefined || there === undefined || here === undefined) return null;
  const { activeReleaseId: releaseId, activeReleaseNumber: releaseNumber, activeReleaseDigest } = here;
  if (releaseId === undefined || releaseNumber === undefined) return null;
  if (there.activeReleaseDigest === activeReleaseDigest) {
    return (
      <span className="text-faint text-xs max-sm:sr-only">
        Same image<span className="sr-only"> as {next.environment.name}</span>
      </span>
    );
  }
  const release = { releaseId, releaseNumber, environmentName: environment.name };
  const named = { serviceId: service.id, serviceName: service.name };
  return (
    <OneAction
      action={promoteAction({ ...named, ...release }, next.environment, tools)}
      stop={promotesFrom(environment.id)}
      face={
        <>
          Promote <span className="sm:hidden">to {next.environment.name}</span>
          <span className="max-sm:rotate-90">
            <ArrowRightIcon size={14} />
          </span>
        </>
      }
      small
    />
  );
}
