import { useQuery } from '@tanstack/react-query';
import { Button } from '../../../components/forms/button.tsx';
import { Spinner } from '../../../components/loading.tsx';
import { Notice } from '../../../components/notice.tsx';
import { Card, Facts } from '../../../components/page.tsx';
import { Status } from '../../../components/status.tsx';
import { usePlane } from '../../../control-plane/plane.ts';
import { isPassing, problemOf } from '../../../control-plane/problem.ts';
import { DetectedFacts } from '../../builds/build-detection.tsx';
import { ConfigPreview } from './config-preview.tsx';
import { type Detected, reasonOf } from './detection-words.ts';
import { EnvSuggestions } from './env-suggestions.tsx';
import type { Named } from './use-branches.ts';

interface DetectionPreviewProps {
  of: Named;
  branch: string;
  context: string;
}

/** What a build of the branch would find in the repository. Nothing depends on it: the service is made without it, too. */
export function DetectionPreview({ of, branch, context }: DetectionPreviewProps) {
  const { client, trpc } = usePlane();
  const body = { ...of, branch, context };
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: [...trpc.repositoryConfig.detectProject.mutationKey(), body],
    queryFn: async ({ signal }) => await client.repositoryConfig.detectProject.mutate({ body }, { signal }),
    retry: (failures, failure) => isPassing(failure) && failures < 1,
    // The branch may move; the event stream tells nothing of that.
    staleTime: 60_000,
  });
  const name = 'gitUrl' in of ? of.gitUrl : of.repository;
  return (
    <section aria-label="What is in the repository" className="flex flex-col gap-3">
      <p role="status" className={isFetching ? 'flex items-start gap-2 text-soft text-sm' : 'sr-only'}>
        {isFetching ? (
          <>
            <span className="mt-0.5">
              <Spinner />
            </span>
            <span className="min-w-0 break-words">
              Reading {branch} of {name}…
            </span>
          </>
        ) : (
          data !== undefined &&
          (data.message === '' ? 'The repository can be built.' : 'The repository cannot be built.')
        )}
      </p>
      {error !== null && !isFetching && (
        <Notice tone="attention" title="The repository could not be looked at">
          <p className="break-words">{reasonOf(problemOf(error), branch)}</p>
          <p className="mt-1">The service can be staged all the same; its build then needs the repository.</p>
          <div className="mt-2">
            <Button small onClick={() => void refetch()}>
              Try again
            </Button>
          </div>
        </Notice>
      )}
      {data !== undefined && !isFetching && (
        <>
          <Found found={data} branch={branch} />
          <ConfigPreview of={of} branch={branch} context={context} />
        </>
      )}
    </section>
  );
}

function Found({ found: { commit, message, result, envTemplate }, branch }: { found: Detected; branch: string }) {
  return (
    <>
      {message !== '' && (
        <Notice tone="attention" title="It cannot be built as it is">
          <p className="whitespace-pre-wrap break-words">{message}</p>
        </Notice>
      )}
      <Card>
        <div className="flex flex-wrap items-center justify-between gap-x-3 border-line border-b px-4 py-2.5 text-sm">
          <span className="min-w-0 break-words">
            Found in {branch} <span className="text-soft">at</span> <code>{commit.slice(0, 8)}</code>
          </span>
          <Status tone={result.buildable ? 'good' : 'attention'}>
            {result.buildable ? 'Can be built' : 'Cannot be built yet'}
          </Status>
        </div>
        <Facts>
          <DetectedFacts found={result} />
          <EnvSuggestions keys={envTemplate.keys} path={envTemplate.source?.path ?? ''} />
        </Facts>
      </Card>
    </>
  );
}
