import { ChevronRightIcon } from '@primer/octicons-react';
import { type ReactNode, useState } from 'react';
import { Diff } from '../../../components/diff/diff.tsx';
import { SearchField } from '../../../components/filter-bar/search-field.tsx';
import { Button } from '../../../components/forms/button.tsx';
import { Badge } from '../../../components/status.tsx';
import { Time } from '../../../components/times/time.tsx';
import { useOperation } from '../../../control-plane/operation.ts';
import { usePlane } from '../../../control-plane/plane.ts';
import { useMay } from '../../../control-plane/session.ts';
import { counted } from '../../instances/counted.ts';
import type { EnvironmentAnswer } from '../use-environment.ts';
import { ApplyForm } from './apply-form.tsx';
import { byService, lineOf, type StagedItem, type StagedView } from './item-lines.ts';

interface StagedReviewProps {
  environment: EnvironmentAnswer;
  view: StagedView;
  onClose: () => void;
}

const words = new Intl.Collator('en', { numeric: true });

/** Of more services than these each is closed at first, and can be looked for. */
const fewServices = 8;

/**
 * All staged changes by service, from and to, and the way to deploy or to discard them. They scroll by themselves, so that the form
 * beneath is in sight however many there are.
 */
export function StagedReview({ environment, view, onClose }: StagedReviewProps) {
  const [known] = useState(() => new Set(view.items.map(({ id }) => id)));
  const [find, setFind] = useState('');
  const mayDeploy = useMay('deployer');
  const { items } = view;
  const staged = byService(items);
  const many = staged.length > fewServices;
  // Few stay in the order in which they were staged; among many one looks for a name.
  const services = many ? staged.toSorted(([one], [other]) => words.compare(one, other)) : staged;
  const shown = found(services, find);
  return (
    <div className="flex flex-col gap-4">
      {items.length === 0 && <p className="text-soft text-sm">No changes are staged any more.</p>}
      {many && (
        <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
          <SearchField label="Find a service or a change" placeholder="Find…" value={find} onChange={setFind} />
          <p role="status" className="text-soft text-sm">
            {find === ''
              ? `${counted(items.length, 'change')} in ${counted(services.length, 'place')}`
              : `${shown.length} of ${services.length}`}
          </p>
        </div>
      )}
      <section aria-label="Changes" className="flex max-h-[52dvh] flex-col gap-4 overflow-y-auto rounded-lg">
        {shown.map(([service, changes]) => (
          <OfService
            key={`${service} ${find}`}
            service={service}
            open={!many || find !== ''}
            fresh={changes.some(({ id }) => !known.has(id))}
            count={changes.length}
          >
            <Diff
              label={`Changes of ${service}`}
              lines={changes.map((item) => ({
                ...lineOf(item),
                about: <StagedBy item={item} fresh={!known.has(item.id)} />,
                actions: mayDeploy && <Discard item={item} />,
              }))}
            />
          </OfService>
        ))}
      </section>
      {mayDeploy && items.length > 0 && <ApplyForm environment={environment} view={view} onClose={onClose} />}
    </div>
  );
}

/** Those whose service is called so, whole; of others the changes that are. */
function found(services: readonly [string, StagedItem[]][], find: string): readonly [string, StagedItem[]][] {
  const has = (text: string) => text.toLowerCase().includes(find.toLowerCase());
  if (find === '') return services;
  return services
    .map(([service, changes]): [string, StagedItem[]] => [
      service,
      has(service) ? changes : changes.filter(({ label }) => has(label)),
    ])
    .filter(([, changes]) => changes.length > 0);
}

interface OfServiceProps {
  service: string;
  open: boolean;
  count: number;
  fresh: boolean;
  children: ReactNode;
}

/** Its changes are rendered while it is open. */
function OfService({ service, open: opened, count, fresh, children }: OfServiceProps) {
  const [open, setOpen] = useState(opened);
  return (
    <details
      open={opened}
      onToggle={(event) => setOpen(event.currentTarget.open)}
      className="group shrink-0 overflow-hidden rounded-lg border border-line"
    >
      <summary className="flex list-none items-center gap-2 bg-ground px-4 py-2 text-sm hover:bg-hover/60 group-open:border-line group-open:border-b [&::-webkit-details-marker]:hidden">
        <ChevronRightIcon className="shrink-0 text-faint transition-transform duration-100 group-open:rotate-90" />
        <h3 className="min-w-0 flex-1 break-words font-medium">{service}</h3>
        {fresh && <Badge tone="live">new</Badge>}
        <span className="text-soft text-xs">{counted(count, 'change')}</span>
      </summary>
      {open && children}
    </details>
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
  const discard = useOperation(usePlane().trpc.changeSets.deleteItem, {
    failed: `${label}: the change could not be discarded`,
    succeeded: `${label}: change discarded`,
  });
  return (
    <Button small look="quiet" busy={discard.sending} onClick={() => discard.send({ path: { id } })}>
      Discard<span className="sr-only"> {label}</span>
    </Button>
  );
}
