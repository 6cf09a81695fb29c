import type { Kysely } from 'kysely';
import { z } from 'zod';
import type { NewItem, Stager } from '../../db/change-sets/staging.ts';
import { type DeletedThing, findDeletedThing, listDeletedThings } from '../../db/deletions/things/deleted-things.ts';
import { mountingSettings } from '../../db/deletions/things/hide.ts';
import { requestPurgeOfThing } from '../../db/deletions/things/purge-thing.ts';
import { restoreThing } from '../../db/deletions/things/restore-thing.ts';
import { authorKinds } from '../../db/engine/author.ts';
import type { Effect } from '../../db/engine/effect.ts';
import type { Tables } from '../../db/postgres/tables.ts';
import { findProcess, reviveProcesses } from '../../db/services/processes.ts';
import { ofProcess } from '../../db/services/volumes.ts';
import { placesOfService, wantedSettings } from '../../db/services/wanted-settings.ts';
import { shownKind, shownKinds } from '../../domain/deletions/kinds.ts';
import { Problem } from '../../domain/problems.ts';
import { mountFaults } from '../../domain/services/process-faults.ts';
import type { ServiceSettings } from '../../domain/services/settings.ts';
import { addedVolumeFaults } from '../../domain/services/volumes.ts';
import { slugPattern } from '../../domain/slug.ts';
import { deletionStates } from '../../workflows/deletion/descriptor.ts';
import type { AnswerOf } from '../engine/answers.ts';
import type { OrganizationCaller } from '../engine/caller.ts';
import { invalidField } from '../engine/input/input.ts';
import { operation } from '../engine/operation.ts';
import { createdPosition, oneMore, pageOf } from '../engine/positions.ts';
import { theService } from '../services/service.ts';
import { placesOf, stageIn } from '../services/service-place.ts';
import { theVolume } from '../volumes/volume.ts';

export const deletedItemSchema = z
  .object({
    id: z.guid().describe('The id that it had when it was deleted.'),
    kind: z.enum(shownKinds),
    name: z.string(),
    slug: z.string().describe('Empty if it has none, as a volume.'),
    projectId: z.guid(),
    context: z.string().describe('Where it was: the name of its project or service.'),
    detail: z.string().describe('What was in it, and what stands in the way of its restoration or purge.'),
    deletedAt: z.iso.datetime(),
    deletedBy: z.object({ id: z.string(), name: z.string(), type: z.enum(authorKinds) }),
    restorable: z.boolean(),
    restoreUntil: z.iso.datetime().describe('When it is purged.'),
    deletionId: z.guid().describe('Its workflow.'),
    state: z.enum(deletionStates),
    purgeable: z.boolean(),
  })
  .meta({ id: 'DeletedItem' });

const deletedItemPath = z.strictObject({
  kind: z.enum(shownKinds),
  id: z.guid().toLowerCase().describe('The id that it had when it was deleted.'),
});

function deletedItemAnswer(thing: DeletedThing): AnswerOf<typeof deletedItemSchema> {
  const { kind, createdAt: deletedAt, deletedBy: by } = thing;
  return {
    ...thing,
    kind: shownKind(kind),
    detail: detailOf(thing),
    deletedAt,
    deletedBy: { ...by, type: by.kind },
  };
}

function detailOf({ detail, parent, message, blocker }: DeletedThing): string {
  const above = parent === null ? '' : `Restore the ${parent.kind} "${parent.name}" first`;
  const parts = [detail, above, blocker ?? message ?? ''];
  return parts.flatMap((part) => (part === '' ? [] : [part.replace(/\.$/, '')])).join('. ');
}

/** A deleted part of the caller's organization, of a project that it may see. */
async function deletedThingOf(
  caller: OrganizationCaller,
  { kind, id }: z.output<typeof deletedItemPath>,
  kysely: Kysely<Tables>,
): Promise<DeletedThing> {
  const found = await findDeletedThing(kysely, caller.organization.id, kind, id);
  if (found !== undefined && caller.seesProject(found.projectId)) return found;
  throw new Problem('not-found', `There is no such deleted ${kind}.`);
}

const listDeleted = operation({
  method: 'GET',
  url: '/api/v1/deleted',
  summary: 'List deleted services, databases, volumes, environments and projects, newest first',
  description:
    'Those that were restored or purged are not listed, and none that went with another one: they come back with that.',
  role: 'viewer',
  projectTokens: 'allowed',
  paged: { after: createdPosition },
  result: deletedItemSchema,
  async handle({ caller, database, page }) {
    const rows = await listDeletedThings(database.kysely, caller.organization.id, {
      ...oneMore(page),
      within: caller.projectIds,
    });
    return pageOf(rows, page, deletedItemAnswer, ({ deletionId }) => deletionId);
  },
});

const purgeDeleted = operation({
  method: 'POST',
  url: '/api/v1/deleted/{kind}/{id}/purge',
  summary: 'Purge a deleted service, database, volume, environment or project now',
  description:
    'Its rows and its data on clusters are deleted, and nothing can be restored afterwards. What is in it goes with it. A failed purge is retried.',
  role: 'admin',
  projectTokens: 'refused',
  credentials: 'session',
  rate: 'deletions',
  problems: ['not-found', 'already-decided'],
  path: deletedItemPath,
  body: z.strictObject({ confirm: z.string().max(255).describe('Its name.') }),
  async handle({ caller, path, body, effect }) {
    const thing = await deletedThingOf(caller, path, effect.kysely);
    if (body.confirm !== thing.name) {
      const message = `must be the name of the ${thing.kind}, ${thing.name}`;
      throw invalidField('body.confirm', message, body.confirm);
    }
    await requestPurgeOfThing(effect, thing);
  },
});

/** Slugs of all kinds have one form. A volume has a name instead, of the same letters. */
const restoredSlug = z
  .string()
  .max(40)
  .regex(slugPattern, 'uses lowercase letters, digits and hyphens, and begins and ends with a letter or a digit')
  .describe('Instead of the one that it had, where that is taken by now. Of a volume, its name.');

interface Back {
  organizationId: string;
  environmentId: string;
  environment: string;
  serviceId: string;
  volumeId: string;
}

/**
 * Stages what mounts a volume again in an environment, as the newest release there had it: the volume alone, its process with it, or
 * the whole service, whichever of them is not there any more. Nothing, where it is mounted or no release says how.
 */
async function stageBack(
  effect: Effect,
  keyring: Stager,
  caller: OrganizationCaller,
  { organizationId, environmentId, environment, serviceId, volumeId }: Back,
): Promise<void> {
  const place = { organizationId, environmentId };
  const frozen = await mountingSettings(effect.kysely, { ...place, serviceId, volumeId });
  if (frozen === undefined) return;
  const wanted = (await wantedSettings(effect.kysely, place, [serviceId])).get(serviceId);
  const settings = await reviveProcesses(effect, { organizationId, serviceId }, only(frozen, volumeId, wanted));
  const item = itemFor({ serviceId, volumeId }, settings, wanted);
  if (item === undefined) return;
  if (item.processId !== undefined) await ofProcess(effect, organizationId, volumeId, item.processId);
  await stageIn(effect, keyring, [{ ...place, name: environment, settings }], [item], caller);
}

/** All of a service that is not there any more; else the process of the volume alone. */
function only(frozen: ServiceSettings, volumeId: string, wanted: ServiceSettings | undefined): ServiceSettings {
  if (wanted === undefined) return frozen;
  const processes = Object.entries(frozen.processes).filter(([, { volumes }]) => volumes?.[volumeId] !== undefined);
  return { ...frozen, processes: Object.fromEntries(processes) };
}

function itemFor(
  { serviceId, volumeId }: Pick<Back, 'serviceId' | 'volumeId'>,
  settings: ServiceSettings,
  wanted: ServiceSettings | undefined,
): NewItem | undefined {
  if (wanted === undefined) return { kind: 'service.create', serviceId, key: '', to: { ...settings } };
  const [processId, process] = Object.entries(settings.processes)[0] ?? [];
  const volume = process?.volumes?.[volumeId];
  if (processId === undefined || process === undefined || volume === undefined) return undefined;
  const there = wanted.processes[processId];
  if (there?.volumes?.[volumeId] !== undefined) return undefined;
  if (there === undefined) return { kind: 'process.create', serviceId, processId, key: '', to: { ...process } };
  return { kind: 'volume.create', serviceId, processId, volumeId, key: volume.name, to: { ...volume } };
}

/** A restored volume is mounted again in each environment that has its process and room for it, once that is applied. */
async function stageRestored(
  effect: Effect,
  keyring: Stager,
  caller: OrganizationCaller,
  volumeId: string,
): Promise<void> {
  const { organizationId, serviceId, processId, definition } = await caller.see(theVolume, volumeId, effect.kysely);
  const service = await caller.see(theService, serviceId, effect.kysely);
  if ((await findProcess(effect.kysely, organizationId, processId)) === undefined) {
    // Its process went along with it, and comes back where releases had it.
    for (const place of await placesOfService(effect.kysely, service)) {
      const back = { ...place, environment: place.name, serviceId, volumeId };
      await stageBack(effect, keyring, caller, back);
    }
    return;
  }
  const all = await placesOf(effect, caller, service, undefined);
  const places = all.filter(({ settings }) => {
    const process = settings.processes[processId];
    if (process === undefined || process.volumes?.[volumeId] !== undefined) return false;
    return (
      mountFaults({ ...process, volumes: { new: definition } }).length === 0 &&
      addedVolumeFaults(settings, processId, definition).length === 0
    );
  });
  const item = { kind: 'volume.create' as const, serviceId, processId, volumeId, key: definition.name };
  await stageIn(effect, keyring, places, [{ ...item, to: definition }], caller);
}

const restoreDeleted = operation({
  method: 'POST',
  url: '/api/v1/deleted/{kind}/{id}/restore',
  summary: 'Restore a deleted service, database, volume, environment or project',
  description:
    'With its id, settings, variables, releases and volumes, and with all that was deleted along with it. It needs the project, or of a volume the service, that it was in. Services that ran are suspended until somebody resumes them. If its slug is taken by now, the answer is 409: give another one. A volume is staged where its process is.',
  role: 'admin',
  projectTokens: 'allowed',
  rate: 'deletions',
  problems: ['not-found', 'conflict', 'already-decided', 'slug-taken'],
  path: deletedItemPath,
  body: z.strictObject({ slug: restoredSlug.optional() }).optional(),
  result: z
    .object({
      id: z.guid(),
      kind: z.enum(shownKinds),
      name: z.string(),
      projectId: z.guid(),
      slug: z.string(),
      stopped: z.boolean().describe('Services of it ran when it was deleted; they are suspended.'),
    })
    .meta({ id: 'Restored' }),
  async handle({ caller, path, body, effect, server }) {
    const thing = await deletedThingOf(caller, path, effect.kysely);
    const restored = await restoreThing(effect, thing, body?.slug);
    const { id, kind, left } = restored;
    if (kind === 'volume') await stageRestored(effect, server.keyring, caller, id);
    if (left !== undefined) await stageBack(effect, server.keyring, caller, left);
    return { ...restored, kind: shownKind(kind) };
  },
});

export const deletions = { list: listDeleted, restore: restoreDeleted, purge: purgeDeleted };
