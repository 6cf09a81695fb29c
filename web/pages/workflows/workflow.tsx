import { DownloadIcon } from '@primer/octicons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { release as versionOf } from '../../../domain/history-steps/in-words.ts';
import { saveFile } from '../../components/browser/save-file.ts';
import { Copyable } from '../../components/copyable.tsx';
import { Button } from '../../components/forms/button.tsx';
import { Notice } from '../../components/notice.tsx';
import { Fact, Facts, Page, Section } from '../../components/page.tsx';
import { Row, Rows } from '../../components/rows.tsx';
import { StageList } from '../../components/stages/stage-list.tsx';
import { Badge } from '../../components/status.tsx';
import { durationText } from '../../components/times/durations.ts';
import { ExactTime, Time } from '../../components/times/time.tsx';
import { WithTimes } from '../../components/times/with-times.tsx';
import { tellDone, tellFailure } from '../../components/toasts/told.ts';
import { usePlane } from '../../control-plane/plane.ts';
import { problemOf } from '../../control-plane/problem.ts';
import { type Answers, useMay, useMembership } from '../../control-plane/session.ts';
import { ThingPage } from '../../frame/fallbacks/thing-page.tsx';
import { useVisited } from '../../frame/palette/recent.ts';
import { ActorStatus } from './actor-status.tsx';
import { type ActorDetail, askAgainAfter } from './actor-words.ts';
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
            detail={lastFailure === '' ? undefined : `The last attempt failed: ${lastFailure}`}
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

const link = 'underline decoration-line underline-offset-3 hover:decoration-current';

/** The subject of a workflow, why it is as it is, and who requested it. */
function About({ actor }: { actor: ActorDetail }) {
  const { about, waitingFor, message, release, createdAt, finishedAt } = actor;
  return (
    <Section>
      <Facts>
        <Fact label="About">
          <Subject actor={actor} />
          {about !== '' && (
            <span className="block text-soft">
              <WithTimes text={about} />
            </span>
          )}
        </Fact>
        {waitingFor !== '' && <Fact label="Now">{waitingFor}</Fact>}
        {message !== '' && <Fact label="Message">{message}</Fact>}
        {actor.requestedBy !== undefined && (
          <Fact label="Requested by">
            <Requester actor={actor} by={actor.requestedBy} />
          </Fact>
        )}
        {release !== undefined && (
          <Fact label="Release">
            <Copyable text={release} shown={versionOf(release)} label="release" />
          </Fact>
        )}
        <Fact label="Started">
          <ExactTime at={createdAt} /> <span className="text-soft">({<Time at={createdAt} />})</span>
        </Fact>
        {finishedAt !== undefined && (
          <Fact label="Finished">
            <ExactTime at={finishedAt} />
            <span className="text-soft">, after {durationText(Date.parse(finishedAt) - Date.parse(createdAt))}</span>
          </Fact>
        )}
        <Fact label="Name in logs and Temporal">
          <Copyable text={actor.actorId} label="name" />
        </Fact>
      </Facts>
    </Section>
  );
}

function Subject({ actor: { subjectKind, subjectId, name, state, lives } }: { actor: ActorDetail }) {
  const { slug: organization } = useMembership();
  // Other workflows are about something in the thing that they belong to, and their name says it.
  const text = ['cluster', 'organization'].includes(subjectKind) ? `The ${subjectKind} ${name}` : name;
  return (
    <>
      {subjectKind === 'cluster' && state !== 'deleted' ? (
        <Link to="/$organization/clusters/$cluster" params={{ organization, cluster: subjectId }} className={link}>
          {text}
        </Link>
      ) : (
        text
      )}
      <Link
        to="/$organization/workflows"
        params={{ organization }}
        search={{ about: subjectId }}
        className={`ml-3 text-soft ${link}`}
      >
        {lives === 'once' ? 'Other workflows about it' : 'Workflows about it'}
      </Link>
    </>
  );
}

const kinds = { user: 'person', token: 'API token', machine: 'Ballast', actor: 'workflow' } as const;

function Requester({ actor, by }: { actor: ActorDetail; by: NonNullable<ActorDetail['requestedBy']> }) {
  const { slug: organization } = useMembership();
  const mayReadLog = useMay('admin');
  const { subjectKind, subjectId } = actor;
  return (
    <>
      {by.name} <span className="text-soft">({kinds[by.kind]})</span>
      {mayReadLog && (
        <Link
          to="/$organization/audit-log"
          params={{ organization }}
          search={{ actor: by.id, subject: `${subjectKind}/${subjectId}` }}
          className={`ml-3 text-soft ${link}`}
        >
          Audit record
        </Link>
      )}
      {by.requestId !== undefined && (
        <span className="block text-soft">
          Request <Copyable text={by.requestId} label="request id" />
        </span>
      )}
    </>
  );
}
