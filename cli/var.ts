import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import type { z } from 'zod';
import type { importedSchema } from '../api/variables/import-variables.ts';
import type { variableChangeSchema, variableSchema } from '../api/variables/operations.ts';
import { type BuildTime, buildTimes, buildTimeTitles, isPublicByName } from '../domain/variables/build-time.ts';
import { envTextOf } from '../domain/variables/env-text.ts';
import { stageChanges, tellStaged, variableOf } from './change-set.ts';
import { command, UsageError } from './engine/command.ts';
import { canAsk, hidden } from './engine/question.ts';
import { faultsText, printableLines, RestRefusal } from './engine/rest.ts';
import { asTable, printable } from './engine/table.ts';
import { chosenEnvironment, chosenProject, chosenService } from './place/chosen.ts';
import { here, refuseBoth, serviceOptions, sharedOption } from './place/here.ts';

type Variable = z.output<typeof variableSchema>;

export const varList = command({
  summary: 'Lists the variables of an environment, applied and staged',
  usage: '[--project PROJECT] [--service SERVICE | --shared] [--environment ENVIRONMENT] [--json]',
  details: 'Values of secret variables are never shown.',
  options: { ...sharedOption, ...serviceOptions },
  run: async ({ shared = false, ...given }) => {
    refuseBoth(shared, given);
    const place = await here(given);
    const project = await chosenProject(place);
    const environment = await chosenEnvironment(place, project, { change: false });
    const service = shared || place.wanted.service === undefined ? undefined : await chosenService(place, project);
    const filter: Record<string, string> = service === undefined ? {} : { serviceId: service.id };
    const all = await place.rest.all<Variable>(`/environments/${environment.id}/variables`, undefined, filter);
    const variables = all.filter(({ serviceId }) => !shared || serviceId === undefined);
    if (given.json) return void process.stdout.write(`${JSON.stringify({ variables }, undefined, 2)}\n`);
    if (variables.length === 0) {
      const none = `${shared ? 'no shared' : 'no'} variables`;
      const told =
        service === undefined
          ? `${environment.slug} has ${none}`
          : `${service.slug} has ${none} in ${environment.slug}`;
      return void process.stdout.write(`${told}.\n`);
    }
    const rows = variables.map(({ serviceSlug, key, value, secret, buildTime, staged, updatedBy, updatedAt }) => [
      serviceSlug === '' ? '(shared)' : serviceSlug,
      printable(key),
      secret ? '(secret)' : printable(value),
      buildTimeTitles[buildTime].toLowerCase(),
      staged === undefined ? '' : `staged: ${staged}`,
      printable(updatedBy),
      updatedAt,
    ]);
    process.stdout.write(asTable(['service', 'key', 'value', 'seen at', '', 'by', 'changed'], rows));
  },
});

export const varExport = command({
  summary: 'Prints the variables of a service in an environment as an env file',
  usage: '[--project PROJECT] [--service SERVICE] [--environment ENVIRONMENT] [--json]',
  details: `As they will be once what is staged is applied. Secret ones are left out: a comment names them. \`./ballast var import\`
reads the result.`,
  options: serviceOptions,
  run: async (given) => {
    const place = await here(given);
    const project = await chosenProject(place);
    const service = await chosenService(place, project);
    const environment = await chosenEnvironment(place, project, { change: false });
    const path = `/environments/${environment.id}/variables`;
    const found = await place.rest.all<Variable>(path, undefined, { serviceId: service.id });
    const variables = found.filter(({ staged }) => staged !== 'unset');
    const secrets = variables.filter(({ secret }) => secret).map(({ key }) => key);
    const plain = variables.filter(({ secret }) => !secret);
    if (given.json) {
      const values = Object.fromEntries(plain.map(({ key, value }) => [key, value]));
      return void process.stdout.write(`${JSON.stringify({ variables: values, secrets }, undefined, 2)}\n`);
    }
    const lines = [
      ...plain.map(({ key, value }) => envTextOf(key, value)),
      ...secrets.map((key) => `# ${key} is secret`),
    ];
    process.stdout.write(lines.map((line) => `${line}\n`).join(''));
  },
});

type VariableChange = z.output<typeof variableChangeSchema>;

export const varHistory = command({
  summary: 'Lists who changed a variable of a service, or a shared one, and when, newest first',
  usage: 'KEY [--project PROJECT] [--service SERVICE | --shared] [--environment ENVIRONMENT] [--json]',
  details: 'Changes that were applied. Values of secret variables are never shown.',
  words: { least: 1, most: 1 },
  options: { ...sharedOption, ...serviceOptions },
  run: async ({ shared = false, ...given }, [key = '']) => {
    refuseBoth(shared, given);
    const place = await here(given);
    const project = await chosenProject(place);
    const of: Record<string, string> = shared ? {} : { serviceId: (await chosenService(place, project)).id };
    const environment = await chosenEnvironment(place, project, { change: false });
    const path = `/environments/${environment.id}/variables/history`;
    const changes = await place.rest.all<VariableChange>(path, undefined, { ...of, key });
    if (given.json) return void process.stdout.write(`${JSON.stringify({ changes }, undefined, 2)}\n`);
    if (changes.length === 0) {
      return void process.stdout.write(`Nothing was applied to ${printable(key)} in ${environment.slug}.\n`);
    }
    const rows = changes.map(({ appliedAt, change, secret, from, to, stagedBy, appliedBy, message }) => [
      appliedAt,
      change,
      secret ? '(secret)' : printable(from),
      secret ? '(secret)' : printable(to),
      printable(stagedBy.name),
      printable(appliedBy.name),
      printable(message),
    ]);
    process.stdout.write(asTable(['applied', '', 'from', 'to', 'staged by', 'applied by', ''], rows));
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
    refuseBoth(shared, given);
    const place = await here(given);
    const project = await chosenProject(place);
    const service = shared ? undefined : await chosenService(place, project);
    const environment = await chosenEnvironment(place, project, { change: true });
    const items = pairs.map((pair) => variableOf(pair, service?.id, { secret, buildTime }));
    tellStaged(await stageChanges(place.rest, environment, items), environment, given.json);
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
  throw new UsageError(`--build-time is one of ${buildTimes.join(', ')}, and not "${printable(given)}".`);
}

async function givenValue(key: string): Promise<string> {
  if (canAsk()) return await hidden(`Value of ${key}: `);
  const value = process.stdin.isTTY ? '' : (await text(process.stdin)).replace(/\r?\n$/, '');
  if (value !== '') return value;
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
  words: { least: 1, most: 1 },
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
    const place = await here(given);
    const project = await chosenProject(place);
    const of = shared ? {} : { serviceId: (await chosenService(place, project)).id };
    const environment = await chosenEnvironment(place, project, { change: true });
    const body = { ...of, text: written, secret, buildTime, replace, dryRun };
    const imported = await place.rest
      .call<Imported>('POST', `/environments/${environment.id}/variables/import`, body)
      .catch((error: unknown) => {
        throw error instanceof RestRefusal ? inWords(error, file) : error;
      });
    if (given.json) return void process.stdout.write(`${JSON.stringify(imported, undefined, 2)}\n`);
    tell(imported.changes);
    const advised = imported.changes.filter(({ looksSecret }) => looksSecret).map(({ key }) => key);
    if (advised.length > 0) {
      const options = advised.slice(0, 5).map((key) => `--secret ${key}`);
      process.stderr.write(`Perhaps secret: ${advised.join(', ')}; import them with ${options.join(' ')}.\n`);
    }
    const looksPublic = imported.changes.flatMap(({ looksPublic: does, key }) => (does ? [key] : []));
    if (looksPublic.length > 0) {
      const options = looksPublic.slice(0, 5).map((key) => `--build-time ${key}=also`);
      process.stderr.write(
        `Frameworks write ${looksPublic.join(', ')} into pages when they build; import them with ${options.join(' ')}.\n`,
      );
    }
    const named = environment.production ? ` --environment ${environment.slug}` : '';
    if (imported.staged) {
      process.stderr.write(`\`./ballast deploy --staged${named}\` applies them in ${environment.slug}.\n`);
    }
  },
});

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

function tell(changes: readonly ImportedChange[]): void {
  const different = changes.filter(({ change }) => change !== 'unchanged');
  const rows = different.map(({ key, change, secret, looksSecret, from, to }) => {
    const hidden = secret ? '(secret)' : looksSecret ? '(hidden)' : undefined;
    return [
      change,
      printable(key),
      change === 'added' ? '' : (hidden ?? shown(from)),
      change === 'removed' ? '' : (hidden ?? shown(to)),
    ];
  });
  if (rows.length > 0) process.stdout.write(asTable(['', 'key', 'from', 'to'], rows));
  const same = changes.length - different.length;
  if (rows.length === 0) process.stdout.write(`All ${same} variables are so already.\n`);
  else if (same > 0) process.stdout.write(`${same} unchanged.\n`);
}

const longest = 40;

function shown(value: string): string {
  const line = printable(value);
  return line.length > longest ? `${line.slice(0, longest - 1)}…` : line;
}

export const varUnset = command({
  summary: 'Stages that variables of a service are unset in an environment',
  usage: 'KEY … [--project PROJECT] [--service SERVICE | --shared] [--environment ENVIRONMENT] [--json]',
  details: 'They take effect with `./ballast deploy --staged`.',
  words: { least: 1, most: 500 },
  options: { ...sharedOption, ...serviceOptions },
  run: async ({ shared = false, ...given }, keys) => {
    refuseBoth(shared, given);
    const place = await here(given);
    const project = await chosenProject(place);
    const service = shared ? undefined : await chosenService(place, project);
    const environment = await chosenEnvironment(place, project, { change: true });
    const of = service === undefined ? {} : { serviceId: service.id };
    const items = keys.map((key) => ({ kind: 'variable.unset' as const, ...of, key }));
    tellStaged(await stageChanges(place.rest, environment, items), environment, given.json);
  },
});
