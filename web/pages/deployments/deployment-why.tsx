import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { isDeploymentFinal } from '../../../domain/deployments/states.ts';
import { CopyFile } from '../../components/copyable.tsx';
import { Notice } from '../../components/notice.tsx';
import { Section } from '../../components/page.tsx';
import { BriefTime } from '../../components/times/time.tsx';
import { usePlane } from '../../control-plane/plane.ts';
import { type Answers, useMembership } from '../../control-plane/session.ts';
import type { DeploymentAnswer } from './deployment-words.ts';

type Line = Answers['why']['deployment']['items'][number]['lines'][number];

/** The reason for a deployment's state: what it waits for or failed by, since when, what was tried, who can change it, and how. */
export function DeploymentWhy({ deployment }: { deployment: DeploymentAnswer }) {
  const { trpc } = usePlane();
  const { slug: organization } = useMembership();
  const { id, state, blocker, message, approvalId, warnings } = deployment;
  const shown = state !== 'live';
  const { data } = useQuery(trpc.why.deployment.queryOptions({ path: { id } }, { enabled: shown }));
  if (!shown) return <VisitorsGet warnings={warnings} />;
  const over = isDeploymentFinal(state);
  const tone = state === 'failed' ? 'fault' : over || blocker === '' ? 'neutral' : 'attention';
  // Until the lines are there, its row says the most important of them.
  const lines = data?.items[0]?.lines ?? (message === '' ? [] : [{ topic: 'what' as const, text: message }]);
  return (
    <Notice tone={tone} title="Why">
      {lines.map((line) => (
        <p key={line.topic}>
          <WhyText line={line} />
        </p>
      ))}
      {approvalId !== undefined && blocker === 'approval' && !over && (
        <Link
          to="/$organization/approvals/$approval"
          params={{ organization, approval: approvalId }}
          className="underline underline-offset-3"
        >
          Open the approval
        </Link>
      )}
    </Notice>
  );
}

/** Settings by which visitors of a live release get something else. It stays live. */
export function VisitorsGet({ warnings }: Pick<DeploymentAnswer, 'warnings'>) {
  if (warnings.length === 0) return null;
  return (
    <Notice tone="attention" title="Live, and visitors get something else">
      {warnings.map(({ kind, message }) => (
        <p key={kind}>{message}</p>
      ))}
    </Notice>
  );
}

/** Commands stand between backticks. */
function WhyText({ line: { text, at } }: { line: Line }) {
  const parts = text.split('`').map((part, index) => ({ part, command: index % 2 === 1, key: `${index} ${part}` }));
  return (
    <>
      {parts.map(({ part, command, key }) =>
        command ? (
          <code key={key} className="break-all">
            {part}
          </code>
        ) : (
          <span key={key}>{part}</span>
        ),
      )}
      {at !== undefined && (
        <>
          {' '}
          <BriefTime at={at} />
        </>
      )}
    </>
  );
}

/** The instance by which a rollout failed: how it ended, and the last that it wrote. */
export function DeploymentFailure({ deployment: { failure } }: { deployment: Pick<DeploymentAnswer, 'failure'> }) {
  if (failure === undefined) return null;
  const { process, instance, lines, releaseCommand } = failure;
  if (releaseCommand !== undefined) {
    if (lines.length === 0) return null;
    return (
      <Section title="The release command" about="Its whole output is in the logs, under release-command." bare>
        <CopyFile name="Its last lines" text={lines.join('\n')} />
      </Section>
    );
  }
  return (
    <Section title="The instance that failed" about={`${instance}, process ${process}: ${endOf(failure)}.`} bare>
      {lines.length > 0 && <CopyFile name="Its last lines" text={lines.join('\n')} />}
    </Section>
  );
}

function endOf({ exitCode, signal, outOfMemory }: NonNullable<DeploymentAnswer['failure']>): string {
  if (outOfMemory) return 'ended because it took more memory than its limit';
  if (signal !== '') return `ended by ${signal}`;
  return exitCode === undefined ? 'did not become healthy' : `ended with exit code ${exitCode}`;
}
