import type { ReactNode } from 'react';
import { Status } from '../../components/status.tsx';
import type { Column } from '../../components/table/column.ts';
import { Time } from '../../components/times/time.tsx';
import { WithTimes } from '../../components/times/with-times.tsx';

/** Deleted organizations, and what was deleted in one. */
interface DeletedThing {
  name: string;
  deletedAt: string;
  deletedBy: { name: string };
  state: string;
  restoreUntil: string;
  purgeable: boolean;
}

interface DeletedWords<Thing> {
  mark?: (thing: Thing) => ReactNode;
  /** Behind the name. */
  about: (thing: Thing) => ReactNode;
  /** Beneath it: what was in it, or what is in the way. */
  detail: (thing: Thing) => string;
}

/** Columns that tell what it was, who deleted it, and when it is purged. */
export function deletedColumns<Thing extends DeletedThing>({
  mark,
  about,
  detail,
}: DeletedWords<Thing>): Column<Thing>[] {
  return [
    {
      label: 'Name',
      cell: (thing) => (
        <span className="flex items-center gap-3">
          {mark?.(thing)}
          <span className="min-w-0 break-words">
            <span className="font-medium">{thing.name}</span> <span className="text-soft text-sm">{about(thing)}</span>
            {detail(thing) !== '' && (
              <span className="block text-soft text-sm">
                <WithTimes text={detail(thing)} />
              </span>
            )}
          </span>
        </span>
      ),
      sort: ({ name }) => name,
    },
    {
      label: 'Deleted',
      cell: ({ deletedAt, deletedBy }) => (
        <>
          <Time at={deletedAt} /> by {deletedBy.name}
        </>
      ),
      sort: ({ deletedAt }) => deletedAt,
      phone: 'labelled',
    },
    { label: 'State', cell: (thing) => <State of={thing} />, sort: ({ state }) => state },
  ];
}

function State({ of: { state, restoreUntil, purgeable } }: { of: DeletedThing }) {
  if (state === 'failed') return <Status tone="fault">Purge failed</Status>;
  if (state === 'purging') return <Status tone="live">Purging</Status>;
  if (!purgeable) return <Status tone="live">Waiting to be purged</Status>;
  return (
    <Status tone="neutral">
      <span>
        Purged <Time at={restoreUntil} />
      </span>
    </Status>
  );
}
