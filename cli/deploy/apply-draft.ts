import type { ItemBody } from '../../api/change-sets/item-bodies.ts';
import type { ServiceSource } from '../../domain/services/settings.ts';
import { type ChangeSetView, draftOf, othersItems, previewChanges, variableOf, withOthers } from '../change-set.ts';
import { accepting } from '../deployment/downtime.ts';
import { UsageError } from '../engine/command.ts';
import { type Rest, RestRefusal } from '../engine/rest.ts';
import type { Environment, Service } from '../place/chosen.ts';
import type { Here } from '../place/here.ts';
import type { Process } from '../service/service.ts';
import type { Interrupt } from './interrupt.ts';
import type { Complete } from './missing.ts';

export const nothingStaged = 'Nothing was deployed, and nothing more is staged than before.';

/** What a command needs to know of the answer. */
export interface Applied {
  changeSet: { id: string };
  approval?: { id: string };
  /** Images that are made first. */
  builds: { id: string; serviceId: string }[];
}

/** Changes that are applied. */
export interface Changes {
  /** Changes of the command, which are staged as they are applied, or not at all. */
  items: readonly ItemBody[];
  /** All of a service that is staged goes along, and nothing of others; absent: all that is staged there. */
  serviceId: string | undefined;
  /** A folder that was uploaded, of which the image of the service is made. */
  upload?: { serviceId: string; sourceId: string };
}

interface ApplyOptions {
  message: string | undefined;
  /** Changes of others go along. */
  all: boolean;
  downtimeAccepted: boolean;
  /** Deployed as they are, although nothing of them is staged. */
  deployServiceIds?: readonly string[];
  interrupt: Interrupt;
}

/** The part of the draft that would be applied, with the number of changes that stay staged beside it. */
export async function draftWith(
  rest: Rest,
  environment: Environment,
  { items, serviceId }: Changes,
): Promise<ChangeSetView & { left: number }> {
  const view = await previewChanges(rest, environment, items, serviceId);
  if (serviceId === undefined) return { ...view, left: 0 };
  const along = new Set(view.items.map(placeOf));
  const { items: staged } = await draftOf(rest, environment);
  return { ...view, left: staged.filter((item) => !along.has(placeOf(item))).length };
}

function placeOf({ serviceId, processId, volumeId, kind, key }: ChangeSetView['items'][number]): string {
  return JSON.stringify([serviceId, processId, volumeId, kind, key]);
}

/** Applies the draft as it was seen; undefined if somebody said no. A change that came meanwhile is seen first. */
export async function applyDraft(
  here: Here,
  environment: Environment,
  changes: Changes,
  seen: ChangeSetView,
  { message, all, downtimeAccepted, deployServiceIds = [], interrupt }: ApplyOptions,
): Promise<Applied | undefined> {
  const { items, serviceId, upload } = changes;
  for (let view = seen; ; view = await draftWith(here.rest, environment, changes)) {
    interrupt.leaves(nothingStaged);
    if (!(await withOthers(othersItems(view, here), all, 'Deploy'))) return undefined;
    const { id, revision } = view.changeSet;
    interrupt.check();
    // From here on the answer alone tells, so that it is waited for.
    interrupt.leaves('It may have been deployed all the same: `./ballast status` tells.');
    try {
      const applied = await accepting('downtime', downtimeAccepted, (downtime) =>
        here.rest.call<Applied>('POST', `/change-sets/${id}/apply`, {
          expectedRevision: revision,
          source: 'cli',
          // Where it is held, the person who decides is shown the reason.
          ...(message === undefined ? {} : { message, reason: message }),
          ...(items.length === 0 ? {} : { items }),
          ...(serviceId === undefined ? {} : { serviceIds: [serviceId] }),
          ...(upload === undefined ? {} : { uploads: [upload] }),
          ...(deployServiceIds.length === 0 ? {} : { deployServiceIds }),
          ...downtime,
        }),
      );
      interrupt.applied();
      return applied;
    } catch (error) {
      const changed = error instanceof RestRefusal && error.status === 409 && (await hasChanged(view));
      if (!changed) throw error;
    }
  }

  async function hasChanged({ changeSet }: ChangeSetView): Promise<boolean> {
    const now = await draftOf(here.rest, environment);
    return now.changeSet.id !== changeSet.id || now.changeSet.revision !== changeSet.revision;
  }
}

interface ServiceChanges {
  /** Absent where it stays. */
  source?: ServiceSource | undefined;
  port: number | undefined;
  /** `KEY=VALUE` each. */
  variables: readonly string[];
}

/** The changes that a deployment makes: source, port and variables, and the service where the environment does not have it yet. */
export async function changesFor(rest: Rest, to: Complete, wanted: ServiceChanges): Promise<ItemBody[]> {
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
