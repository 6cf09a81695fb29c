import { CopyFile } from '../../components/copyable.tsx';
import { Section } from '../../components/page.tsx';
import type { DeploymentAnswer } from './deployment-words.ts';

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
