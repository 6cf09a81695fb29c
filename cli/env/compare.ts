import type { z } from 'zod';
import type { comparedServiceSchema } from '../../api/environments/copies/compare-environments.ts';
import { command, UsageError } from '../engine/command.ts';
import { asTable, printable } from '../engine/table.ts';
import { chosenProject, type Environment, meant } from '../place/chosen.ts';
import { here, projectOptions } from '../place/here.ts';

type Compared = z.output<typeof comparedServiceSchema>;

export const envCompare = command({
  summary: 'Compares two environments of a project, service by service',
  usage: 'A B [--project PROJECT] [--json]',
  details:
    'Images, settings and variables, as they were applied. Values of secret variables are compared and never shown.',
  words: { least: 2, most: 2 },
  options: projectOptions,
  run: async (given, [first = '', second = '']) => {
    const place = await here(given);
    const project = await chosenProject(place);
    const environments = await place.rest.all<Environment>(`/projects/${project.id}/environments`);
    const from = environmentNamed(environments, first);
    const to = environmentNamed(environments, second);
    const { services } = await place.rest.call<{ services: Compared[] }>(
      'GET',
      `/environments/${from.id}/compare?with=${to.id}`,
    );
    if (given.json) return void process.stdout.write(`${JSON.stringify({ services }, undefined, 2)}\n`);
    const different = services.filter(({ comparison }) => comparison !== 'same');
    if (different.length === 0) {
      return void process.stdout.write(`${from.slug} and ${to.slug} are the same.\n`);
    }
    process.stdout.write(asTable(['service', 'what', from.slug, to.slug], different.flatMap(rowsOf)));
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
  return differences.map(({ kind, process, key, from, to, secret }) => [
    slug,
    [kind === 'setting' ? '' : kind, process, key].filter((word) => word !== '').join(' '),
    secret ? '(secret)' : printable(from),
    secret ? '(another secret)' : printable(to),
  ]);
}

function released(number: number | undefined): string {
  return number === undefined ? 'no release' : `release ${number}`;
}
