import { Section } from '../../components/page.tsx';
import { Badge } from '../../components/status.tsx';
import type { Column } from '../../components/table/column.ts';
import { Table } from '../../components/table/table.tsx';
import { timeColumn } from '../../components/table/usual-columns.tsx';
import { useChange } from '../../control-plane/change.ts';
import { wholeList } from '../../control-plane/pages.ts';
import { personPlane } from '../../control-plane/plane.ts';
import { type Session, sessionQuery } from '../../control-plane/session.ts';
import { browserWords } from './browser-words.ts';

type OneSession = Session['sessions'][number];

/** Browsers in which the person is signed in; each session can be ended. */
export function Sessions({ sessions }: { sessions: Session['sessions'] }) {
  const end = useChange(
    ({ id }: OneSession, sent) => personPlane.client.auth.endSession.mutate({ path: { id } }, sent),
    {
      failed: 'The session could not be ended',
      succeeded: 'Session ended',
      meanwhile: ({ id }) => [
        {
          queryKey: sessionQuery.queryKey,
          data: (before: Session) => ({ ...before, sessions: before.sessions.filter((one) => one.id !== id) }),
        },
      ],
    },
  );
  return (
    <Section title="Sessions" about="The browsers in which you are signed in. End those that you do not recognize.">
      <Table
        label="Sessions"
        pages={wholeList(sessions, ({ id }) => id)}
        columns={columns}
        name={({ userAgent }) => browserWords(userAgent)}
        arranged={currentFirst}
        actions={(session) =>
          session.current ? [] : [{ label: 'End the session', danger: true, act: () => end.send(session) }]
        }
        empty={null}
      />
    </Section>
  );
}

const currentFirst = (sessions: readonly OneSession[]) =>
  sessions.toSorted((a, b) => Number(b.current) - Number(a.current));

const columns: Column<OneSession>[] = [
  {
    label: 'Browser',
    cell: ({ userAgent, current }) => (
      <span className="flex flex-wrap items-center gap-x-2">
        <span className="font-medium">{browserWords(userAgent)}</span>
        {current && <Badge tone="good">this browser</Badge>}
      </span>
    ),
  },
  { label: 'Address', cell: ({ ip }) => ip !== undefined && <span className="font-mono text-xs">{ip}</span> },
  timeColumn('Since', ({ createdAt }) => createdAt),
];
