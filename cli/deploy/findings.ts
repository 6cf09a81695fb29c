import type { z } from 'zod';
import type { variableSchema } from '../../api/variables/operations.ts';
import { namedVariables } from '../../domain/deployments/unset-variables.ts';
import { word } from '../../domain/detection/build-plan.ts';
import { isPublicByName } from '../../domain/variables/build-time.ts';
import { looksSecret } from '../../domain/variables/env-text.ts';
import type { Build } from '../build/build.ts';
import { placeWords } from '../deployment/place-words.ts';
import type { Rest } from '../engine/rest.ts';
import { printable, said } from '../engine/table.ts';
import type { Environment, Project, Service } from '../place/chosen.ts';
import { processesThere } from '../service/chosen-process.ts';

type Detection = NonNullable<NonNullable<Build['builder']>['detection']>;
type Variable = z.output<typeof variableSchema>;
type Asking = Pick<Detection, 'envTemplate' | 'requiredVariables' | 'static'>;

interface FindingsTarget {
  project: Project;
  environment: Environment;
}

/** So many options stand in a sentence. */
const mostOptions = 3;

/**
 * Names the variables that the template of a source asks for and that neither the service nor the command (`given`) sets. The program may
 * start without them, so that nothing waits for an answer.
 */
export async function tellVariables(
  rest: Rest,
  to: FindingsTarget & { service: Service },
  asking: Asking,
  given: readonly string[] = [],
): Promise<void> {
  await tell(variableLines(rest, to, asking, given));
}

/** The same of a source that the cluster reads, once its build has told of it. */
export async function tellVariablesOf(rest: Rest, place: FindingsTarget, build: Build): Promise<void> {
  const detection = build.builder?.detection;
  if (detection === undefined) return;
  const lines = async () => variableLines(rest, { ...place, service: await serviceOf(rest, build) }, detection, []);
  await tell(lines());
}

/** Proposes what else the source of a build says to run, unless the service has it: nothing is started unasked. */
export async function tellProposals(rest: Rest, place: FindingsTarget, build: Build): Promise<void> {
  await tell(proposalLines(rest, place, build));
}

/** Advice hinders nothing: what cannot be found out is not told. */
async function tell(lines: Promise<string[]>): Promise<void> {
  for (const line of await lines.catch((): string[] => [])) process.stderr.write(`${line}\n`);
}

async function variableLines(
  rest: Rest,
  { service, ...place }: FindingsTarget & { service: Service },
  { envTemplate, requiredVariables, static: isStatic }: Asking,
  given: readonly string[],
): Promise<string[]> {
  if (requiredVariables.length === 0) return [];
  const path = `/environments/${place.environment.id}/variables`;
  const there = await rest.all<Variable>(path, undefined, { serviceId: service.id });
  const set = new Set(given.map((pair) => pair.split('=')[0]));
  for (const { key, staged } of there) if (staged !== 'unset') set.add(key);
  const unset = requiredVariables.filter((name) => !set.has(name)).map(printable);
  const ofPages = unset.filter((name) => isStatic || isPublicByName(name));
  const others = unset.filter((name) => !ofPages.includes(name));
  const asks = (names: readonly string[]) => said`! ${service.slug} asks for ${namedVariables(names)} (${envTemplate})`;
  const words = wordsOf(service, place);
  const secret = others.find((name) => looksSecret(name, '-'));
  return [
    ...(others.length === 0 ? [] : [`${asks(others)}: ${howToSet(others)}; it may start without.`]),
    ...(secret === undefined
      ? []
      : [`  A secret one is set by \`./ballast var set ${quoted(secret)} --secret${words}\`.`]),
    ...(ofPages.length === 0
      ? []
      : [
          `${asks(ofPages)} for its pages: set ${them(ofPages)} by \`./ballast var set ${quoted(ofPages[0] ?? '')}=… --build-time also${words}\`, and deploy again.`,
        ]),
  ];
}

async function proposalLines(rest: Rest, place: FindingsTarget, build: Build): Promise<string[]> {
  const { proposed = [] } = build.builder?.detection ?? {};
  const known = proposed.filter(({ command }) => command.length > 0);
  if (known.length === 0) return [];
  const service = await serviceOf(rest, build);
  const there = new Set(
    (await processesThere({ rest, environment: place.environment, service })).map(({ name }) => name),
  );
  const words = wordsOf(service, place);
  return known.flatMap(({ name, line, command }) => {
    const isRelease = name === 'release';
    if (isRelease ? service.releaseCommand.length > 0 : there.has(name)) return [];
    const value = quoted(command.some((word) => /^\[|\s|^$/.test(word)) ? JSON.stringify(command) : command.join(' '));
    const [what, how] = isRelease
      ? ['a release command', `service set releaseCommand=${value}`]
      : [said`the process ${name}`, `process create ${quoted(name)} kind=worker command=${value}`];
    return [
      said`! ${service.slug} has ${what} (${line}), which nothing runs; this stages it:`,
      `    ./ballast ${how}${words}`,
    ];
  });
}

async function serviceOf(rest: Rest, { serviceId, environmentId }: Build): Promise<Service> {
  return await rest.call<Service>('GET', `/services/${serviceId}?environmentId=${environmentId}`);
}

function wordsOf({ slug }: Service, place: FindingsTarget): string {
  return ` --service ${slug}${placeWords(place)}`;
}

const them = (names: readonly string[]): string => (names.length === 1 ? 'it' : 'them');

function howToSet(names: readonly string[]): string {
  if (names.length > mostOptions)
    return 'set them with --set KEY=VALUE, or all of a file by `./ballast var import FILE`';
  return `set ${them(names)} with ${names.map((name) => `--set ${quoted(name)}=…`).join(' ')}`;
}

/** A word for a shell, as somebody may paste it. */
const quoted = (text: string): string => word(printable(text));
