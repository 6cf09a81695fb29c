import { DownloadIcon, LogIcon } from '@primer/octicons-react';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { Menu, MenuItem } from '../../components/dialogs/menu.tsx';
import { Button } from '../../components/forms/button.tsx';
import { Card, Page } from '../../components/page.tsx';
import { saveFile } from '../../components/save-file.ts';
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
import { Filters } from './filters.tsx';
import { useKnownNames } from './known-names.ts';
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
