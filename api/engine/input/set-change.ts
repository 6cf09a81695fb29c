import { z } from 'zod';

/** A change of a set: two that are made at the same time both last, where a whole list would undo the other one. */
export function setChange<Item extends z.ZodType<string>>(item: Item, most = 1000) {
  const items = z.array(item).max(most).default([]);
  return z
    .strictObject({ add: items.describe('Those that are there already stay.'), remove: items })
    .superRefine(({ add, remove }, context) => {
      const added = new Set<string>(add);
      for (const [index, value] of remove.entries()) {
        if (!added.has(value)) continue;
        context.addIssue({ code: 'custom', path: ['remove', index], message: 'is added by the same change' });
      }
    });
}
