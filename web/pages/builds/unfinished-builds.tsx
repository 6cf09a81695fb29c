import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Notice } from '../../components/notice.tsx';
import { Section } from '../../components/page.tsx';
import { Rows } from '../../components/rows.tsx';
import { usePlane } from '../../control-plane/plane.ts';
import { useMembership } from '../../control-plane/session.ts';
import { useEnvironment } from '../environments/use-environment.ts';
import { BuildRow, BuildStatus } from './build-status.tsx';
import { buildLink, logEnd, whyOf } from './build-words.ts';

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

interface FailedBuildProps {
  of: { serviceId: string; environmentId: string };
}

/** Above what serves: the newest build that came to a result brought nothing live, why, and the way to its log. */
export function FailedBuild({ of }: FailedBuildProps) {
  const { trpc } = usePlane();
  const { slug } = useMembership();
  const { data } = useQuery(trpc.builds.list.queryOptions({ query: { ...of, unresolved: true, limit: 1 } }));
  const [build] = data?.items ?? [];
  const why = build && whyOf(build);
  if (build === undefined || why === undefined) return null;
  const failed = build.status === 'failed';
  const [first] = why.text.split('\n');
  return (
    <Notice
      tone={why.tone}
      title={failed ? `Build #${build.number} failed` : `Build #${build.number} was not deployed`}
    >
      <p className="break-words">{first?.replace(/ Its last lines:$/, '')}</p>
      <Link {...logEnd(build, slug)} className="underline underline-offset-3">
        {failed && build.logLines > 0 ? 'Open its log' : 'Open the build'}
      </Link>
    </Notice>
  );
}
