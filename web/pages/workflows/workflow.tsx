import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { Copyable } from '../../components/copyable.tsx';
import { Notice } from '../../components/notice.tsx';
import { Card, Fact, Facts, Page, Section } from '../../components/page.tsx';
import { Loaded } from '../../components/states.tsx';
import { Badge } from '../../components/status.tsx';
import { durationText, Time } from '../../components/time.tsx';
import { usePlane } from '../../control-plane/plane.ts';
import { type Answers, useMembership } from '../../control-plane/session.ts';
import { ActorStatus } from './actor-status.tsx';
import { actorTitle, subjectOf } from './actor-words.ts';
import { History } from './history.tsx';
import { askAgainAfter } from './moving.ts';
import { Pending } from './pending.tsx';

export type ActorDetail = Answers['workflows']['get'];

const route = getRouteApi('/$organization/workflows/$workflow');

/** One workflow: its subject, its pending steps and its history. */
export function Workflow() {
  const { trpc } = usePlane();
  const { workflow } = route.useParams();
  const actor = useQuery(
    trpc.workflows.get.queryOptions(
      { path: { id: workflow } },
      { refetchInterval: ({ state }) => askAgainAfter(state.data) },
    ),
  );
  const { data } = actor;
  return (
    <Page
      title={data === undefined ? 'Workflow' : actorTitle(data)}
      status={
        data !== undefined && (
          <>
            <ActorStatus actor={data} />
            {data.stuck && <Badge tone="attention">stuck</Badge>}
          </>
        )
      }
    >
      {data === undefined ? (
        <Card>
          <Loaded query={actor}>{() => null}</Loaded>
        </Card>
      ) : (
        <>
          {data.blocker !== '' && (
            <Notice tone="attention" title="Stuck">
              {data.blocker}
            </Notice>
          )}
          <About actor={data} />
          {/* A single pending step on its first attempt is already named above. */}
          {(data.pending.length > 1 || data.pending.some(({ attempt }) => attempt > 1)) && (
            <Pending pending={data.pending} />
          )}
          <History actor={data} />
        </>
      )}
    </Page>
  );
}

function About({ actor }: { actor: ActorDetail }) {
  const { slug: organization } = useMembership();
  const { kind, name, subjectId, state } = actor;
  const subject = subjectOf(kind);
  const took = actor.finishedAt === undefined ? undefined : Date.parse(actor.finishedAt) - Date.parse(actor.createdAt);
  return (
    <Section>
      <Facts>
        <Fact label="About">
          {subject !== 'cluster' || state === 'deleted' ? (
            `The ${subject} ${name}`
          ) : (
            <Link
              to="/$organization/clusters/$cluster"
              params={{ organization, cluster: subjectId }}
              className="underline decoration-line underline-offset-3 hover:decoration-current"
            >
              The cluster {name}
            </Link>
          )}
        </Fact>
        {actor.waitingFor !== '' && <Fact label="Now">{actor.waitingFor}</Fact>}
        {actor.message !== '' && <Fact label="Message">{actor.message}</Fact>}
        <Fact label="Started">
          <Time at={actor.createdAt} />
        </Fact>
        {actor.finishedAt !== undefined && (
          <Fact label="Finished">
            <Time at={actor.finishedAt} />
            {took !== undefined && <span className="text-soft">, after {durationText(took)}</span>}
          </Fact>
        )}
        <Fact label="Name in logs and Temporal">
          <Copyable text={actor.actorId} label="name" />
        </Fact>
      </Facts>
    </Section>
  );
}
