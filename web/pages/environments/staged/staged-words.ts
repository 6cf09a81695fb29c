import { counted } from '../../instances/counted.ts';
import type { StagedView } from './item-lines.ts';

/** "5 changes in 2 services and shared variables, by Ada Lovelace and you" */
export function stagedSentence({ items }: Pick<StagedView, 'items'>, you: string): string {
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
