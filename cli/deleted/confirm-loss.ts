import { UsageError } from '../engine/command.ts';
import { canAsk, typedAgain } from '../engine/question.ts';
import { printable } from '../engine/table.ts';

/** Tells what ends with a thing, and asks for its name. False: nothing is to be deleted. */
export async function confirmLoss(
  noun: 'environment' | 'project',
  { slug, name }: { slug: string; name: string },
  lost: readonly [count: number, line: string][],
): Promise<boolean> {
  const lines = lost.filter(([count]) => count > 0).map(([, line]) => `\n  ${line}`);
  const told = lines.join('');
  if (!canAsk()) throw new UsageError(`This deletes the ${noun} ${slug}; give --yes to do that.${told}`);
  if (told !== '') process.stderr.write(`With the ${noun} ${slug}:${told}\n`);
  if (await typedAgain(`Type its name, ${printable(name)}, to delete it:`, name)) return true;
  process.stderr.write('Nothing was deleted.\n');
  process.exitCode = 4;
  return false;
}

/** The way back for whoever regrets it. */
export function restorable(noun: string, slug: string): string {
  return `The ${noun} ${slug} is deleted; \`./ballast deleted list\` says until when it can be restored.\n`;
}
