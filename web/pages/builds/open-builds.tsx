import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Section } from '../../components/page.tsx';
import { Rows } from '../../components/rows.tsx';
import { usePlane } from '../../control-plane/plane.ts';
import { useMembership } from '../../control-plane/session.ts';
import { useEnvironment } from '../environments/use-environment.ts';
import { buildLink } from './build-link.ts';
import { BuildRow } from './build-row.tsx';
import { BuildStatus } from './build-status.tsx';

/** One question for all services of an environment, whose rows share its answer. */
function useOpenBuilds(environmentId: string | undefined) {
  const { trpc } = usePlane();
  const query = { environmentId: environmentId ?? '', open: true, limit: 200 };
  const options = trpc.builds.list.queryOptions({ query }, { enabled: environmentId !== undefined });
  return useQuery(options).data?.items ?? [];
}

/** The build of a service that runs or waits in the environment of the address, the oldest first. */
export function Building({ serviceId }: { serviceId: string }) {
  const { slug } = useMembership();
  const build = useOpenBuilds(useEnvironment().data?.id).findLast((one) => one.serviceId === serviceId);
  if (build === undefined) return null;
  return (
    <span className="relative flex flex-wrap items-center gap-x-2">
      <Link {...buildLink(build, slug)} className="rounded-sm hover:underline">
        Build #{build.number}
      </Link>
      <BuildStatus build={build} />
    </span>
  );
}

/** The same above what serves, with what it waits for. */
export function UnderConstruction({ of }: { of: { serviceId: string; environmentId: string } }) {
  const builds = useOpenBuilds(of.environmentId).filter(({ serviceId }) => serviceId === of.serviceId);
  if (builds.length === 0) return null;
  return (
    <Section title="Being built">
      <Rows label="Being built">
        {builds.map((build) => (
          <BuildRow key={build.id} build={build} />
        ))}
      </Rows>
    </Section>
  );
}
