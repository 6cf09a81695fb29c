import type { Kysely } from 'kysely';
import { applyVariables } from '../../../domain/change-sets/apply-items.ts';
import type { VariableValue } from '../../../domain/change-sets/staging.ts';
import type { Needs } from '../../../domain/references/deploy-order.ts';
import { changedBy, nodeOf, type References } from '../../../domain/references/graph.ts';
import type { FrozenConfig } from '../../../domain/repository-config/effective.ts';
import type { ServiceSettings, ServiceSource } from '../../../domain/services/settings.ts';
import type { Keyring } from '../../keys/keys.ts';
import type { Tables } from '../../postgres/tables.ts';
import { tenant } from '../../postgres/tenant.ts';
import { following } from '../../references/following.ts';
import { slugsOf } from '../../references/referring.ts';
import { liveFiles } from '../../releases/releases.ts';
import { appliedSettings, appliedVariables, withItems } from '../applied.ts';
import type { EnvironmentRef } from '../environment-ref.ts';
import { draftItems, type ItemRow, itemValue, sealedPlace } from '../items.ts';
import { lastImage, type ResolvedImage } from './resolved-image.ts';

export interface PlannedService {
  serviceId: string;
  slug: string;
  name: string;
  settings: ServiceSettings;
  suspended: boolean;
  deployedBefore: boolean;
  liveReleaseId: string | null;
  /** The uploaded source that its image is made of within this change set. */
  uploaded?: string;
  /** The digest of its last release here, where the source is the same and is not to be resolved again. */
  reused: ResolvedImage | undefined;
}

/** The meaning of a set of changes for an environment. */
export interface Plan {
  items: ItemRow[];
  applied: Map<string, ServiceSettings>;
  wanted: Map<string, ServiceSettings>;
  /** The services that change and stay, those whose references lead to other values then, and those that are to be deployed as they are. */
  affected: PlannedService[];
  /** Services that leave the environment. */
  removed: string[];
  /** The references then. */
  references: References;
  /** The services that each service needs then, by id. */
  needs: ReadonlyMap<string, Needs>;
  /** In production: one of its services is not excepted from approvals. */
  needsApproval: boolean;
}

/** Uploaded sources that images are made of within a change set, by service. */
export type Uploads = ReadonlyMap<string, string>;

/** Images that come otherwise than by a service's source. */
interface Brought {
  uploads?: Uploads;
  /** Images that another environment proved: they run whatever the source says. */
  promoted?: ReadonlyMap<string, ResolvedImage>;
}

/** Reads what these changes would make of the environment. `deployed`: services that are deployed although they do not change. */
export async function planChanges(
  kysely: Kysely<Tables>,
  place: EnvironmentRef,
  changeSetId: string,
  deployed: readonly string[] = [],
  { uploads = new Map(), promoted = new Map() }: Brought = {},
): Promise<Plan> {
  const items = await draftItems(kysely, place, changeSetId);
  const applied = await appliedSettings(kysely, place);
  const wanted = withItems(applied, items);
  const touched = [...new Set(items.flatMap(({ service_id: id }) => (id === null ? [] : [id])))];
  const { references, services } = await following(kysely, place, { applied, wanted, items });
  const rebuilt = rebuiltBy(references, items);
  const among = [...new Set([...touched, ...services, ...deployed, ...uploads.keys()])];
  const affected = await servicesOf(kysely, place, among, { wanted, items, rebuilt, uploads, promoted });
  const removed = touched.filter((id) => applied.has(id) && !wanted.has(id));
  const shared = items.some(({ service_id: id }) => id === null);
  const needsApproval =
    shared || (await isGated(kysely, place, [...affected.map(({ serviceId }) => serviceId), ...removed]));
  const files = new Map<string, FrozenConfig | undefined>(await liveFiles(kysely, place));
  for (const { serviceId, reused } of affected) if (reused !== undefined) files.set(serviceId, reused.file);
  const needs = needsOf(wanted, references, files, await slugsOf(kysely, place, [...wanted.keys()]));
  return { items, applied, wanted, affected, removed, references, needs, needsApproval };
}

/** The services whose builds would be given other variables: an image of before has the old values in it. */
function rebuiltBy(references: References, items: readonly ItemRow[]): Set<string> {
  const changed = items.filter(({ kind }) => kind === 'variable.set' || kind === 'variable.unset');
  const seen = ({ build_time: now, from_build_time: before }: ItemRow) =>
    [now, before].some((one) => one !== null && one !== 'no');
  const own = changed.flatMap((item) => (item.service_id !== null && seen(item) ? [item.service_id] : []));
  const variables = changed.map(({ service_id: scope, key }) => ({ scope: scope ?? '', key }));
  const led = new Set(changedBy(references, variables, () => false).map(nodeOf));
  return new Set([
    ...own,
    ...references.ofBuilds().flatMap((one) => (one.scope !== '' && led.has(nodeOf(one)) ? [one.scope] : [])),
  ]);
}

function needsOf(
  wanted: ReadonlyMap<string, ServiceSettings>,
  references: References,
  files: ReadonlyMap<string, FrozenConfig | undefined>,
  slugs: ReadonlyMap<string, string>,
): Map<string, Needs> {
  const refersTo = references.refersTo();
  const bySlug = new Map([...slugs].map(([id, slug]) => [slug, id]));
  return new Map(
    [...wanted].map(([id, { dependsOn }]) => {
      const named = [...dependsOn, ...(files.get(id)?.effective.dependsOn ?? [])];
      const ids = named.flatMap((slug) => bySlug.get(slug) ?? []);
      return [id, { dependsOn: new Set(ids), refersTo: new Set(refersTo.get(id)?.keys()) }];
    }),
  );
}

/** The variables of these services after the changes, secret ones decrypted. */
export async function wantedVariables(
  kysely: Kysely<Tables>,
  keyring: Pick<Keyring, 'decryptSecret'>,
  place: EnvironmentRef,
  items: readonly ItemRow[],
  serviceIds: readonly string[],
): Promise<Map<string, Map<string, VariableValue>>> {
  const applied = await appliedVariables(kysely, keyring, place, serviceIds);
  const changes = items
    .filter(({ kind }) => kind === 'variable.set' || kind === 'variable.unset')
    .map(async (item) => ({
      kind: item.kind,
      serviceId: item.service_id,
      key: item.key,
      value: await newValue(keyring, place, item),
    }));
  return applyVariables(applied, await Promise.all(changes));
}

/** The value that an item gives to its variable; `undefined` if it takes it away. */
export async function newValue(
  keyring: Pick<Keyring, 'decryptSecret'>,
  { organizationId }: EnvironmentRef,
  item: ItemRow,
): Promise<VariableValue | undefined> {
  if (item.kind !== 'variable.set') return undefined;
  const { id, sealed_to: sealed, secret } = item;
  const buildTime = item.build_time ?? 'no';
  if (sealed === null) return { value: String(itemValue(item) ?? ''), secret, buildTime };
  return { value: await keyring.decryptSecret(organizationId, sealedPlace(id), sealed), secret: true, buildTime };
}

async function servicesOf(
  kysely: Kysely<Tables>,
  { organizationId, environmentId }: EnvironmentRef,
  touched: readonly string[],
  {
    wanted,
    items,
    rebuilt,
    uploads,
    promoted,
  }: Pick<Plan, 'items' | 'wanted'> & Required<Brought> & { rebuilt: ReadonlySet<string> },
): Promise<PlannedService[]> {
  const ids = touched.filter((id) => wanted.has(id));
  if (ids.length === 0) return [];
  const rows = await tenant(kysely, organizationId)
    .selectFrom('service')
    .leftJoin('environment_service', (join) =>
      join
        .onRef('environment_service.service_id', '=', 'service.id')
        .on('environment_service.environment_id', '=', environmentId),
    )
    .select(({ exists, selectFrom }) => [
      exists(
        selectFrom('deployment')
          .select('deployment.id')
          .whereRef('deployment.service_id', '=', 'service.id')
          .where('deployment.environment_id', '=', environmentId),
      )
        .$castTo<boolean>()
        .as('deployedBefore'),
      'service.id as serviceId',
      'service.slug',
      'service.name',
      'environment_service.suspended',
      'environment_service.live_release_id as liveReleaseId',
    ])
    .where('service.id', 'in', ids)
    .where('service.deletion_id', 'is', null)
    .orderBy('service.created_at')
    .orderBy('service.id')
    .execute();
  const result: PlannedService[] = [];
  for (const { suspended, ...row } of rows) {
    const settings = wanted.get(row.serviceId);
    if (settings === undefined) continue;
    const staged = items.some((item) => item.slot === `service ${row.serviceId} source`);
    const uploaded = settings.source.kind === 'upload' ? uploads.get(row.serviceId) : undefined;
    const again = staged || uploaded !== undefined || (rebuilt.has(row.serviceId) && isRepository(settings.source));
    const place = { organizationId, environmentId, serviceId: row.serviceId };
    const reused = promoted.get(row.serviceId) ?? (again ? undefined : await lastImage(kysely, place, settings));
    const made = uploaded === undefined ? {} : { uploaded };
    result.push({ ...row, settings, suspended: suspended ?? false, reused, ...made });
  }
  return result;
}

async function isGated(
  kysely: Kysely<Tables>,
  { organizationId }: EnvironmentRef,
  serviceIds: readonly string[],
): Promise<boolean> {
  if (serviceIds.length === 0) return false;
  const gated = await tenant(kysely, organizationId)
    .selectFrom('service')
    .select('id')
    .where('id', 'in', serviceIds)
    .where('skip_production_approval', '=', false)
    .limit(1)
    .executeTakeFirst();
  return gated !== undefined;
}

/** Whether images are made of it here, from a repository that can be asked. */
export function isRepository({ kind, gitUrl, repository }: ServiceSource): boolean {
  return kind === 'git' && (gitUrl !== '' || repository !== '');
}

/** Whether it has something to run: an image that is named or was built, and processes. */
export function hasImage({ settings, reused }: Pick<PlannedService, 'settings' | 'reused'>): boolean {
  const { source, processes } = settings;
  const named = source.kind === 'image' ? source.imageRepository !== '' : reused !== undefined;
  return named && Object.keys(processes).length > 0;
}
