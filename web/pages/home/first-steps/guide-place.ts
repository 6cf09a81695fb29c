import { keep, kept } from '../../../components/browser/kept.ts';
import { watched } from '../../../components/watched.ts';

/** Whether the first steps of an organization were dismissed, or shown again. */
type Wish = 'away' | 'shown' | undefined;

const wishes = watched<ReadonlyMap<string, Wish>>(new Map());

const keyOf = (organizationId: string) => `ballast.first-steps.${organizationId}`;

export function placeGuide(organizationId: string, wish: 'away' | 'shown'): void {
  keep(keyOf(organizationId), wish);
  wishes.set(new Map([...wishes.now(), [organizationId, wish]]));
}

export function useGuideWish(organizationId: string): Wish {
  const wish = wishes.use().get(organizationId);
  // Read anew each time: another tab may have changed it.
  const before = wish ?? kept(keyOf(organizationId));
  return before === 'away' || before === 'shown' ? before : undefined;
}
