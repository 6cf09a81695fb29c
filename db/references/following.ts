import type { Kysely } from 'kysely';
import { changedBy, type References } from '../../domain/references/graph.ts';
import type { ServiceSettings } from '../../domain/services/settings.ts';
import type { EnvironmentRef } from '../change-sets/environment-ref.ts';
import type { Tables } from '../postgres/tables.ts';
import { referencesWith, type StagedVariable } from './referring.ts';

interface Changes {
  applied: ReadonlyMap<string, ServiceSettings>;
  wanted: ReadonlyMap<string, ServiceSettings>;
  items: readonly StagedVariable[];
}

/** The services with variables that have other values after these changes, directly or by others, and the references then. */
export async function following(
  kysely: Kysely<Tables>,
  place: EnvironmentRef,
  { applied, wanted, items }: Changes,
): Promise<{ references: References; services: string[] }> {
  const [before, references] = await referencesWith(
    kysely,
    place,
    { settings: applied, items: [] },
    { settings: wanted, items },
  );
  const changed = items
    .filter(({ kind }) => kind === 'variable.set' || kind === 'variable.unset')
    .map(({ service_id: scope, key }) => ({ scope: scope ?? '', key }));
  const isMoved = ({ serviceId, processId }: { serviceId: string; processId: string }): boolean =>
    addressOf(before, serviceId, processId) !== addressOf(references, serviceId, processId);
  // The meaning of a name can change, too: from a variable to an address.
  const variables = [before, references].flatMap((one) => changedBy(one, changed, isMoved));
  const services = new Set(variables.map(({ scope }) => scope));
  return { references, services: [...services].filter((id) => wanted.has(id)) };
}

function addressOf({ names }: References, serviceId: string, processId: string): string {
  const one = names.listening(serviceId).find(({ id }) => id === processId);
  return one === undefined ? '' : `${one.name} ${one.kind} ${one.port}`;
}
