import { useQuery } from '@tanstack/react-query';
import { CopyFile } from '../../../components/copyable.tsx';
import { Button } from '../../../components/forms/button.tsx';
import { Spinner } from '../../../components/loading.tsx';
import { Notice } from '../../../components/notice.tsx';
import { Card, Fact, Facts } from '../../../components/page.tsx';
import { Status } from '../../../components/status.tsx';
import { usePlane } from '../../../control-plane/plane.ts';
import { isPassing, problemOf } from '../../../control-plane/problem.ts';
import { ConfigFacts } from '../../builds/build-config.tsx';
import { DetectedFacts } from '../../builds/build-detection.tsx';
import { type Detected, envFileOf, keyWords, reasonOf } from './detection-words.ts';
import type { Named } from './use-branches.ts';

interface ConfigPreviewProps {
  of: Named;
  branch: string;
  context: string;
}

/** What the configuration file of the branch says. Nothing where there is none, or it could not be read: builds say why. */
function ConfigPreview({ of, branch, context }: ConfigPreviewProps) {
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

interface EnvSuggestionsProps {
  keys: Detected['envTemplate']['keys'];
  /** Of the template. */
  path: string;
}

/** More would push the form out of sight; the file to copy has all of them. */
const most = 12;

/** The variables that the template of the repository asks for, and an env file of them to fill in. */
function EnvSuggestions({ keys, path }: EnvSuggestionsProps) {
  if (keys.length === 0) return null;
  const file = envFileOf(keys);
  return (
    <Fact label="Variables">
      <p className="text-pretty text-soft">
        <code className="break-all">{path}</code> asks for these. Set them on the variables page of the service, once it
        is staged.
      </p>
      <ul className="mt-1.5 flex flex-col gap-1.5">
        {keys.slice(0, most).map((key) => (
          <li key={key.key}>
            <code className="break-all">{key.key}</code> <span className="text-soft">{keyWords(key)}</span>
            {key.comment !== '' && <span className="block text-pretty text-soft text-xs">{key.comment}</span>}
          </li>
        ))}
      </ul>
      {keys.length > most && <p className="mt-1.5 text-soft">And {keys.length - most} more.</p>}
      {file !== '' && (
        <details className="mt-2">
          <summary className="cursor-pointer rounded-sm">As an env file, for Import</summary>
          <div className="mt-1.5">
            <CopyFile name={path} text={file} />
          </div>
        </details>
      )}
    </Fact>
  );
}

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
