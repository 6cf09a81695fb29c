import { DownloadIcon, LogIcon } from '@primer/octicons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { saveFile } from '../../components/browser/save-file.ts';
import { Menu, MenuItem } from '../../components/dialogs/menu.tsx';
import { FilterBar } from '../../components/filter-bar/filter-bar.tsx';
import { Button } from '../../components/forms/button.tsx';
import type { Choice } from '../../components/forms/form.tsx';
import { Card, Page } from '../../components/page.tsx';
import { EmptyState, LoadedPages, NoPermission } from '../../components/states.tsx';
import { Days } from '../../components/times/days.tsx';
import { useTimes } from '../../components/times/zone.ts';
import { tellDone, tellFailure } from '../../components/toasts/told.ts';
import { usePages } from '../../control-plane/pages.ts';
import { usePlane } from '../../control-plane/plane.ts';
import { problemOf } from '../../control-plane/problem.ts';
import { useMay, useMembership } from '../../control-plane/session.ts';
import { actorName } from './audit-words.ts';
import { allRecords, type ExportFormat, exportText } from './export-log.ts';
import { type LogFilter, queryOf } from './filter.ts';
import { kindsOfDeeds } from './known-deeds.ts';
import { LogRecord } from './record.tsx';

const types = { csv: 'text/csv', ndjson: 'application/x-ndjson' } as const;

/** Exports all records that match the filters, loaded or not. */
export function ExportButton({ filter }: { filter: LogFilter }) {
  const { client } = usePlane();
  const { slug } = useMembership();
  const times = useTimes();
  const [count, setCount] = useState<number>();
  const save = async (format: ExportFormat) => {
    setCount(0);
    try {
      const query = queryOf(filter, times);
      const { records, complete } = await allRecords(
        (cursor) =>
          client.auditLog.list.query({ query: { ...query, limit: 200, ...(cursor === undefined ? {} : { cursor }) } }),
        setCount,
      );
      saveFile(`${slug}-audit-log.${format}`, exportText(records, format), types[format]);
      const said = `${records.length.toLocaleString('en')} ${records.length === 1 ? 'record' : 'records'} exported`;
      tellDone(complete ? said : `The newest ${said}; choose a time to export older ones`);
    } catch (error) {
      tellFailure('The log could not be exported', problemOf(error));
    }
    setCount(undefined);
  };
  return (
    <Menu
      label="Export what is shown"
      trigger={
        <Button icon={<DownloadIcon />} busy={count !== undefined}>
          {count === undefined ? 'Export' : `${count.toLocaleString('en')} records`}
        </Button>
      }
    >
      <MenuItem onSelect={() => void save('csv')}>As a table (CSV)</MenuItem>
      <MenuItem onSelect={() => void save('ndjson')}>As JSON lines (NDJSON)</MenuItem>
    </Menu>
  );
}

const route = getRouteApi('/$organization/audit-log');

/** Who did what, on what, when and from where. */
export function AuditLog() {
  const filter = route.useSearch();
  const mayRead = useMay('admin');
  return (
    <Page
      title="Audit log"
      about="Who did what, when and from where. Records cannot be changed."
      actions={mayRead && <ExportButton filter={filter} />}
    >
      {mayRead ? (
        <Log filter={filter} />
      ) : (
        <Card>
          <NoPermission />
        </Card>
      )}
    </Page>
  );
}

function Log({ filter }: { filter: LogFilter }) {
  const { trpc } = usePlane();
  const navigate = useNavigate({ from: '/$organization/audit-log' });
  const names = useKnownNames();
  const query = queryOf(filter, useTimes());
  const log = usePages(trpc.auditLog.list, { query });
  const show = (next: LogFilter) => void navigate({ search: next, replace: true });
  const seen = log.items?.find(({ actor }) => actor.id === filter.actor);
  return (
    <>
      <Filters
        filter={filter}
        names={names}
        stranger={seen && actorName(seen.actor)}
        thing={filter.subject === undefined ? undefined : log.items?.[0]?.subject.name}
        onChange={show}
      />
      <Card>
        <LoadedPages
          pages={log}
          empty={
            <EmptyState
              icon={<LogIcon />}
              title="No matching records"
              action={Object.keys(filter).length > 0 && <Button onClick={() => show({})}>Show everything</Button>}
            >
              No record of this organization matches the filters.
            </EmptyState>
          }
        >
          {(records) => (
            <Days items={records}>
              {(ofDay, day) => (
                <ul aria-label={`Records of ${day}`} className="divide-y divide-line">
                  {ofDay.map((record) => (
                    <LogRecord key={record.id} record={record} nameOf={names.nameOf} />
                  ))}
                </ul>
              )}
            </Days>
          )}
        </LoadedPages>
      </Card>
    </>
  );
}

interface FiltersProps {
  filter: LogFilter;
  names: KnownNames;
  /** Name of an actor who is only known from a record. */
  stranger: string | undefined;
  /** Name of the one thing that the records are about. */
  thing: string | undefined;
  onChange: (filter: LogFilter) => void;
}

/** Filters of the log, kept in the address so that a view can be shared. */
function Filters({ filter: { action, subject, ...rest }, names, stranger, thing, onChange }: FiltersProps) {
  // One chip for two filters: a single action, or all that happens to a kind of thing or to one of them.
  const what = action ?? (subject === undefined || subject.includes('/') ? subject : `${subject}/`);
  const filterOf = ({ what, ...next }: Omit<LogFilter, 'action' | 'subject'> & { what?: string }): LogFilter => {
    if (what === undefined) return next;
    if (what.endsWith('/')) return { ...next, subject: what.slice(0, -1) };
    return what.includes('/') ? { ...next, subject: what } : { ...next, action: what };
  };
  return (
    <FilterBar
      values={{ ...rest, ...(what === undefined ? {} : { what }) }}
      onChange={(next) => onChange(filterOf(next))}
      filters={[
        { name: 'what', label: 'What', choices: whatChoices(what, thing) },
        { name: 'actor', label: 'Who', choices: whoChoices(names, rest.actor, stranger) },
        { name: 'from', label: 'First day', day: true },
        { name: 'to', label: 'Last day', day: true },
      ]}
    />
  );
}

function whatChoices(what: string | undefined, thing: string | undefined): Choice[] {
  const choices = kindsOfDeeds().flatMap(({ kind, name: group, deeds }) => [
    { value: `${kind}/`, label: `${group}: all`, group },
    ...deeds.map(([action, { label }]) => ({ value: action, label: `${group}: ${label.toLowerCase()}`, group })),
  ]);
  if (what === undefined || choices.some(({ value }) => value === what)) return choices;
  return [{ value: what, label: what.includes('/') ? (thing ?? 'One thing') : what }, ...choices];
}

function whoChoices(
  { members, tokens }: KnownNames,
  actor: string | undefined,
  stranger: string | undefined,
): Choice[] {
  const choices = [
    ...members.map(({ id, label }) => ({ value: id, label, group: 'Members' })),
    ...tokens.map(({ id, label }) => ({ value: id, label, group: 'API tokens' })),
  ];
  if (actor === undefined || choices.some(({ value }) => value === actor)) return choices;
  return [...choices, { value: actor, label: stranger ?? actor, group: 'Others' }];
}

interface KnownNames {
  members: { id: string; label: string }[];
  tokens: { id: string; label: string }[];
  /** Name behind an id, if the person or thing still exists. */
  nameOf: (id: string) => string | undefined;
}

/** Names for filters and details, from the first two hundred of each kind. Records carry their own names. */
function useKnownNames(): KnownNames {
  const { trpc } = usePlane();
  const { id } = useMembership();
  const limit = 200;
  const members = useQuery(trpc.members.list.queryOptions({ path: { id }, query: { limit } })).data?.items ?? [];
  const tokens = useQuery(trpc.apiTokens.list.queryOptions({ query: { limit } })).data?.items ?? [];
  const clusters = useQuery(trpc.clusters.list.queryOptions({ query: { limit } })).data?.items ?? [];
  const names = new Map([
    ...clusters.map((cluster) => [cluster.id, cluster.name] as const),
    ...tokens.map((token) => [token.id, token.name] as const),
    ...members.map(({ userId, name }) => [userId, name] as const),
  ]);
  const twice = new Set(members.map(({ name }) => name).filter((name, index, all) => all.indexOf(name) !== index));
  return {
    members: members.map(({ userId, name, email }) => ({
      id: userId,
      label: twice.has(name) ? `${name} (${email})` : name,
    })),
    tokens: tokens.map(({ id, name }) => ({ id, label: name })),
    nameOf: (id) => names.get(id),
  };
}
