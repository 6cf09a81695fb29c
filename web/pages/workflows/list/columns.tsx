import { Badge } from '../../../components/status.tsx';
import type { Column } from '../../../components/table/column.ts';
import { durationText } from '../../../components/times/durations.ts';
import { useNow } from '../../../components/times/now.ts';
import { Time } from '../../../components/times/time.tsx';
import { ActorStatus } from '../actor-status.tsx';
import type { Actor } from '../actor-words.ts';

export function columnsOf(lives: 'for-ever' | undefined): Column<Actor>[] {
  return [
    { label: 'Workflow', width: 'minmax(0, 3fr)', cell: (actor) => <What actor={actor} />, sort: ({ title }) => title },
    {
      label: 'State',
      width: '11rem',
      cell: (actor) => <ActorStatus actor={actor} />,
      sort: ({ stateTitle }) => stateTitle,
    },
    {
      label: 'Requested by',
      cell: ({ requestedBy }) => requestedBy?.name ?? '',
      sort: ({ requestedBy }) => requestedBy?.name,
      phone: 'labelled',
    },
    {
      label: 'Started',
      width: '8rem',
      cell: ({ createdAt }) => <Time at={createdAt} />,
      sort: ({ createdAt }) => createdAt,
      phone: 'labelled',
    },
    ...(lives === undefined ? [duration] : []),
  ];
}

const duration: Column<Actor> = {
  label: 'Duration',
  width: '7rem',
  cell: (actor) => <Took actor={actor} />,
  sort: ({ createdAt, finishedAt }) => took({ createdAt, finishedAt }),
  phone: 'labelled',
};

function took({ createdAt, finishedAt }: { createdAt: string; finishedAt?: string | undefined }): number {
  return (finishedAt === undefined ? Date.now() : Date.parse(finishedAt)) - Date.parse(createdAt);
}

function Took({ actor }: { actor: Actor }) {
  useNow();
  return <span className="tabular-nums">{durationText(took(actor))}</span>;
}

function What({ actor: { title, stuck, blocker, message } }: { actor: Actor }) {
  const why = blocker || message;
  return (
    <>
      <span className="inline-flex flex-wrap items-center gap-2 font-medium">
        {title}
        {stuck && <Badge tone="attention">stuck</Badge>}
      </span>
      {why !== '' && <span className="line-clamp-2 block text-soft text-sm">{why}</span>}
    </>
  );
}
