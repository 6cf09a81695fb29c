import { Section } from '../../components/page.tsx';
import { Row, Rows } from '../../components/rows.tsx';
import { Time } from '../../components/times/time.tsx';
import type { Answers } from '../../control-plane/session.ts';

/** Pending steps of a workflow, with their attempts. */
export function Pending({ pending }: { pending: Answers['workflows']['get']['pending'] }) {
  return (
    <Section title="In progress">
      <Rows label="In progress">
        {pending.map(({ what, attempt, lastFailure, nextAttemptAt, since }) => (
          <Row
            key={`${what} ${since}`}
            title={what}
            {...(lastFailure === '' ? {} : { detail: `The last attempt failed: ${lastFailure}` })}
            facts={
              <>
                {attempt > 1 && <span>attempt {attempt}</span>}
                {nextAttemptAt !== undefined && (
                  <span>
                    {lastFailure === '' ? 'times out' : 'retried'} <Time at={nextAttemptAt} />
                  </span>
                )}
                <span>
                  started <Time at={since} />
                </span>
              </>
            }
          />
        ))}
      </Rows>
    </Section>
  );
}
