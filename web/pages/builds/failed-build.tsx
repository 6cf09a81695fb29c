import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Notice } from '../../components/notice.tsx';
import { usePlane } from '../../control-plane/plane.ts';
import { useMembership } from '../../control-plane/session.ts';
import { logEnd } from './build-link.ts';
import { whyOf } from './build-words.ts';

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
