import type { z } from 'zod';
import type { promotionPreviewSchema } from '../../../api/deployments/promotion.ts';
import { type Option, UsageError } from '../../engine/command.ts';
import { canAsk, hidden } from '../../engine/question.ts';
import { asTable, printable } from '../../engine/table.ts';

export type PromotionPreview = z.output<typeof promotionPreviewSchema>;
type Coming = PromotionPreview['variables'][number];

export interface GivenVariable {
  key: string;
  value?: string;
  generate?: true;
  copy?: true;
}

export const variableOptions = {
  set: {
    type: 'string',
    multiple: true,
    value: 'KEY[=VALUE]',
    what: 'A value for the target; without one it is that of the environment variable of the same name.',
  },
  generate: { type: 'string', multiple: true, value: 'KEY', what: 'Give it a random value, which nobody is shown.' },
  copy: { type: 'string', multiple: true, value: 'KEY', what: 'Take the value of the source, also of a secret one.' },
} as const satisfies Record<string, Option>;

interface Options {
  set?: string[] | undefined;
  generate?: string[] | undefined;
  copy?: string[] | undefined;
}

/** The values of `--set`, `--generate` and `--copy`. */
export function givenVariables(
  { set = [], generate = [], copy = [] }: Options,
  environment = process.env,
): GivenVariable[] {
  const given = [
    ...set.map((word) => {
      const at = word.indexOf('=');
      if (at > 0) return { key: word.slice(0, at), value: word.slice(at + 1) };
      const value = environment[word];
      if (value !== undefined) return { key: word, value };
      throw new UsageError(`--set ${printable(word)} has no value: write ${printable(word)}=VALUE, or export it.`);
    }),
    ...generate.map((key): GivenVariable => ({ key, generate: true })),
    ...copy.map((key): GivenVariable => ({ key, copy: true })),
  ];
  const twice = given.find(({ key }, index) => given.findIndex((one) => one.key === key) !== index);
  if (twice !== undefined) throw new UsageError(`The variable ${printable(twice.key)} is given twice.`);
  return given;
}

/** Says what the target lacks and gets, and asks for what only a person can give. */
export async function completeVariables(
  preview: PromotionPreview,
  given: readonly GivenVariable[],
  { service, environment, quiet }: { service: string; environment: string; quiet: boolean },
): Promise<GivenVariable[]> {
  const named = new Set(given.map(({ key }) => key));
  const lacking = preview.variables.filter(
    ({ key, from, problem }) => (from === 'nowhere' || problem !== '') && !named.has(key),
  );
  if (!quiet && preview.adds) process.stderr.write(additionWords(preview, named, { service, environment }));
  if (lacking.length === 0 || !canAsk()) return [...given];
  process.stderr.write(`${environment} has no value for ${lacking.map(({ key }) => key).join(', ')}.\n`);
  const asked: GivenVariable[] = [];
  for (const one of lacking) asked.push(...(await askFor(one)));
  return [...given, ...asked];
}

async function askFor({ key, secret, proposal }: Coming): Promise<GivenVariable[]> {
  const empty = proposal === 'generate' ? 'empty: a random one' : 'empty: without it';
  const value = await hidden(`${printable(key)}${secret ? ' (secret)' : ''}, ${empty}: `);
  if (value !== '') return [{ key, value }];
  return proposal === 'generate' ? [{ key, generate: true }] : [];
}

function additionWords(
  { processes, variables, staged, fromEnvironmentName, releaseNumber }: PromotionPreview,
  named: ReadonlySet<string>,
  { service, environment }: { service: string; environment: string },
): string {
  const rows = [
    ...processes.map(({ name, kind, port, replicas, volumes }) => {
      const mounts = volumes.map((one) => `empty volume ${one.name} at ${one.mountPath}`);
      const what = [
        kind,
        ...(port === undefined ? [] : [`port ${port}`]),
        `${replicas} ${replicas === 1 ? 'instance' : 'instances'}`,
        ...mounts,
      ];
      return ['process', printable(name), printable(what.join(', '))];
    }),
    ...variables.map((one) => ['variable', printable(one.key), printable(named.has(one.key) ? 'given' : wordsOf(one))]),
  ];
  const more = staged === 0 ? '' : `, with ${staged} ${staged === 1 ? 'change' : 'changes'} staged there`;
  const head = `${service} is not in ${environment} yet. It is added as release ${releaseNumber} of ${fromEnvironmentName} is set up${more}:`;
  return `${head}\n${asTable(['', 'name', 'what'], rows)}`;
}

function wordsOf({ from, secret, value, proposal, problem }: Coming): string {
  if (from === 'there') return 'staged there';
  if (from === 'copied') return problem === '' ? value : `${value} (${problem})`;
  const kind = secret ? 'secret' : 'value';
  return proposal === 'generate' ? `${kind} to be given, or --generate` : `${kind} to be given`;
}
