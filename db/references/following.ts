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

/** An environment as it is applied, and with staged changes. */
export interface Meanings {
  before: References;
  after: References;
}

/** The services with variables that have other values after these changes, directly or by others, and the references then. */
export async function following(
  kysely: Kysely<Tables>,
  place: EnvironmentRef,
  { applied, wanted, items }: Changes,
): Promise<{ references: References; services: string[] }> {
  const [before, after] = await referencesWith(
    kysely,
    place,
    { settings: applied, items: [] },
    { settings: wanted, items },
  );
  return { references: after, services: followingBy({ before, after }, { wanted, items }) };
}

export function followingBy({ before, after }: Meanings, { wanted, items }: Omit<Changes, 'applied'>): string[] {
  const changed = items
    .filter(({ kind }) => kind === 'variable.set' || kind === 'variable.unset')
    .map(({ service_id: scope, key }) => ({ scope: scope ?? '', key }));
  const isMoved = ({ serviceId, processId }: { serviceId: string; processId: string }): boolean =>
    addressOf(before, serviceId, processId) !== addressOf(after, serviceId, processId);
  // The meaning of a name can change, too: from a variable to an address.
  const variables = [before, after].flatMap((one) => changedBy(one, changed, isMoved));
  const services = new Set(variables.map(({ scope }) => scope));
  return [...services].filter((id) => wanted.has(id));
}

function addressOf({ names }: References, serviceId: string, processId: string): string {
  const one = names.listening(serviceId).find(({ id }) => id === processId);
  return one === undefined ? '' : `${one.name} ${one.kind} ${one.port}`;
}
