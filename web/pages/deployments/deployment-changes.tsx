import { useQuery } from '@tanstack/react-query';
import { Diff } from '../../components/diff/diff.tsx';
import { Card, Section } from '../../components/page.tsx';
import { EmptyState, Loaded } from '../../components/states.tsx';
import { usePlane } from '../../control-plane/plane.ts';
import { byService, lineOf } from '../environments/staged/item-lines.ts';
import { ChangeSetStrip } from './again/change-set-strip.tsx';
import type { DeploymentAnswer } from './deployment-words.ts';

/** The changes that a deployment brought, and those that its change set brought elsewhere. */
export function DeploymentChanges({ deployment }: { deployment: DeploymentAnswer }) {
  const { changeSetId } = deployment;
  if (changeSetId !== undefined) return <OfChangeSet id={changeSetId} />;
  return (
    <Card>
      <EmptyState title="No staged changes">
        It runs release {deployment.releaseNumber} as it was frozen: the same image, settings and variables.
      </EmptyState>
    </Card>
  );
}

function OfChangeSet({ id }: { id: string }) {
  const { trpc } = usePlane();
  const query = useQuery(trpc.changeSets.get.queryOptions({ path: { id } }));
  return (
    <Loaded query={query}>
      {({ changeSet, items }) => (
        <>
          <ChangeSetStrip changeSet={changeSet} />
          {byService(items).map(([service, changes]) => (
            <Section key={service} title={service}>
              <Diff
                label={`Changes of ${service}`}
                lines={changes.map((item) => ({ ...lineOf(item), about: item.stagedBy.name }))}
              />
            </Section>
          ))}
        </>
      )}
    </Loaded>
  );
}
