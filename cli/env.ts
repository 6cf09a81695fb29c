import type { z } from 'zod';
import type { clonedSchema, comparedServiceSchema, comparisonSchema } from '../api/environments/copies.ts';
import type { environmentDeletionImpactSchema } from '../api/environments/operations.ts';
import { defined } from '../domain/defined.ts';
import type { Cluster } from './cluster.ts';
import { type Losses, restorableDeletion, restorableOptions } from './deleted.ts';
import { command } from './engine/command.ts';
import { listed } from './engine/outcome.ts';
import { asFacts, asTable, said } from './engine/table.ts';
import {
  type Environment,
  environmentHere,
  type InProject,
  meantOf,
  projectHere,
  type Service,
} from './place/chosen.ts';
import { environmentOptions, projectOptions } from './place/here.ts';

type Compared = z.output<typeof comparedServiceSchema>;
type Comparison = z.output<typeof comparisonSchema>;

export const envCompare = command({
  summary: 'Compares two environments of a project, service by service',
  usage: 'A B [--project PROJECT] [--json]',
  details:
    'Images, settings and variables, those that services share among them, as they were applied. Values of secret variables are compared and never shown.',
  options: projectOptions,
  run: async (given, [first = '', second = '']) => {
    const { rest, project } = await projectHere(given);
    const environments = await environmentsOf({ rest, project });
    const from = meantOf('environment', environments, first);
    const to = meantOf('environment', environments, second);
    const compared = await rest.call<Comparison>('GET', `/environments/${from.id}/compare?with=${to.id}`);
    const { services, shared } = compared;
    const different = services.filter(({ comparison }) => comparison !== 'same');
    const rows = [...different.flatMap(rowsOf), ...shared.map((one) => rowOf('(shared)', one))];
    const columns = { service: 'slug', what: 'what', from: 'from', to: 'to' } as const;
    const titles = ['service', 'what', from.slug, to.slug];
    const text = asTable(rows, `${from.slug} and ${to.slug} are the same.`, columns, titles);
    return { json: { services, shared }, text };
  },
});

function environmentsOf({ rest, project }: Pick<InProject, 'rest' | 'project'>): Promise<Environment[]> {
  return rest.all<Environment>(`/projects/${project.id}/environments`);
}

interface Row {
  slug: string;
  what: string;
  from: string;
  to: string;
}

function rowsOf({ slug, comparison, differences, fromRelease, toRelease }: Compared): Row[] {
  const row = { slug, what: 'service', from: 'not there', to: 'not there' };
  if (comparison === 'only-from') return [{ ...row, from: released(fromRelease) }];
  if (comparison === 'only-to') return [{ ...row, to: released(toRelease) }];
  return differences.map((one) => rowOf(slug, one));
}

function rowOf(slug: string, { kind, process, key, from, to, secret }: Comparison['shared'][number]): Row {
  const what = [kind === 'setting' ? '' : kind, process, key].filter((word) => word !== '').join(' ');
  return { slug, what, ...(secret ? { from: '(secret)', to: '(another secret)' } : { from, to }) };
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
  options: {
    production: { type: 'boolean', what: 'Changes there wait for an approval.' },
    ...projectOptions,
  },
  run: async ({ production = false, ...given }, [source = '', name = '']) => {
    const { rest, project } = await projectHere(given);
    const { id, slug } = meantOf('environment', await environmentsOf({ rest, project }), source);
    const made = await rest.call<Cloned>('POST', `/environments/${id}/clone`, { name, production });
    return {
      json: made,
      text: `${project.slug} has the environment ${made.slug}, with all of ${slug} staged.`,
      below: async () => {
        const services = made.leftOut.length > 0 ? await rest.all<Service>(`/projects/${project.id}/services`) : [];
        return `${leftOutText(made, services)}\`./ballast deploy --staged --environment ${made.slug}\` deploys it.`;
      },
    };
  },
});

function leftOutText({ leftOut, slug }: Cloned, services: readonly Service[]): string {
  if (leftOut.length === 0) return '';
  const places = leftOut.map(({ serviceId, key }) => {
    const of = services.find(({ id }) => id === serviceId)?.slug;
    const where = of === undefined ? '--shared' : `--service ${of}`;
    return said`  ./ballast var set ${key} --secret ${where} --environment ${slug}\n`;
  });
  return `Secrets of production are not copied into what is not production. Give them values there:\n${places.join('')}`;
}

export const envCreate = command({
  summary: 'Creates an environment in a project',
  usage: 'NAME [--production] [--cluster SLUG] [--project PROJECT] [--json]',
  details: 'Changes to a production environment wait for an approval.',
  options: {
    production: { type: 'boolean', what: 'Changes there wait for an approval.' },
    cluster: { type: 'string', value: 'SLUG', what: 'Where its services run; else the recommended cluster.' },
    ...projectOptions,
  },
  run: async ({ production = false, cluster, ...given }, [name = '']) => {
    const { rest, project } = await projectHere(given);
    const on = cluster === undefined ? undefined : meantOf('cluster', await rest.all<Cluster>('/clusters'), cluster);
    const body = defined({ name, production, clusterId: on?.id });
    const made = await rest.call<Environment>('POST', `/projects/${project.id}/environments`, body);
    return { json: made, text: `${project.slug} has the environment ${made.slug}.` };
  },
});

type Impact = z.output<typeof environmentDeletionImpactSchema>;

export const envDelete = command({
  summary: 'Deletes an environment, with what runs there',
  usage: 'NAME [--wait] [--yes] [--project PROJECT] [--json]',
  details: `Tells what ends with it, and asks for its name; elsewhere than at a terminal \`--yes\` is the answer. It takes an admin's token. Its
settings, variables, releases and volumes are kept for the retention: see \`./ballast deleted --help\`.`,
  options: { ...restorableOptions, ...projectOptions },
  run: async ({ wait, yes, ...given }, [named = '']) => {
    // The loss is great: the environment is never guessed.
    const { rest, environment } = await environmentHere({ ...given, environment: named }, { change: true });
    return await restorableDeletion(rest, 'environment', environment, { wait, yes }, lostWith);
  },
});

function lostWith({ services, databases, stagedServices, ...impact }: Impact): Losses {
  const { volumes, inFlightDeployments, pendingApprovals, stagedChanges } = impact;
  const names = (list: readonly { name: string }[]) => list.map(({ name }) => name).join(', ');
  return [
    [services.length + databases.length, `stopped: ${names([...services, ...databases])}`],
    [volumes.count, `volumes kept until it is purged: ${volumes.count}`],
    [impact.backups.count, `backups of volumes, which stay in their stores: ${impact.backups.count}`],
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
    const place = await projectHere(given);
    const none = `${place.project.slug} has no environment; see \`./ballast env create --help\`.`;
    return listed({ environments: await environmentsOf(place) }, none, {
      slug: 'slug',
      name: 'name',
      kind: ({ production, kind }) => (production ? 'production' : kind),
      cluster: ({ clusterId }) => clusterId ?? 'no cluster yet',
      created: 'createdAt',
    });
  },
});

export const envShow = command({
  summary: 'Shows the facts of an environment',
  usage: '[--project PROJECT] [--environment ENVIRONMENT] [--json]',
  details: 'Its services, with what runs and where it answers, are shown by `./ballast status`.',
  options: environmentOptions,
  run: async (given) => {
    const { project, environment } = await environmentHere(given, { change: false });
    const { id, slug, name, production, kind, namespace, clusterId, gitBranch, autoDeploy, createdAt } = environment;
    const text = asFacts({
      environment: `${slug} "${name}" ${id}`,
      project: project.slug,
      kind: production ? 'production: changes wait for an approval' : kind,
      namespace,
      cluster: clusterId ?? 'none chosen yet',
      branch: gitBranch,
      deploys: autoDeploy ? 'builds of its branch' : 'only when told',
      created: createdAt,
    });
    return { json: environment, text };
  },
});
