import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import type { z } from 'zod';
import type { importedSchema } from '../../api/variables/import-variables.ts';
import { command, UsageError } from '../engine/command.ts';
import { faultsText, printableLines, RestRefusal } from '../engine/rest.ts';
import { asTable, printable } from '../engine/table.ts';
import { chosenEnvironment, chosenProject, chosenService } from '../place/chosen.ts';
import { here, refuseBoth, serviceOptions, sharedOption } from '../place/here.ts';
import { buildTimeOf } from './set.ts';

type Imported = z.output<typeof importedSchema>;
type Change = Imported['changes'][number];

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

function tell(changes: readonly Change[]): void {
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
