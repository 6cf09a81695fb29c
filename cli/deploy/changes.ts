import type { ItemBody } from '../../api/change-sets/item-bodies.ts';
import type { ServiceSource } from '../../domain/services/settings.ts';
import { variableOf } from '../change-set/stage-changes.ts';
import { UsageError } from '../engine/command.ts';
import { type Rest, RestRefusal } from '../engine/rest.ts';
import type { Service } from '../place/chosen.ts';
import type { Process } from '../service/show.ts';
import type { Complete } from './missing.ts';

export interface Wanted {
  /** Absent where it stays. */
  source?: ServiceSource | undefined;
  port: number | undefined;
  /** `KEY=VALUE` each. */
  variables: readonly string[];
}

/** The changes that a deployment makes: source, port and variables, and the service where the environment does not have it yet. */
export async function changesFor(rest: Rest, to: Complete, wanted: Wanted): Promise<ItemBody[]> {
  const serviceId = to.service.id;
  const { source, port, variables } = wanted;
  const items: ItemBody[] = [{ kind: 'service.create', serviceId }];
  if (source !== undefined) {
    const value = withKept(source, await sourceThere(rest, to));
    items.push({ kind: 'service.set', serviceId, key: 'source', value });
  }
  for (const pair of variables) items.push(variableOf(pair, serviceId));
  if (port !== undefined)
    items.push({ kind: 'process.set', processId: await listening(rest, to), key: 'port', value: port });
  return items;
}

/** The source that the environment has of the service; where it lacks that, the one of its definition. */
export async function sourceThere(rest: Rest, { environment, service }: Complete): Promise<Service['source']> {
  const path = `/services/${service.id}?environmentId=${environment.id}`;
  const { source } = await rest.call<Pick<Service, 'source'>>('GET', path).catch((error: unknown) => {
    if (error instanceof RestRefusal && error.status === 404) return service;
    throw error;
  });
  return source;
}

/** The source with all that a command does not name: how one of the same kind is built, and how much its builds may take. */
function withKept(
  source: ServiceSource,
  { kind, builder, dockerfile, target, buildLimits = {} }: Service['source'],
): ServiceSource {
  const how = kind === source.kind ? { builder, dockerfile, target } : {};
  const limits = Object.entries(buildLimits).filter(([, limit]) => limit !== undefined);
  return { ...source, ...how, ...(limits.length === 0 ? {} : { buildLimits: Object.fromEntries(limits) }) };
}

/** The process that `--port` is for. */
async function listening(rest: Rest, { environment, service }: Complete): Promise<string> {
  const path = `/services/${service.id}/processes`;
  const there = rest.call<{ items: Process[] }>('GET', `${path}?environmentId=${environment.id}`);
  const { items } = await there.catch((error: unknown) => {
    // An environment that does not have the service yet gets its processes as they are defined.
    if (error instanceof RestRefusal && error.status === 404) return rest.call<{ items: Process[] }>('GET', path);
    throw error;
  });
  const found = items.filter(({ kind }) => kind === 'http' || kind === 'tcp');
  const [only] = found;
  if (only !== undefined && found.length === 1) return only.id;
  const help = `\`./ballast service set port=… --process NAME --service ${service.slug}\` sets that of one`;
  throw new UsageError(
    `--port does not say of which process: ${found.length === 0 ? 'none' : found.map(({ name }) => name).join(', ')} of ${service.slug} listens; ${help}.`,
  );
}
