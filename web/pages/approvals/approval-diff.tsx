import { Diff } from '../../components/diff/diff.tsx';
import { Section } from '../../components/page.tsx';
import { lineOf, type StagedItem } from '../environments/staged/item-lines.ts';
import type { ApprovalAnswer } from './approval-words.tsx';

type Change = Pick<StagedItem, 'kind' | 'key' | 'label' | 'from' | 'to' | 'secret' | 'toEmpty'> & {
  processId?: string;
};
interface OfService {
  serviceSlug: string;
  items: Change[];
}

/** The changes as they were when the approval was requested: what is decided on. */
export function ApprovalDiff({ approval: { diff } }: { approval: ApprovalAnswer }) {
  const services = Array.isArray(diff) ? (diff as unknown as OfService[]) : [];
  return services.map(({ serviceSlug, items }) => (
    <Section key={serviceSlug} title={`Changes of ${serviceSlug}`}>
      <Diff
        label={`Changes of ${serviceSlug}`}
        lines={items.map((item) => lineOf({ ...item, id: `${item.kind} ${item.processId ?? ''} ${item.key}` }))}
      />
    </Section>
  ));
}
