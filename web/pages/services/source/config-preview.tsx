import { useQuery } from '@tanstack/react-query';
import { Card, Facts } from '../../../components/page.tsx';
import { Status } from '../../../components/status.tsx';
import { usePlane } from '../../../control-plane/plane.ts';
import { isPassing } from '../../../control-plane/problem.ts';
import { ConfigFacts } from '../../builds/config/build-config.tsx';
import type { Named } from './use-branches.ts';

interface ConfigPreviewProps {
  of: Named;
  branch: string;
  context: string;
}

/** What the configuration file of the branch says. Nothing where there is none, or it could not be read: builds say why. */
export function ConfigPreview({ of, branch, context }: ConfigPreviewProps) {
  const { client, trpc } = usePlane();
  const body = { ...of, branch, context };
  const { data } = useQuery({
    queryKey: [...trpc.repositoryConfig.detect.mutationKey(), body],
    queryFn: async ({ signal }) => await client.repositoryConfig.detect.mutate({ body }, { signal }),
    retry: (failures, failure) => isPassing(failure) && failures < 1,
    staleTime: 60_000,
  });
  if (data === undefined || data.status === 'absent') return null;
  const { path, status, services, problems } = data;
  const sections = services.length === 0 ? '' : ` Services with sections of their own: ${services.join(', ')}.`;
  const summary = `${data.summary}${sections}${data.message === '' ? '' : ` ${data.message}`}`;
  return (
    <Card>
      <div className="flex flex-wrap items-center justify-between gap-x-3 border-line border-b px-4 py-2.5 text-sm">
        <span className="min-w-0 break-words">Configuration file</span>
        <Status tone={status === 'ok' ? 'good' : 'attention'}>{status === 'ok' ? 'Is used' : 'Has problems'}</Status>
      </div>
      <Facts>
        <ConfigFacts told={{ path, commit: '', summary, problems }} />
      </Facts>
    </Card>
  );
}
