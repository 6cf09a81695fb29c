import type { z } from 'zod';
import type { deletedItemSchema } from '../../api/deletions/operations.ts';
import { UsageError } from '../engine/command.ts';
import type { Rest } from '../engine/rest.ts';
import { printable } from '../engine/table.ts';

export type DeletedItem = z.output<typeof deletedItemSchema>;

/** The one that is meant: by its id, else by slug or name, if those are of one thing alone. */
export async function deletedItem(rest: Rest, word: string, kind: string | undefined): Promise<DeletedItem> {
  const all = await rest.all<DeletedItem>('/deleted');
  const found = all.filter(
    (item) => (kind === undefined || item.kind === kind) && [item.id, item.slug, item.name].includes(word),
  );
  const [one] = found;
  if (one === undefined) {
    throw new UsageError(`Nothing deleted is called "${printable(word)}"; see \`./ballast deleted list\`.`);
  }
  if (found.length === 1) return one;
  const ways = found.map(({ kind: of, id, context }) => `\n  ${of} ${id} ${printable(context)}`).join('');
  throw new UsageError(`Several deleted things are called "${printable(word)}"; give the id of one:${ways}`);
}
