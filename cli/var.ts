import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import type { z } from 'zod';
import type { importedSchema } from '../api/variables/import-variables.ts';
import type { variableChangeSchema, variableSchema } from '../api/variables/operations.ts';
import { type BuildTime, buildTimes, buildTimeTitles, isPublicByName } from '../domain/variables/build-time.ts';
import { envTextOf } from '../domain/variables/env-text.ts';
import { shown, stageChanges, staged, takesEffect, variableOf } from './change-set.ts';
import { command, UsageError } from './engine/command.ts';
import { secretOf } from './engine/given.ts';
import { listed, tell } from './engine/outcome.ts';
import { canAsk } from './engine/question.ts';
import { faultsText, printableLines, RestRefusal } from './engine/rest.ts';
import { asTable, said } from './engine/table.ts';
import { chosenService, environmentHere, type InEnvironment, serviceHere } from './place/chosen.ts';
import { refuseBoth, serviceOptions, sharedOption, type TargetOptions } from './place/here.ts';

type Variable = z.output<typeof variableSchema>;

/** Where variables are of the service that is chosen, or of all services of an environment if they are shared. */
async function placeOf(
  given: TargetOptions,
  shared: boolean,
  aim: { change: boolean },
): Promise<InEnvironment & { of: { serviceId?: string } }> {
  refuseBoth(shared, given);
  if (shared) return { ...(await environmentHere(given, aim)), of: {} };
  const place = await serviceHere(given, aim);
  return { ...place, of: { serviceId: place.service.id } };
}

export const varList = command({
  summary: 'Lists the variables of an environment, applied and staged',
  usage: '[--project PROJECT] [--service SERVICE | --shared] [--environment ENVIRONMENT] [--json]',
  details: 'Values of secret variables are never shown.',
  options: { ...sharedOption, ...serviceOptions },
  run: async ({ shared = false, ...given }) => {
    refuseBoth(shared, given);
    const place = await environmentHere(given, { change: false });
    const { rest, environment, wanted } = place;
    const service = shared || wanted.service === undefined ? undefined : await chosenService(place, place.project);
    const filter: Record<string, string> = service === undefined ? {} : { serviceId: service.id };
    const all = await rest.all<Variable>(`/environments/${environment.id}/variables`, undefined, filter);
    const variables = all.filter(({ serviceId }) => !shared || serviceId === undefined);
    const none = `${shared ? 'no shared' : 'no'} variables`;
    const where =
      service === undefined ? `${environment.slug} has ${none}` : `${service.slug} has ${none} in ${environment.slug}`;
    return listed({ variables }, `${where}.`, {
      service: ({ serviceSlug }) => serviceSlug || '(shared)',
      key: 'key',
      value: ({ secret, value }) => (secret ? '(secret)' : value),
      'seen at': ({ buildTime }) => buildTimeTitles[buildTime].toLowerCase(),
      '': (one) => (one.staged === undefined ? '' : `staged: ${one.staged}`),
      by: 'updatedBy',
      changed: 'updatedAt',
    });
  },
});

export const varExport = command({
  summary: 'Prints the variables of a service in an environment as an env file',
  usage: '[--project PROJECT] [--service SERVICE] [--environment ENVIRONMENT] [--json]',
  details: `As they will be once what is staged is applied. Secret ones are left out: a comment names them. \`./ballast var import\`
reads the result.`,
  options: serviceOptions,
  run: async (given) => {
    const { rest, environment, service } = await serviceHere(given, { change: false });
    const path = `/environments/${environment.id}/variables`;
    const found = await rest.all<Variable>(path, undefined, { serviceId: service.id });
    const variables = found.filter((one) => one.staged !== 'unset');
    const secrets = variables.filter(({ secret }) => secret).map(({ key }) => key);
    const plain = variables.filter(({ secret }) => !secret);
    return {
      json: { variables: Object.fromEntries(plain.map(({ key, value }) => [key, value])), secrets },
      text: [
        ...plain.map(({ key, value }) => `${envTextOf(key, value)}\n`),
        ...secrets.map((key) => `# ${key} is secret`),
      ],
    };
  },
});

type VariableChange = z.output<typeof variableChangeSchema>;

export const varHistory = command({
  summary: 'Lists who changed a variable of a service, or a shared one, and when, newest first',
  usage: 'KEY [--project PROJECT] [--service SERVICE | --shared] [--environment ENVIRONMENT] [--json]',
  details: 'Changes that were applied. Values of secret variables are never shown.',
  options: { ...sharedOption, ...serviceOptions },
  run: async ({ shared = false, ...given }, [key = '']) => {
    const { rest, environment, of } = await placeOf(given, shared, { change: false });
    const path = `/environments/${environment.id}/variables/history`;
    const changes = await rest.all<VariableChange>(path, undefined, { ...of, key });
    return listed({ changes }, said`Nothing was applied to ${key} in ${environment.slug}.`, {
      applied: 'appliedAt',
      '': 'change',
      from: ({ secret, from }) => (secret ? '(secret)' : from),
      to: ({ secret, to }) => (secret ? '(secret)' : to),
      'staged by': ({ stagedBy }) => stagedBy.name,
      'applied by': ({ appliedBy }) => appliedBy.name,
      ' ': 'message',
    });
  },
});

export const varSet = command({
  summary: 'Stages variables of a service in an environment',
  usage:
    'KEY=VALUE … | KEY [--secret] [--build-time WHEN] [--project PROJECT] [--service SERVICE | --shared] [--environment ENVIRONMENT] [--json]',
  details: `A KEY alone takes its value from the standard input, where no history of a shell keeps it; at a terminal it is asked
for. A secret value is stored encrypted and never shown again. They take effect with \`./ballast deploy --staged\`.

A value may refer to others: \${{SERVICE.KEY}}, \${{SERVICE.URL}} (HOST, PORT), \${{shared.KEY}}, \${{KEY}}; $\${{ stands for the text
\${{ itself. Write such values in single quotes.

Builds see a variable only if --build-time says so: also, or only, and then no release has it. A secret that is to be seen by builds is given
its value again; a variable of builds leads to no other secret. In production a build of anything but the head of the connected branch waits
until an admin approves that it sees them.`,
  words: { least: 1, most: 500 },
  options: {
    secret: { type: 'boolean', what: 'The values are secret. A variable that was secret stays so.' },
    'build-time': { type: 'string', value: 'WHEN', what: 'Whether builds see them: no, also, or only.' },
    ...sharedOption,
    ...serviceOptions,
  },
  run: async ({ secret = false, shared = false, 'build-time': when, ...given }, words) => {
    const buildTime = buildTimeOf(when);
    const [only = ''] = words;
    const alone = words.length === 1 && !only.includes('=');
    const pairs = alone ? [`${only}=${await givenValue(only)}`] : words;
    for (const pair of pairs) variableOf(pair, undefined);
    const { rest, environment, of } = await placeOf(given, shared, { change: true });
    const items = pairs.map((pair) => variableOf(pair, of.serviceId, { secret, buildTime }));
    await tell(staged(await stageChanges(rest, environment, items), environment), given.json === true);
    const names = items.map(({ key }) => key).filter(isPublicByName);
    if (buildTime === undefined && !secret && names.length > 0)
      process.stderr.write(
        `Frameworks write ${names.join(', ')} into pages when they build: --build-time also says so.\n`,
      );
  },
});

function buildTimeOf(given: string | undefined): BuildTime | undefined {
  const found = buildTimes.find((one) => one === given);
  if (given === undefined || found !== undefined) return found;
  throw new UsageError(said`--build-time is one of ${buildTimes.join(', ')}, and not "${given}".`);
}

async function givenValue(key: string): Promise<string> {
  const value = await secretOf(`Value of ${key}: `);
  if (value !== '' || canAsk()) return value;
  throw new UsageError(`There is no value for ${key}: write ${key}=VALUE, or give it by the standard input.`);
}

type Imported = z.output<typeof importedSchema>;
type ImportedChange = Imported['changes'][number];

export const varImport = command({
  summary: 'Stages the variables of an env file for a service, or shared ones, all or none',
  usage:
    'FILE|- [--secret KEY]… [--build-time KEY=WHEN]… [--replace] [--dry-run] [--project PROJECT] [--service SERVICE | --shared] [--environment ENVIRONMENT] [--json]',
  details: `FILE has KEY=value on each line, with comments, quotes and values of several lines; - is the standard input. What
changes is shown, but for values that are secret or look so. They take effect with \`./ballast deploy --staged\`.`,
  options: {
    secret: { type: 'string', multiple: true, value: 'KEY', what: 'This one is secret; may be repeated.' },
    'build-time': {
      type: 'string',
      multiple: true,
      value: 'KEY=WHEN',
      what: 'Whether builds see this one: no, also, or only; may be repeated.',
    },
    replace: { type: 'boolean', what: 'Unset the variables that are not in the file.' },
    'dry-run': { type: 'boolean', what: 'Only show what would change.' },
    ...sharedOption,
    ...serviceOptions,
  },
  run: async (
    { secret = [], 'build-time': seen = [], replace = false, 'dry-run': dryRun = false, shared = false, ...given },
    [file = ''],
  ) => {
    const buildTime = Object.fromEntries(seen.map(seenOf));
    refuseBoth(shared, given);
    const written = await textOf(file);
    const { rest, environment, of } = await placeOf(given, shared, { change: true });
    const body = { ...of, text: written, secret, buildTime, replace, dryRun };
    const imported = await rest
      .call<Imported>('POST', `/environments/${environment.id}/variables/import`, body)
      .catch((error: unknown) => {
        throw error instanceof RestRefusal ? inWords(error, file) : error;
      });
    const { changes } = imported;
    return {
      json: imported,
      text: changesText(changes),
      below: [...advice(changes), imported.staged ? takesEffect(environment) : ''],
    };
  },
});

function advice(changes: readonly ImportedChange[]): string[] {
  const secrets = changes.filter(({ looksSecret }) => looksSecret).map(({ key }) => key);
  const inPages = changes.filter(({ looksPublic }) => looksPublic).map(({ key }) => key);
  const options = (keys: readonly string[], optionOf: (key: string) => string) =>
    keys.slice(0, 5).map(optionOf).join(' ');
  const asSecrets = options(secrets, (key) => `--secret ${key}`);
  const forBuilds = options(inPages, (key) => `--build-time ${key}=also`);
  return [
    asSecrets && `Perhaps secret: ${secrets.join(', ')}; import them with ${asSecrets}.`,
    forBuilds && `Frameworks write ${inPages.join(', ')} into pages when they build; import them with ${forBuilds}.`,
  ];
}

function seenOf(word: string): [string, string] {
  const [key = '', when] = word.split('=', 2);
  return [key, buildTimeOf(when ?? '') ?? 'no'];
}

async function textOf(file: string): Promise<string> {
  if (file === '-') return await text(process.stdin);
  return await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(`${file} cannot be read: ${error.code ?? error.message}.`);
  });
}

function inWords(refusal: RestRefusal, file: string): RestRefusal {
  if (refusal.errors.length === 0) return refusal;
  const source = file === '-' ? 'standard input' : file;
  const errors = refusal.errors.map(({ location, message }) => ({
    location: location === 'body.text' ? source : location,
    message,
  }));
  return new RestRefusal(printableLines(faultsText(errors)), refusal.status, errors);
}

function changesText(changes: readonly ImportedChange[]): readonly string[] {
  const different = changes.filter(({ change }) => change !== 'unchanged');
  const same = changes.length - different.length;
  const hidden = ({ secret, looksSecret }: ImportedChange) =>
    secret ? '(secret)' : looksSecret ? '(hidden)' : undefined;
  const table = asTable(different, `All ${same} variables are so already.`, {
    '': 'change',
    key: 'key',
    from: (one) => (one.change === 'added' ? '' : (hidden(one) ?? shown(one.from))),
    to: (one) => (one.change === 'removed' ? '' : (hidden(one) ?? shown(one.to))),
  });
  return [table, different.length > 0 && same > 0 ? `${same} unchanged.` : ''];
}

export const varUnset = command({
  summary: 'Stages that variables of a service are unset in an environment',
  usage: 'KEY … [--project PROJECT] [--service SERVICE | --shared] [--environment ENVIRONMENT] [--json]',
  details: 'They take effect with `./ballast deploy --staged`.',
  words: { least: 1, most: 500 },
  options: { ...sharedOption, ...serviceOptions },
  run: async ({ shared = false, ...given }, keys) => {
    const { rest, environment, of } = await placeOf(given, shared, { change: true });
    const items = keys.map((key) => ({ kind: 'variable.unset' as const, ...of, key }));
    return staged(await stageChanges(rest, environment, items), environment);
  },
});
