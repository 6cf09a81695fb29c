import { type Option, UsageError } from '../engine/command.ts';
import { printable } from '../engine/table.ts';
import type { Environment, Service } from '../place/chosen.ts';
import type { Here } from '../place/here.ts';
import type { Process } from './service.ts';

export const processOption = {
  process: { type: 'string', value: 'NAME', what: 'Name of the process; else the only one.' },
} as const satisfies Record<string, Option>;

export async function processesThere(
  { rest }: Pick<Here, 'rest'>,
  environment: Environment,
  service: Service,
): Promise<readonly Process[]> {
  const path = `/services/${service.id}/processes?environmentId=${environment.id}`;
  return (await rest.call<{ items: Process[] }>('GET', path)).items;
}

/** The process that is named, or the only one. */
export async function chosenProcess(
  here: Here,
  environment: Environment,
  service: Service,
  named: string | undefined,
): Promise<Process> {
  const items = await processesThere(here, environment, service);
  const [only] = items;
  if (named === undefined && only !== undefined && items.length === 1) return only;
  const found = items.find(({ name }) => name === named);
  if (found !== undefined) return found;
  const there = items.map(({ name }) => name).join(', ');
  if (named === undefined) throw new UsageError(`Say which process by --process: ${there}.`);
  throw new UsageError(`There is no process "${printable(named)}"; there is: ${there}.`);
}
