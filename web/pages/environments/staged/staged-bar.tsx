import { useQuery } from '@tanstack/react-query';
import { ActionMenu } from '../../../components/actions/action-menu.tsx';
import { deleteAction } from '../../../components/actions/delete-action.tsx';
import { Dialog } from '../../../components/dialogs/dialog.tsx';
import { useAddressDialog } from '../../../components/dialogs/use-address-dialog.ts';
import { Button } from '../../../components/forms/button.tsx';
import { Badge } from '../../../components/status.tsx';
import { usePlane } from '../../../control-plane/plane.ts';
import { useMay, useSession } from '../../../control-plane/session.ts';
import { counted } from '../../instances/counted.ts';
import type { EnvironmentAnswer } from '../use-environment.ts';
import type { StagedView } from './item-lines.ts';
import { StagedReview } from './staged-review.tsx';

/** "5 changes in 2 services and shared variables, by Ada Lovelace and you" */
function stagedSentence({ items }: Pick<StagedView, 'items'>, you: string): string {
  const places = new Set(items.map(({ serviceSlug }) => serviceSlug));
  const shared = places.delete('') ? ['shared variables'] : [];
  const where = [...(places.size > 0 ? [counted(places.size, 'service')] : []), ...shared].join(' and ');
  return `${counted(items.length, 'change')} in ${where}, by ${people(items, you)}`;
}

function people(items: StagedView['items'], you: string): string {
  const others = [...new Set(items.filter(({ stagedBy }) => stagedBy.id !== you).map(({ stagedBy }) => stagedBy.name))];
  const all = items.some(({ stagedBy }) => stagedBy.id === you) ? [...others, 'you'] : others;
  const last = all.pop() ?? '';
  return all.length === 0 ? last : `${all.join(', ')} and ${last}`;
}

/** Above the pages of an environment and of its services: the changes that wait to be deployed. Nothing while there are none. */
export function StagedBar({ environment }: { environment: EnvironmentAnswer }) {
  const { trpc } = usePlane();
  const { data } = useQuery(trpc.changeSets.draft.queryOptions({ path: { id: environment.id } }));
  const review = useAddressDialog('changes');
  const staged = data !== undefined && data.items.length > 0;
  return (
    <>
      {staged && <Bar environment={environment} view={data} onReview={review.show} />}
      {/* It outlives the last change: what was typed stays until the answer is here. */}
      <Dialog
        open={review.open && data !== undefined}
        onClose={review.close}
        title={`Staged changes of ${environment.name}`}
        wide
      >
        {data !== undefined && <StagedReview environment={environment} view={data} onClose={review.close} />}
      </Dialog>
    </>
  );
}

interface BarProps {
  environment: EnvironmentAnswer;
  view: StagedView;
  onReview: () => void;
}

function Bar({ environment, view, onReview }: BarProps) {
  const { trpc } = usePlane();
  const you = useSession()?.user.id ?? '';
  const mayDeploy = useMay('deployer');
  const { items, summary, changeSet } = view;
  const discard = deleteAction({
    role: 'deployer',
    verb: 'Discard',
    label: 'Discard all',
    noun: counted(items.length, 'change'),
    name: `the staged changes of ${environment.name}`,
    operation: trpc.changeSets.discard,
    path: { id: changeSet.id },
    succeeded: 'Staged changes discarded',
    affected: [{ what: counted(items.length, 'change'), names: items.map(({ label }) => label) }],
    consequences: 'They are dropped for everybody. Services that only these changes would add are deleted.',
  });
  return (
    <section
      aria-label="Staged changes"
      className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 rounded-xl border border-live-mark/40 bg-live-ground px-4 py-2.5 text-sm"
    >
      <p className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-1">
        <span className="font-medium">{stagedSentence(view, you)}</span>
        {summary.needsApproval && <Badge tone="attention">needs approval</Badge>}
        {summary.requiresDowntime && <Badge tone="attention">brief downtime</Badge>}
      </p>
      <div className="flex items-center gap-1">
        <Button small look={mayDeploy ? 'strong' : 'plain'} onClick={onReview}>
          {mayDeploy ? 'Review and deploy' : 'Review'}
        </Button>
        <ActionMenu label="More about the staged changes" actions={[discard]} />
      </div>
    </section>
  );
}
