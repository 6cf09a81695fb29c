import type { z } from 'zod';
import type { promotionPreviewSchema } from '../../api/deployments/promotion.ts';
import { defined } from '../../domain/defined.ts';
import { command, type Option, UsageError } from '../engine/command.ts';
import { wholeNumberOf } from '../engine/given.ts';
import { eventsOption } from '../engine/progress.ts';
import { canAsk, hidden } from '../engine/question.ts';
import { restOptions } from '../engine/rest.ts';
import { asTable, printable, said } from '../engine/table.ts';
import { chosenEnvironment, type InService, serviceHere } from '../place/chosen.ts';
import { projectOption, serviceOption } from '../place/here.ts';
import type { Deployment } from './deployment.ts';
import { accepting, declined, downtimeOption } from './downtime.ts';
import { type CreateResult, exitCodesText, seeThrough } from './follow.ts';
import { readWaiting, waitOptions } from './waiting.ts';

type PromotionPreview = z.output<typeof promotionPreviewSchema>;
type Coming = PromotionPreview['variables'][number];

interface GivenVariable {
  key: string;
  value?: string;
  generate?: true;
  copy?: true;
}

const variableOptions = {
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
function givenVariables({ set = [], generate = [], copy = [] }: Options, environment = process.env): GivenVariable[] {
  const given = [
    ...set.map((word) => {
      const at = word.indexOf('=');
      if (at > 0) return { key: word.slice(0, at), value: word.slice(at + 1) };
      const value = environment[word];
      if (value !== undefined) return { key: word, value };
      throw new UsageError(said`--set ${word} has no value: write ${word}=VALUE, or export it.`);
    }),
    ...generate.map((key): GivenVariable => ({ key, generate: true })),
    ...copy.map((key): GivenVariable => ({ key, copy: true })),
  ];
  const twice = given.find(({ key }, index) => given.findIndex((one) => one.key === key) !== index);
  if (twice !== undefined) throw new UsageError(said`The variable ${twice.key} is given twice.`);
  return given;
}

/** Says what the target lacks and gets, and asks for what only a person can give. */
async function completeVariables(
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
  const value = await hidden(said`${key}${secret ? ' (secret)' : ''}, ${empty}: `);
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
      return { kind: 'process', name, what: what.join(', ') };
    }),
    ...variables.map((one) => ({ kind: 'variable', name: one.key, what: named.has(one.key) ? 'given' : wordsOf(one) })),
  ];
  const more = staged === 0 ? '' : `, with ${staged} ${staged === 1 ? 'change' : 'changes'} staged there`;
  const head = `${service} is not in ${environment} yet. It is added as release ${releaseNumber} of ${fromEnvironmentName} is set up${more}:`;
  return `${head}\n${asTable(rows, '', { '': 'kind', name: 'name', what: 'what' })}`;
}

function wordsOf({ from, secret, value, proposal, problem }: Coming): string {
  if (from === 'there') return 'staged there';
  if (from === 'copied') return problem === '' ? value : `${value} (${problem})`;
  const kind = secret ? 'secret' : 'value';
  return proposal === 'generate' ? `${kind} to be given, or --generate` : `${kind} to be given`;
}

const missingOption = {
  'accept-missing': { type: 'boolean', what: 'Go ahead although variables of the release are missing in the target.' },
} as const satisfies Record<string, Option>;

export const promote = command({
  summary: 'Runs the image of a release in another environment',
  usage: `[SERVICE] [--from ENVIRONMENT] --to ENVIRONMENT [--release NUMBER] [--reason TEXT] [--set KEY[=VALUE]]…
  [--generate KEY]… [--copy KEY]… [--project PROJECT] [--accept-downtime] [--accept-missing] [--wait | --no-wait] [--timeout 10m] [--json]`,
  details: `The image goes along to the byte, nothing is built; settings and variables are those of the target, and what is staged there
stays staged. Without --from it is staging, or the environment that the directory remembers; without --release the release that is
live there. In production it is held until somebody approves it: --wait waits for that, too.

A target that lacks the service gets it, with the settings of the release and its plain variables. Secrets do not come along: each is given
by --set, made by --generate, or taken over by --copy, which is refused out of production; at a terminal they are asked for. All of it is one
change set, and in production one approval.
${exitCodesText}`,
  options: {
    from: { type: 'string', value: 'ENVIRONMENT', what: 'Slug or name of the environment of the release.' },
    to: { type: 'string', value: 'ENVIRONMENT', what: 'Slug or name of the environment that is to run it.' },
    release: { type: 'string', value: 'NUMBER', what: 'Number of the release; else the live one.' },
    reason: { type: 'string', value: 'TEXT', what: 'Shown to the person who approves it.' },
    ...downtimeOption,
    ...missingOption,
    ...variableOptions,
    ...waitOptions,
    ...projectOption,
    ...serviceOption,
    ...restOptions,
    ...eventsOption,
  },
  run: async ({ from, to, release, reason, ...given }, [word]) => {
    const waiting = readWaiting(given);
    const named = givenVariables(given);
    const number = wholeNumberOf('--release', release, 1, Number.MAX_SAFE_INTEGER);
    if (to === undefined) throw new UsageError('Say by --to which environment is to run it.');
    if (word !== undefined && given.service !== undefined && word !== given.service)
      throw new UsageError('The service is named twice, and differently; leave one of the two out.');
    const origin = from === undefined ? {} : { environment: from };
    const place = await serviceHere({ ...given, ...origin, service: word ?? given.service }, { change: false });
    const { rest, project, service, environment: source } = place;
    const wanted = { ...place.wanted, environment: to };
    const environment = await chosenEnvironment({ ...place, wanted, named: true }, project, { change: true });
    if (source.id === environment.id)
      throw new UsageError(
        `--from and --to are both ${environment.slug}; \`./ballast redeploy\` rolls a release again.`,
      );
    const releaseId = await releaseToPromote(place, number);
    const toEnvironmentId = environment.id;
    const preview = await rest.call<PromotionPreview>(
      'GET',
      `/services/${service.id}/promotion?releaseId=${releaseId}&toEnvironmentId=${toEnvironmentId}`,
    );
    const names = { service: printable(service.slug), environment: printable(environment.slug) };
    const variables = await completeVariables(preview, named, { ...names, quiet: given.json === true });
    const body = defined({
      ...{ releaseId, toEnvironmentId, queue: true, source: 'cli', reason },
      variables: variables.length === 0 ? undefined : variables,
    });
    const started = await accepting('missing', given['accept-missing'], (missing) =>
      accepting('downtime', given['accept-downtime'], (downtime) =>
        rest.call<CreateResult>('POST', `/services/${service.id}/promote`, { ...body, ...missing, ...downtime }),
      ),
    );
    return started === undefined ? declined() : await seeThrough({ rest, project, environment }, started, waiting);
  },
});

async function releaseToPromote(
  { rest, environment, service }: InService,
  number: number | undefined,
): Promise<string> {
  const filter = { environmentId: environment.id };
  const where = `${service.slug} in ${environment.slug}`;
  if (number === undefined) {
    const deployments = await rest.all<Deployment>(`/services/${service.id}/deployments`, undefined, {
      ...filter,
      state: 'live',
    });
    const serving = deployments.find((one) => one.serving);
    if (serving !== undefined) return serving.releaseId;
    throw new UsageError(`No release of ${where} is live; name another one by --release, or deploy there first.`);
  }
  const releases = await rest.all<{ id: string; number: number }>(
    `/services/${service.id}/releases`,
    undefined,
    filter,
  );
  const found = releases.find((one) => one.number === number);
  if (found !== undefined) return found.id;
  const there = releases.slice(0, 20).map((one) => one.number);
  throw new UsageError(`There is no release ${number} of ${where}; there is: ${there.join(', ') || 'none'}.`);
}
