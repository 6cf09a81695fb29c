import { useState } from 'react';
import { Diff } from '../../../components/diff/diff.tsx';
import { Button } from '../../../components/forms/button.tsx';
import { Badge } from '../../../components/status.tsx';
import { Time } from '../../../components/times/time.tsx';
import { useChange } from '../../../control-plane/change.ts';
import { usePlane } from '../../../control-plane/plane.ts';
import { useMay } from '../../../control-plane/session.ts';
import type { EnvironmentAnswer } from '../use-environment.ts';
import { ApplyForm } from './apply-form.tsx';
import { byService, lineOf, type StagedItem, type StagedView } from './item-lines.ts';

interface StagedReviewProps {
  environment: EnvironmentAnswer;
  view: StagedView;
  onClose: () => void;
}

/** All staged changes by service, from and to, and the way to deploy or to discard them. */
export function StagedReview({ environment, view, onClose }: StagedReviewProps) {
  const [known] = useState(() => new Set(view.items.map(({ id }) => id)));
  const mayDeploy = useMay('deployer');
  const { items } = view;
  return (
    <div className="flex flex-col gap-4">
      {items.length === 0 && <p className="text-soft text-sm">No changes are staged any more.</p>}
      {byService(items).map(([service, changes]) => (
        <section key={service} className="overflow-hidden rounded-lg border border-line">
          <h3 className="border-line border-b bg-ground px-4 py-2 font-medium text-sm">{service}</h3>
          <Diff
            label={`Changes of ${service}`}
            lines={changes.map((item) => ({
              ...lineOf(item),
              about: <StagedBy item={item} fresh={!known.has(item.id)} />,
              actions: mayDeploy && <Discard item={item} />,
            }))}
          />
        </section>
      ))}
      {mayDeploy && items.length > 0 && <ApplyForm environment={environment} view={view} onClose={onClose} />}
    </div>
  );
}

/** `fresh`: it came while somebody was reading the others. */
function StagedBy({ item: { stagedBy, createdAt }, fresh }: { item: StagedItem; fresh: boolean }) {
  return (
    <>
      {stagedBy.name}, <Time at={createdAt} /> {fresh && <Badge tone="live">new</Badge>}
    </>
  );
}

function Discard({ item: { id, label } }: { item: StagedItem }) {
  const { client, trpc } = usePlane();
  const discard = useChange((_: undefined, sent) => client.changeSets.deleteItem.mutate({ path: { id } }, sent), {
    failed: `${label}: the change could not be discarded`,
    succeeded: `${label}: change discarded`,
    touches: () => [trpc.changeSets.pathKey()],
  });
  return (
    <Button small look="quiet" busy={discard.sending} onClick={() => discard.send(undefined)}>
      Discard<span className="sr-only"> {label}</span>
    </Button>
  );
}
