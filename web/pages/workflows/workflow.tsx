import { DownloadIcon } from '@primer/octicons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { Button } from '../../components/forms/button.tsx';
import { Notice } from '../../components/notice.tsx';
import { Page, Section } from '../../components/page.tsx';
import { Row, Rows } from '../../components/rows.tsx';
import { saveFile } from '../../components/save-file.ts';
import { StageList } from '../../components/stages/stage-list.tsx';
import { Badge } from '../../components/status.tsx';
import { Time } from '../../components/times/time.tsx';
import { tellDone, tellFailure } from '../../components/toasts/told.ts';
import { usePlane } from '../../control-plane/plane.ts';
import { problemOf } from '../../control-plane/problem.ts';
import { type Answers, useMay } from '../../control-plane/session.ts';
import { ThingPage } from '../../frame/fallbacks/thing-page.tsx';
import { useVisited } from '../../frame/palette/recent.ts';
import { About } from './about.tsx';
import { ActorStatus } from './actor-status.tsx';
import type { ActorDetail } from './actor-words.ts';
import { askAgainAfter } from './moving.ts';
import { History } from './timeline/history.tsx';

/** The history as a file that replays. */
export function ExportButton({ actor: { id, kind } }: { actor: Pick<ActorDetail, 'id' | 'kind'> }) {
  const { client } = usePlane();
  const [busy, setBusy] = useState(false);
  const save = async () => {
    setBusy(true);
    try {
      const { events } = await client.workflows.export.mutate({ path: { id } });
      saveFile(`${kind}-${id}.json`, `${JSON.stringify({ events }, undefined, 2)}\n`, 'application/json');
      tellDone('History exported');
    } catch (error) {
      tellFailure('The history could not be exported', problemOf(error));
    }
    setBusy(false);
  };
  return (
    <Button icon={<DownloadIcon />} busy={busy} onClick={() => void save()}>
      Export history
    </Button>
  );
}

/** Pending steps of a workflow, with their attempts. */
export function Pending({ pending }: { pending: Answers['workflows']['get']['pending'] }) {
  return (
    <Section title="In progress">
      <Rows label="In progress">
        {pending.map(({ what, attempt, lastFailure, nextAttemptAt, since }) => (
          <Row
            key={`${what} ${since}`}
            title={what}
            {...(lastFailure === '' ? {} : { detail: `The last attempt failed: ${lastFailure}` })}
            facts={
              <>
                {attempt > 1 && <span>attempt {attempt}</span>}
                {nextAttemptAt !== undefined && (
                  <span>
                    {lastFailure === '' ? 'times out' : 'retried'} <Time at={nextAttemptAt} />
                  </span>
                )}
                <span>
                  started <Time at={since} />
                </span>
              </>
            }
          />
        ))}
      </Rows>
    </Section>
  );
}

/** More states than these tell nothing more about a long-lived workflow. */
const mostStates = 8;

/** The parts of its way with their durations, or of a long-lived one the states that it was in lately. */
export function Stages({ actor }: { actor: Pick<ActorDetail, 'lives' | 'stages' | 'createdAt' | 'finishedAt'> }) {
  const { lives, stages, finishedAt } = actor;
  if (stages.length === 0) return null;
  const once = lives === 'once';
  const title = once ? 'Stages' : 'States';
  return (
    <Section title={title}>
      <StageList
        label={title}
        stages={once ? stages : stages.slice(-mostStates).toReversed()}
        finishedAt={finishedAt}
        once={once}
      />
    </Section>
  );
}

const route = getRouteApi('/$organization/workflows/$workflow');

/** One workflow of any kind: what, why and who; its stages; its history. */
export function Workflow() {
  const { trpc } = usePlane();
  const { workflow } = route.useParams();
  const mayExport = useMay('admin');
  const actor = useQuery(
    trpc.workflows.get.queryOptions(
      { path: { id: workflow } },
      { refetchInterval: ({ state }) => askAgainAfter(state.data) },
    ),
  );
  useVisited('workflow', workflow, actor.data?.title);
  return (
    <ThingPage query={actor} noun="Workflow" width="wide">
      {(data) => (
        <Page
          title={data.title}
          width="wide"
          status={
            <>
              <ActorStatus actor={data} />
              {data.stuck && <Badge tone="attention">stuck</Badge>}
            </>
          }
          actions={mayExport && <ExportButton actor={data} />}
        >
          {data.blocker !== '' && (
            <Notice tone="attention" title="Stuck">
              {data.blocker}
            </Notice>
          )}
          <About actor={data} />
          <Stages actor={data} />
          {/* A single pending step on its first attempt is already named above. */}
          {(data.pending.length > 1 || data.pending.some(({ attempt }) => attempt > 1)) && (
            <Pending pending={data.pending} />
          )}
          <History key={data.id} actor={data} />
        </Page>
      )}
    </ThingPage>
  );
}
