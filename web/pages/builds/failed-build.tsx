import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Notice } from '../../components/notice.tsx';
import { usePlane } from '../../control-plane/plane.ts';
import { useMembership } from '../../control-plane/session.ts';
import { logEnd } from './build-link.ts';
import { whyOf } from './build-words.ts';

interface FailedBuildProps {
  of: { serviceId: string; environmentId: string };
  /** The release that serves there: somebody may have deployed what was built. */
  live: string | undefined;
}

/** So many of the last builds are looked at for one that came to a result. */
const recent = 20;

/** Above what serves: the newest build that came to a result brought nothing live, why, and the way to its log. */
export function FailedBuild({ of, live }: FailedBuildProps) {
  const { trpc } = usePlane();
  const { slug } = useMembership();
  const { data } = useQuery(trpc.builds.list.queryOptions({ query: { ...of, open: false, limit: recent } }));
  const build = data?.items.find(({ status }) => status === 'failed' || status === 'succeeded');
  if (build === undefined || (build.releaseId !== undefined && build.releaseId === live)) return null;
  const why = whyOf(build);
  if (why === undefined) return null;
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
