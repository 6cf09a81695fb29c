import type { z } from 'zod';
import type { comparedServiceSchema, comparisonSchema } from '../../api/environments/copies.ts';
import { command, UsageError } from '../engine/command.ts';
import { asTable, printable } from '../engine/table.ts';
import { chosenProject, type Environment, meant } from '../place/chosen.ts';
import { here, projectOptions } from '../place/here.ts';

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

export function environmentNamed(environments: readonly Environment[], word: string): Environment {
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
