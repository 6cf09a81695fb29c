import { ChevronRightIcon } from '@primer/octicons-react';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { Copyable, CopyBlock } from '../../components/copyable.tsx';
import { asSentence } from '../../components/forms/operation/values.ts';
import { Badge } from '../../components/status.tsx';
import { ClockTime, ExactTime } from '../../components/times/time.tsx';
import { withTimes } from '../../components/times/with-times.tsx';
import { type AuditRecord, actorName, deedOf, kindOfActor } from './audit-words.ts';
import type { LogFilter } from './filter.ts';

/** The details of a record as people read them. Names of fields that read badly have words of their own. */
const words: Record<string, string> = {
  allProjects: 'All projects may use it',
  amr: 'Signed in by',
  defaultClusterId: 'Default cluster',
  deletionId: 'Deletion',
  email: 'E-mail',
  ip: 'From',
  projectIds: 'Projects',
  requireMfa: 'Second factor required',
  tokenId: 'Identifier',
  tokenLifetimeSeconds: 'Token lifetime in seconds',
  token_lifetime_seconds: 'Token lifetime in seconds',
  project_ids: 'Projects',
  userId: 'Person',
  invitationId: 'Invitation',
  revokedTokens: 'Tokens revoked',
};

interface DetailLine {
  label: string;
  text: string;
}

/** `nameOf`: who is meant by an id, where that is known. */
function detailLines(details: Record<string, unknown>, nameOf: (id: string) => string | undefined): DetailLine[] {
  return Object.entries(details).map(([field, value]) => ({ label: labelOf(field), text: textOf(value, nameOf) }));
}

function labelOf(field: string): string {
  const spaced = field
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .replaceAll('_', ' ')
    .toLowerCase();
  return words[field] ?? asSentence(spaced);
}

function textOf(value: unknown, nameOf: (id: string) => string | undefined): string {
  if (value === null || value === undefined || value === '') return 'none';
  if (value === true) return 'yes';
  if (value === false) return 'no';
  if (typeof value === 'string') return nameOf(value) ?? value;
  if (Array.isArray(value)) {
    return value.length === 0 ? 'none' : value.map((one) => textOf(one, nameOf)).join(', ');
  }
  if (typeof value !== 'object') return String(value);
  if ('from' in value && 'to' in value && Object.keys(value).length === 2) {
    return `from ${textOf(value.from, nameOf)} to ${textOf(value.to, nameOf)}`;
  }
  return Object.entries(value)
    .map(([name, one]) => `${name}: ${textOf(one, nameOf)}`)
    .join('; ');
}

interface RecordProps {
  record: AuditRecord;
  nameOf: (id: string) => string | undefined;
}

/** One record as a line that opens to all of its fields. */
export function LogRecord({ record, nameOf }: RecordProps) {
  const [open, setOpen] = useState(false);
  const kind = kindOfActor(record.actor);
  return (
    <li>
      <details onToggle={(event) => setOpen(event.currentTarget.open)} className="group">
        <summary className="flex list-none items-start gap-3 px-4 py-2.5 text-sm hover:bg-hover/60 [&::-webkit-details-marker]:hidden">
          <span className="flex min-w-0 flex-1 flex-wrap items-baseline gap-x-3 gap-y-0.5">
            <span className="w-16 shrink-0 text-faint text-xs">
              <ClockTime at={record.at} />
            </span>
            <span className="min-w-0 flex-1 basis-64 break-words">
              <span className="font-medium">{actorName(record.actor)}</span> {deedOf(record)}
            </span>
            <span className="flex items-baseline gap-2 text-faint text-xs">
              {kind !== 'Person' && <Badge>{kind}</Badge>}
              {record.ip !== undefined && <span className="font-mono">{record.ip}</span>}
            </span>
          </span>
          <ChevronRightIcon className="mt-0.5 shrink-0 text-faint transition-transform duration-100 group-open:rotate-90" />
        </summary>
        {open && <RecordFacts record={record} nameOf={nameOf} />}
      </details>
    </li>
  );
}

function RecordFacts({ record, nameOf }: RecordProps) {
  const { actor, subject, details = {}, requestId } = record;
  return (
    <div className="border-line border-t bg-ground/60 py-3 pr-4 pl-[5.75rem] text-sm max-sm:pl-4">
      <dl className="flex flex-col gap-1.5">
        <Known label="When">
          <ExactTime at={record.at} />
        </Known>
        <Known label="Who">
          {actor.name} · {kindOfActor(actor)} · <Copyable text={actor.id} label="id" />
          <Only filter={{ actor: actor.id }}>All by {actor.name}</Only>
          {actor.kind === 'actor' && <Operation id={actor.id} />}
        </Known>
        {record.ip !== undefined && (
          <Known label="From">
            <Copyable text={record.ip} label="address" />
          </Known>
        )}
        <Known label="Action">
          <Copyable text={record.action} label="action" />
          <Only filter={{ action: record.action }}>All with this action</Only>
        </Known>
        <Known label="On">
          {subject.name !== undefined && `${subject.name} · `}
          <Copyable text={subject.id} label="id" />
          <Only filter={{ subject: `${subject.kind}/${subject.id}` }}>All about it</Only>
        </Known>
        {detailLines(details, nameOf).map(({ label, text }) => (
          <Known key={label} label={label}>
            {text}
          </Known>
        ))}
        {requestId !== undefined && (
          <Known label="Request">
            <Copyable text={requestId} label="request id" />
          </Known>
        )}
      </dl>
      <details className="mt-3">
        <summary className="w-fit rounded-sm text-soft hover:text-text">As JSON</summary>
        <div className="mt-2">
          <CopyBlock text={JSON.stringify(record, undefined, 2)} label="record" />
        </div>
      </details>
    </div>
  );
}

function Known({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="flex gap-x-4 max-sm:flex-col">
      <dt className="w-36 shrink-0 text-soft">{label}</dt>
      <dd className="min-w-0 flex-1 break-words">{withTimes(children)}</dd>
    </div>
  );
}

const link =
  'ml-3 whitespace-nowrap rounded-sm text-soft underline decoration-field-line underline-offset-3 hover:text-text';

/** Actions of a workflow link to its history. */
function Operation({ id }: { id: string }) {
  const workflow = id.slice(id.indexOf('/') + 1);
  return (
    <Link
      from="/$organization/audit-log"
      to="/$organization/workflows/$workflow"
      params={(params) => ({ ...params, workflow })}
      className={link}
    >
      Its history
    </Link>
  );
}

function Only({ filter, children }: { filter: LogFilter; children: ReactNode }) {
  return (
    <Link from="/$organization/audit-log" to="/$organization/audit-log" search={filter} className={link}>
      {children}
    </Link>
  );
}
