import { type Option, UsageError } from '../engine/command.ts';
import { canAsk, typedAgain } from '../engine/question.ts';
import { printable } from '../engine/table.ts';

/** The thing that is lost: people type its name, and read what it is called besides. */
interface Lost {
  noun: string;
  /** How sentences call it: its slug, where it has one. */
  called: string;
  name: string;
  verb?: 'delete' | 'purge';
}

/** The option of every command that destroys something. */
export function yesOption(verb = 'Delete') {
  return { yes: { type: 'boolean', short: 'y', what: `${verb} it without a question.` } } as const satisfies Record<
    string,
    Option
  >;
}

/** Tells what ends with a thing, and asks for its name: the one way of all commands that destroy something. False: nothing happens. */
export async function confirmLoss(
  { noun, called, name, verb = 'delete' }: Lost,
  lost: readonly [count: number, line: string][],
): Promise<boolean> {
  const told = lost.flatMap(([count, line]) => (count > 0 ? [`\n  ${line}`] : [])).join('');
  const thing = `the ${noun} ${called}`;
  if (!canAsk()) throw new UsageError(`This ${verb}s ${thing}; give --yes to do that.${told}`);
  if (told !== '') process.stderr.write(`With ${thing}:${told}\n`);
  if (await typedAgain(`Type its name, ${printable(name)}, to ${verb} it:`, name)) return true;
  process.stderr.write(`Nothing was ${verb}d.\n`);
  process.exitCode = 4;
  return false;
}

/** The way back for whoever regrets it. */
export function restorable(noun: string, slug: string): string {
  return `The ${noun} ${slug} is deleted; \`./ballast deleted list\` says until when it can be restored.\n`;
}
