import { UsageError } from '../engine/command.ts';
import { agreed, canAsk } from '../engine/question.ts';
import { printable } from '../engine/table.ts';
import type { Here } from '../place/here.ts';
import type { ChangeSetView, Item } from './stage-changes.ts';

/** Changes in the draft that somebody else has staged: they would go along. */
export function othersItems({ items }: ChangeSetView, { organization }: Here): Item[] {
  return items.filter(({ stagedBy }) => stagedBy.id !== organization.callerId);
}

/**
 * Nobody else's change goes along unseen: they are listed, and somebody at a terminal is asked. `all`: they were asked for.
 * Answers whether to go on.
 */
export async function withOthers(others: readonly Item[], all: boolean, verb: string): Promise<boolean> {
  if (others.length === 0 || all) return true;
  const listed = others.map(
    ({ serviceSlug, label, stagedBy }) =>
      `  ${printable(label)}${serviceSlug === '' ? '' : ` (${serviceSlug})`}, staged by ${printable(stagedBy.name)}\n`,
  );
  process.stderr.write(`Others have staged changes there, which would go along:\n${listed.join('')}`);
  if (canAsk()) return await agreed(`${verb} these too?`);
  throw new UsageError(
    `${others.length === 1 ? 'A change of somebody else is' : `${others.length} changes of others are`} staged there: give --all to ${verb.toLowerCase()} all, or ask them. What is staged stays as it was.`,
  );
}
