import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { Badge, Status } from '../../components/status.tsx';
import { usePlane } from '../../control-plane/plane.ts';
import { EnvironmentHealth } from '../environments/environment-health.tsx';
import type { EnvironmentAnswer } from '../environments/use-environment.ts';
import { counted } from '../instances/counted.ts';

const route = getRouteApi('/$organization/p/$project');

/** The environments of a project: how each is, and how much is staged in it. */
export function EnvironmentCards({ environments }: { environments: readonly EnvironmentAnswer[] }) {
  return (
    <ul aria-label="Environments" className="grid gap-3 sm:grid-cols-2 xl:grid-cols-4">
      {environments.map((environment) => (
        <EnvironmentCard key={environment.id} environment={environment} />
      ))}
    </ul>
  );
}

function EnvironmentCard({ environment: { id, name, slug, production } }: { environment: EnvironmentAnswer }) {
  const { trpc } = usePlane();
  const params = route.useParams();
  const staged = useQuery(trpc.changeSets.draft.queryOptions({ path: { id } })).data?.items.length ?? 0;
  return (
    <li className="relative flex flex-col gap-1.5 rounded-xl border border-line bg-card px-4 py-3 shadow-card hover:bg-hover/60">
      <span className="flex items-center gap-2">
        <Link
          to="/$organization/p/$project/e/$environment"
          params={{ ...params, environment: slug }}
          className="rounded-sm font-medium after:absolute after:inset-0"
        >
          {name}
        </Link>
        {production && <Badge tone="attention">production</Badge>}
      </span>
      <EnvironmentHealth id={id} />
      {staged > 0 && <Status tone="live">{counted(staged, 'staged change')}</Status>}
    </li>
  );
}
