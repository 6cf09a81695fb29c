import { Button } from '../../components/forms/button.tsx';
import { Section } from '../../components/page.tsx';
import { Row, Rows } from '../../components/rows.tsx';
import { Badge } from '../../components/status.tsx';
import { Time } from '../../components/times/time.tsx';
import { useChange } from '../../control-plane/change.ts';
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
  // The current session comes first.
  const sorted = sessions.toSorted((a, b) => Number(b.current) - Number(a.current));
  return (
    <Section title="Sessions" about="The browsers in which you are signed in. End those that you do not recognize.">
      <Rows label="Sessions">
        {sorted.map((session) => {
          const browser = browserWords(session.userAgent);
          return (
            <Row
              key={session.id}
              title={browser}
              badges={session.current && <Badge tone="good">this browser</Badge>}
              detail={
                <>
                  {session.ip !== undefined && <span className="font-mono text-xs">{session.ip} · </span>}
                  since <Time at={session.createdAt} />
                </>
              }
              actions={
                !session.current && (
                  <Button small onClick={() => end.send(session)} aria-label={`End the session of ${browser}`}>
                    End
                  </Button>
                )
              }
            />
          );
        })}
      </Rows>
    </Section>
  );
}
