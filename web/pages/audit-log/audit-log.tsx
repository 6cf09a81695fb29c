import { LogIcon } from '@primer/octicons-react';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { Button } from '../../components/forms/button.tsx';
import { Card, Page } from '../../components/page.tsx';
import { EmptyState, LoadedPages, NoPermission } from '../../components/states.tsx';
import { Days } from '../../components/times/days.tsx';
import { useTimes } from '../../components/times/zone.ts';
import { usePages } from '../../control-plane/pages.ts';
import { usePlane } from '../../control-plane/plane.ts';
import { useMay } from '../../control-plane/session.ts';
import { actorName } from './audit-words.ts';
import { ExportButton } from './export-button.tsx';
import { type LogFilter, queryOf } from './filter.ts';
import { Filters } from './filters.tsx';
import { useKnownNames } from './known-names.ts';
import { LogRecord } from './record.tsx';

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
