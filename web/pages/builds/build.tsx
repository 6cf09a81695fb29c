import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { OneAction } from '../../components/actions/one-action.tsx';
import { Notice } from '../../components/notice.tsx';
import { Page, Section } from '../../components/page.tsx';
import { StageList } from '../../components/stages/stage-list.tsx';
import { Time } from '../../components/times/time.tsx';
import { usePlane } from '../../control-plane/plane.ts';
import { ThingPage } from '../../frame/fallbacks/thing-page.tsx';
import { buildActions, useBuildTools } from './build-actions.tsx';
import { BuildConfig } from './build-config.tsx';
import { BuildDetection } from './build-detection.tsx';
import { BuildFacts } from './build-facts.tsx';
import { BuildStatus } from './build-status.tsx';
import { type BuildAnswer, cacheText, stagesOf, triggerWords, whyOf } from './build-words.ts';
import { BuildLog, logId } from './log/build-log.tsx';

/** The steps of a build as a timeline. */
export function BuildSteps({ build }: { build: BuildAnswer }) {
  const cached = cacheText(build.cache);
  return (
    <Section title="Steps" about={cached === '' ? undefined : `From the cache: ${cached}.`}>
      <StageList label="Steps" stages={stagesOf(build)} finishedAt={build.finishedAt} />
    </Section>
  );
}

const route = getRouteApi('/$organization/p/$project/e/$environment/s/$service/builds/$build');

/** One build: its state and why, its steps, its log as it is made, and what was found in the source. */
export function Build() {
  const { trpc } = usePlane();
  const { build: id } = route.useParams();
  const query = useQuery(trpc.builds.get.queryOptions({ path: { id } }));
  return (
    <ThingPage query={query} noun="Build">
      {(build) => <OneBuild key={build.id} build={build} />}
    </ThingPage>
  );
}

function OneBuild({ build }: { build: BuildAnswer }) {
  const tools = useBuildTools();
  return (
    <Page
      title={`Build #${build.number}`}
      width="wide"
      status={<BuildStatus build={build} />}
      about={<About build={build} />}
      actions={buildActions(build, tools).map((action) => <OneAction key={action.label} action={action} />)}
    >
      <Why build={build} />
      <div className="grid items-start gap-6 xl:grid-cols-[minmax(0,1fr)_26rem]">
        <div className="flex min-w-0 flex-col gap-6">
          <BuildSteps build={build} />
          <BuildLog build={build} />
        </div>
        <div className="flex min-w-0 flex-col gap-6">
          <BuildFacts build={build} />
          <BuildConfig build={build} />
          <BuildDetection build={build} />
        </div>
      </div>
    </Page>
  );
}

function About({ build: { serviceName, environmentName, trigger, requestedBy, createdAt } }: { build: BuildAnswer }) {
  return (
    <>
      {triggerWords[trigger] ?? trigger}: {serviceName} for {environmentName}, by {requestedBy}, <Time at={createdAt} />
    </>
  );
}

/** Errors have lines of the log in them. */
function Why({ build }: { build: BuildAnswer }) {
  const why = whyOf(build);
  if (why === undefined) return null;
  return (
    <Notice tone={why.tone} title={why.title}>
      <p className="whitespace-pre-wrap break-words">{why.text}</p>
      {build.status === 'failed' && build.logLines > 0 && (
        <button
          type="button"
          onClick={() => document.getElementById(logId)?.scrollIntoView({ block: 'start' })}
          className="rounded-sm underline underline-offset-3"
        >
          Show the log
        </button>
      )}
    </Notice>
  );
}
