import { Diff, type DiffLine } from '../../components/diff/diff.tsx';
import { Section } from '../../components/page.tsx';
import { lineOf, type StagedItem, sharedTitle } from '../environments/staged/item-lines.ts';
import type { ApprovalAnswer } from './approval-words.tsx';

type Change = Pick<StagedItem, 'kind' | 'key' | 'label' | 'from' | 'to' | 'secret' | 'toEmpty'> & {
  processId?: string;
};
interface Released {
  number: number;
  image: string;
}
interface OfService {
  serviceSlug: string;
  /** Of staged changes; of a deployment by itself those of settings and of the configuration file, against the live release. */
  items?: Change[];
  /** Of a deployment by itself: the release that is live, and the one that is to be. */
  from?: Released | null;
  to?: Released;
  promotedFrom?: { number: number; environment: string };
}

/** The changes as they were when the approval was requested: what is decided on. */
export function ApprovalDiff({ approval: { diff } }: { approval: ApprovalAnswer }) {
  const services = Array.isArray(diff) ? (diff as unknown as OfService[]) : [];
  return services.map((service) => {
    const title = service.serviceSlug === '' ? sharedTitle : `Changes of ${service.serviceSlug}`;
    return (
      <Section key={service.serviceSlug} title={title}>
        <Diff label={title} lines={linesOf(service)} />
      </Section>
    );
  });
}

function linesOf({ items = [], from, to, promotedFrom }: OfService): DiffLine[] {
  const changes = items.map((item) =>
    lineOf({ ...item, id: `${item.kind} ${item.processId ?? ''} ${item.key} ${item.label}` }),
  );
  if (to === undefined) return changes;
  const before = (text: (release: Released) => string) =>
    from === null || from === undefined ? {} : { from: text(from) };
  const release = ({ number }: Released) => `Release ${number}`;
  const image = (one: Released) => one.image;
  const origin = promotedFrom && `Of release ${promotedFrom.number} in ${promotedFrom.environment}`;
  return [
    { id: 'release', title: 'Release', ...before(release), to: release(to) },
    {
      id: 'image',
      title: 'Image',
      ...(from?.image === to.image ? {} : before(image)),
      to: to.image,
      ...(origin === undefined ? {} : { about: origin }),
    },
    ...changes,
  ];
}
