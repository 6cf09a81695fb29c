import { Link } from '@tanstack/react-router';
import { release as versionOf } from '../../../domain/history-steps/in-words.ts';
import { Copyable } from '../../components/copyable.tsx';
import { Fact, Facts, Section } from '../../components/page.tsx';
import { durationText } from '../../components/times/durations.ts';
import { ExactTime, Time } from '../../components/times/time.tsx';
import { WithTimes } from '../../components/times/with-times.tsx';
import { useMay, useMembership } from '../../control-plane/session.ts';
import type { ActorDetail } from './actor-words.ts';

const link = 'underline decoration-line underline-offset-3 hover:decoration-current';

/** The subject of a workflow, why it is as it is, and who requested it. */
export function About({ actor }: { actor: ActorDetail }) {
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
