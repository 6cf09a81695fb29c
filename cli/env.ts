import type { z } from 'zod';
import type { clonedSchema, comparedServiceSchema, comparisonSchema } from '../api/environments/copies.ts';
import type { environmentDeletionImpactSchema } from '../api/environments/operations.ts';
import type { Cluster } from './cluster.ts';
import { confirmLoss, restorable, yesOption } from './deleted.ts';
import { command, UsageError } from './engine/command.ts';
import { restOptions } from './engine/rest.ts';
import { asLines, asTable, printable } from './engine/table.ts';
import { chosenEnvironment, chosenProject, type Environment, meant, type Service } from './place/chosen.ts';
import { environmentOptions, here, projectOption, projectOptions } from './place/here.ts';

type Compared = z.output<typeof comparedServiceSchema>;
type Comparison = z.output<typeof comparisonSchema>;

export const envCompare = command({
  summary: 'Compares two environments of a project, service by service',
  usage: 'A B [--project PROJECT] [--json]',
  details:
    'Images, settings and variables, those that services share among them, as they were applied. Values of secret variables are compared and never shown.',
  words: { least: 2, most: 2 },
  options: projectOptions,
  run: async (given, [first = '', second = '']) => {
    const place = await here(given);
    const project = await chosenProject(place);
    const environments = await place.rest.all<Environment>(`/projects/${project.id}/environments`);
    const from = environmentNamed(environments, first);
    const to = environmentNamed(environments, second);
    const compared = await place.rest.call<Comparison>('GET', `/environments/${from.id}/compare?with=${to.id}`);
    const { services, shared } = compared;
    if (given.json) return void process.stdout.write(`${JSON.stringify({ services, shared }, undefined, 2)}\n`);
    const different = services.filter(({ comparison }) => comparison !== 'same');
    if (different.length === 0 && shared.length === 0) {
      return void process.stdout.write(`${from.slug} and ${to.slug} are the same.\n`);
    }
    process.stdout.write(
      asTable(
        ['service', 'what', from.slug, to.slug],
        [...different.flatMap(rowsOf), ...shared.map((one) => rowOf('(shared)', one))],
      ),
    );
  },
});

function environmentNamed(environments: readonly Environment[], word: string): Environment {
  const found = meant(environments, word);
  if (found !== undefined) return found;
  const there = environments.map(({ slug }) => slug).join(', ');
  throw new UsageError(`There is no environment "${printable(word)}"; there is: ${there === '' ? 'none' : there}.`);
}

function rowsOf({ slug, comparison, differences, fromRelease, toRelease }: Compared): string[][] {
  if (comparison === 'only-from') return [[slug, 'service', released(fromRelease), 'not there']];
  if (comparison === 'only-to') return [[slug, 'service', 'not there', released(toRelease)]];
  return differences.map((one) => rowOf(slug, one));
}

function rowOf(slug: string, { kind, process, key, from, to, secret }: Comparison['shared'][number]): string[] {
  return [
    slug,
    [kind === 'setting' ? '' : kind, process, key].filter((word) => word !== '').join(' '),
    secret ? '(secret)' : printable(from),
    secret ? '(another secret)' : printable(to),
  ];
}

function released(number: number | undefined): string {
  return number === undefined ? 'no release' : `release ${number}`;
}

type Cloned = z.output<typeof clonedSchema>;

export const envClone = command({
  summary: 'Creates an environment, and stages in it all that another one has',
  usage: 'SOURCE NAME [--production] [--project PROJECT] [--json]',
  details: `Services, settings and variables, with the values of secret ones, which nobody is shown; out of production these are copied into
another production alone, and else named. Nothing runs there until \`./ballast deploy --staged\`. Data of volumes is not copied.`,
  words: { least: 2, most: 2 },
  options: {
    production: { type: 'boolean', what: 'Changes there wait for an approval.' },
    ...projectOptions,
  },
  run: async ({ production = false, ...given }, [source = '', name = '']) => {
    const place = await here(given);
    const project = await chosenProject(place);
    const environments = await place.rest.all<Environment>(`/projects/${project.id}/environments`);
    const { id, slug } = environmentNamed(environments, source);
    const made = await place.rest.call<Cloned>('POST', `/environments/${id}/clone`, { name, production });
    if (given.json) return void process.stdout.write(`${JSON.stringify(made, undefined, 2)}\n`);
    process.stdout.write(`${project.slug} has the environment ${made.slug}, with all of ${slug} staged.\n`);
    if (made.leftOut.length > 0) {
      const services = await place.rest.all<Service>(`/projects/${project.id}/services`);
      process.stderr.write(leftOutText(made, services));
    }
    process.stderr.write(`\`./ballast deploy --staged --environment ${made.slug}\` deploys it.\n`);
  },
});

function leftOutText({ leftOut, slug }: Cloned, services: readonly Service[]): string {
  const places = leftOut.map(({ serviceId, key }) => {
    const of = services.find(({ id }) => id === serviceId)?.slug;
    return `  ./ballast var set ${printable(key)} --secret ${of === undefined ? '--shared' : `--service ${of}`} --environment ${slug}\n`;
  });
  return `Secrets of production are not copied into what is not production. Give them values there:\n${places.join('')}`;
}

export const envCreate = command({
  summary: 'Creates an environment in a project',
  usage: 'NAME [--production] [--cluster SLUG] [--project PROJECT] [--json]',
  details: 'Changes to a production environment wait for an approval.',
  words: { least: 1, most: 1 },
  options: {
    production: { type: 'boolean', what: 'Changes there wait for an approval.' },
    cluster: { type: 'string', value: 'SLUG', what: 'Where its services run; else the recommended cluster.' },
    ...projectOptions,
  },
  run: async ({ production = false, cluster, ...given }, [name = '']) => {
    const place = await here(given);
    const project = await chosenProject(place);
    const clusterId = cluster === undefined ? undefined : await clusterNamed(place.rest, cluster);
    const body = { name, production, ...(clusterId === undefined ? {} : { clusterId }) };
    const made = await place.rest.call<Environment>('POST', `/projects/${project.id}/environments`, body);
    if (given.json) process.stdout.write(`${JSON.stringify(made, undefined, 2)}\n`);
    else process.stdout.write(`${project.slug} has the environment ${made.slug}.\n`);
  },
});

async function clusterNamed(rest: Awaited<ReturnType<typeof here>>['rest'], word: string): Promise<string> {
  const clusters = await rest.all<Cluster>('/clusters');
  const found = meant(clusters, word);
  if (found !== undefined) return found.id;
  const there = clusters.map(({ slug }) => slug).join(', ');
  throw new UsageError(`There is no cluster "${printable(word)}"; there is: ${there === '' ? 'none' : there}.`);
}

type Impact = z.output<typeof environmentDeletionImpactSchema>;

export const envDelete = command({
  summary: 'Deletes an environment, with what runs there',
  usage: 'NAME [--wait] [--yes] [--project PROJECT] [--json]',
  details: `Tells what ends with it, and asks for its name; elsewhere than at a terminal \`--yes\` is the answer. It takes an admin's token. Its
settings, variables, releases and volumes are kept for the retention: see \`./ballast deleted --help\`.`,
  words: { least: 1, most: 1 },
  options: {
    wait: { type: 'boolean', what: 'Let rollouts that have begun end by themselves; else they are asked to cancel.' },
    ...yesOption(),
    ...projectOption,
    ...restOptions,
  },
  run: async ({ wait, yes, ...given }, [named = '']) => {
    // The loss is great: the environment is never guessed.
    const place = await here({ ...given, environment: named });
    const project = await chosenProject(place);
    const environment = await chosenEnvironment(place, project, { change: true });
    const { id, slug, name } = environment;
    if (yes !== true) {
      const impact = await place.rest.call<Impact>('GET', `/environments/${id}/deletion-impact`);
      if (!(await confirmLoss({ noun: 'environment', called: slug, name }, lostWith(impact)))) return;
    }
    await place.rest.call('DELETE', `/environments/${id}${wait === true ? '?wait=true' : ''}`);
    if (given.json) process.stdout.write(`${JSON.stringify({ deleted: { id, slug } })}\n`);
    else process.stdout.write(restorable('environment', slug));
  },
});

function lostWith({ services, databases, stagedServices, ...impact }: Impact): [number, string][] {
  const { volumes, inFlightDeployments, pendingApprovals, stagedChanges } = impact;
  const names = (list: readonly { name: string }[]) => printable(list.map(({ name }) => name).join(', '));
  return [
    [services.length + databases.length, `stopped: ${names([...services, ...databases])}`],
    [volumes.count, `volumes kept until it is purged: ${volumes.count}`],
    [inFlightDeployments, `deployments under way: ${inFlightDeployments}`],
    [pendingApprovals, `approvals closed: ${pendingApprovals}`],
    [stagedChanges, `staged changes discarded: ${stagedChanges}`],
    [stagedServices.length, `discarded for good, since they were never applied: ${names(stagedServices)}`],
    [impact.lastEnvironment ? 1 : 0, 'it is the last environment of its project'],
  ];
}

export const envList = command({
  summary: 'Lists the environments of a project',
  usage: '[--project PROJECT] [--json]',
  options: projectOptions,
  run: async (given) => {
    const place = await here(given);
    const project = await chosenProject(place);
    const environments = await place.rest.all<Environment>(`/projects/${project.id}/environments`);
    if (given.json) return void process.stdout.write(`${JSON.stringify({ environments }, undefined, 2)}\n`);
    if (environments.length === 0) {
      return void process.stdout.write(`${project.slug} has no environment; see \`./ballast env create --help\`.\n`);
    }
    const rows = environments.map(({ slug, name, production, kind, clusterId, createdAt }) => [
      slug,
      printable(name),
      production ? 'production' : kind,
      clusterId ?? 'no cluster yet',
      createdAt,
    ]);
    process.stdout.write(asTable(['slug', 'name', 'kind', 'cluster', 'created'], rows));
  },
});

export const envShow = command({
  summary: 'Shows the facts of an environment',
  usage: '[--project PROJECT] [--environment ENVIRONMENT] [--json]',
  details: 'Its services, with what runs and where it answers, are shown by `./ballast status`.',
  options: environmentOptions,
  run: async (given) => {
    const place = await here(given);
    const project = await chosenProject(place);
    const environment = await chosenEnvironment(place, project, { change: false });
    if (given.json) return void process.stdout.write(`${JSON.stringify(environment, undefined, 2)}\n`);
    const { id, slug, name, production, kind, namespace, clusterId, gitBranch, autoDeploy, createdAt } = environment;
    process.stdout.write(
      asLines([
        ['environment', `${slug} "${name}" ${id}`],
        ['project', project.slug],
        ['kind', production ? 'production: changes wait for an approval' : kind],
        ['namespace', namespace],
        ['cluster', clusterId ?? 'none chosen yet'],
        ['branch', gitBranch],
        ['deploys', autoDeploy ? 'builds of its branch' : 'only when told'],
        ['created', createdAt],
      ]),
    );
  },
});
