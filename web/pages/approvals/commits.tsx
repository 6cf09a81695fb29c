import { Notice } from '../../components/notice.tsx';
import { Card, Section } from '../../components/page.tsx';
import { Row, Rows } from '../../components/rows.tsx';
import { Time } from '../../components/times/time.tsx';
import type { ApprovalAnswer } from './approval-words.tsx';

/** The commits since the release that is live, as far as releases name any. */
export function Commits({ approval: { commits, withoutCommits } }: { approval: ApprovalAnswer }) {
  if (commits.length === 0 && withoutCommits.length === 0) return null;
  const named = (built: boolean) => withoutCommits.filter((one) => one.built === built).map(({ name }) => name);
  const [uploaded, elsewhere] = [named(true), named(false)];
  return (
    <Section title="Commits since the live release" bare>
      <div className="flex flex-col gap-2.5">
        {uploaded.length > 0 && (
          <Notice>{`The image of ${uploaded.join(', ')} names no commit: it was built here of a folder that was uploaded.`}</Notice>
        )}
        {elsewhere.length > 0 && (
          <Notice>{`The image of ${elsewhere.join(', ')} names no commit: it was built elsewhere, and only its digest tells what is in it.`}</Notice>
        )}
        {commits.length > 0 && (
          <Card>
            <Rows label="Commits">
              {commits.map(({ sha, message, author, at }) => (
                <Row
                  key={sha}
                  title={<code>{sha.slice(0, 12)}</code>}
                  detail={message === '' ? undefined : message}
                  facts={
                    <span>
                      {author}, <Time at={at} />
                    </span>
                  }
                />
              ))}
            </Rows>
          </Card>
        )}
      </div>
    </Section>
  );
}
