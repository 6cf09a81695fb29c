import { type Option, UsageError } from '../engine/command.ts';
import { foundBy } from '../engine/given.ts';
import type { InService } from '../place/chosen.ts';
import type { Process } from './service.ts';

export const processOption = {
  process: { type: 'string', value: 'NAME', what: 'Name of the process; else the only one.' },
} as const satisfies Record<string, Option>;

type OfService = Pick<InService, 'rest' | 'environment' | 'service'>;

export async function processesThere({ rest, environment, service }: OfService): Promise<readonly Process[]> {
  const path = `/services/${service.id}/processes?environmentId=${environment.id}`;
  return (await rest.call<{ items: Process[] }>('GET', path)).items;
}

/** The process that is named, or the only one. */
export async function chosenProcess(place: OfService, named: string | undefined): Promise<Process> {
  const items = await processesThere(place);
  const [only] = items;
  if (named === undefined && only !== undefined && items.length === 1) return only;
  const there = items.map(({ name }) => name);
  if (named === undefined) throw new UsageError(`Say which process by --process: ${there.join(', ')}.`);
  const found = items.find(({ name }) => name === named);
  return foundBy(named, 'process', found, there);
}
