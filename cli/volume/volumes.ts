import type { z } from 'zod';
import type { volumeSchema } from '../../api/volumes/volume.ts';
import { draftOf, tellStaged } from '../change-set/stage-changes.ts';
import { UsageError } from '../engine/command.ts';
import { printable } from '../engine/table.ts';
import { chosenEnvironment, chosenProject, chosenService, type Environment, type Service } from '../place/chosen.ts';
import type { Here } from '../place/here.ts';
import { processesThere } from '../service/chosen-process.ts';

export type Volume = z.output<typeof volumeSchema> & { process: string };

/** Where volumes are changed: a service in an environment. */
export async function placeToChange(place: Here): Promise<{ environment: Environment; service: Service }> {
  const project = await chosenProject(place);
  const service = await chosenService(place, project);
  return { service, environment: await chosenEnvironment(place, project, { change: true }) };
}

/** The volumes of a service as its environment wants them. */
export async function volumesThere(here: Here, environment: Environment, service: Service): Promise<Volume[]> {
  const found: Volume[] = [];
  for (const { id, name } of await processesThere(here, environment, service)) {
    const volumes = await here.rest.all<z.output<typeof volumeSchema>>(`/processes/${id}/volumes`, undefined, {
      environmentId: environment.id,
    });
    found.push(...volumes.map((volume) => ({ ...volume, process: name })));
  }
  return found;
}

/** Names are unique in a service. */
export async function volumeNamed(
  here: Here,
  environment: Environment,
  service: Service,
  name: string,
): Promise<Volume> {
  const volumes = await volumesThere(here, environment, service);
  const found = volumes.find((volume) => volume.name === name);
  if (found !== undefined) return found;
  const there = volumes.map((volume) => volume.name).join(', ') || 'none';
  throw new UsageError(
    `There is no volume "${printable(name)}" of ${service.slug} in ${environment.slug}; there is: ${there}.`,
  );
}

/** The draft after a change. */
export async function tellDraft({ rest }: Here, environment: Environment, json = false): Promise<void> {
  tellStaged(await draftOf(rest, environment), environment, json);
}
