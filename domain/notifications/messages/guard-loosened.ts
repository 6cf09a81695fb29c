import { looseningDays } from '../../guards/guards.ts';
import { type LoosenedGuard, loosenedTitle } from '../../guards/words.ts';
import type { NotificationMessage } from '../notifications.ts';

/** A guard of production was loosened, which waits for nobody's approval. */
export function guardLoosened({
  id,
  by,
  ...loosened
}: LoosenedGuard & { id: string; by: string }): NotificationMessage {
  return {
    kind: 'approval',
    title: loosenedTitle(loosened),
    body: `By ${by}, at once and without an approval. For ${looseningDays} days the first page of the console shows it with what is deployed meanwhile, and undoes it; so does "./ballast guard undo ${id}".`,
    link: { type: 'guard', guardLooseningId: id },
  };
}
