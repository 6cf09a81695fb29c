import { admit } from '../../db/deployments/admission.ts';
import { effect } from '../../db/engine/effect.ts';
import { tenant } from '../../db/postgres/tenant.ts';
import { seedSource } from '../builds/seed-source.ts';
import { machine } from '../seeds/seed.ts';
import { seedPlace, seedRelease } from '../seeds/seed-place.ts';
import { tenantRow } from '../seeds/tenant-row.ts';
import { deployable } from './deployable.ts';
import type { ExampleGround } from './example.ts';

/** Kinds of things that requests name by their ids, by the names of the fields that do. */
export const kindsOfFields = {
  project: ['projectId', 'projectIds'],
  environment: ['environmentId', 'toEnvironmentId', 'with'],
  service: ['serviceId', 'serviceIds', 'deployServiceIds'],
  process: ['processId'],
  volume: ['volumeId'],
  release: ['releaseId'],
  source: ['sourceId'],
  changeSet: ['changeSetId'],
  cluster: ['clusterId', 'defaultClusterId', 'subjectId'],
  team: ['teamId'],
  credential: ['registryCredentialId', 'buildRegistryCredentialId'],
  gitConnection: ['gitConnectionId'],
  objectStore: ['objectStoreId'],
  volumeBackup: ['backupId'],
  user: ['ownerId', 'userIds', 'add', 'remove', 'createdBy'],
  trustedIssuer: ['trustedIssuerId'],
  notification: ['ids'],
} as const;
export type ThingKind = keyof typeof kindsOfFields;
export type Things = Record<ThingKind, string>;

/** Those that belong to a project. */
export const ofProjects: readonly ThingKind[] = [
  ...([
    'project',
    'environment',
    'service',
    'process',
    'volume',
    'volumeBackup',
    'release',
    'source',
    'changeSet',
  ] as const),
];

export function kindOf(field: string): ThingKind {
  const kinds = Object.entries(kindsOfFields) as [ThingKind, readonly string[]][];
  const found = kinds.find(([, fields]) => fields.includes(field));
  if (found === undefined) throw new Error(`"${field}" names a thing: say in test/operations/things.ts of which kind.`);
  return found[0];
}

/** One of each, with a deployment, a variable and an approval that lists would show. */
export async function seedThings(api: ExampleGround['api'], ours: ExampleGround['ours']): Promise<Things> {
  const { database } = api;
  const { organizationId } = ours;
  const place = await seedPlace(database, organizationId);
  const { projectId, environmentId, serviceId, processId, clusterId } = place;
  const { id: releaseId } = await seedRelease(database, place, 1);
  const own = tenant(database.kysely, organizationId);
  const [changeSetId, volumeId, approvalId, ruleId] = Array.from({ length: 4 }, () => crypto.randomUUID());
  if (!changeSetId || !volumeId || !ruleId) throw new Error('Four ids were made.');
  const at = { project_id: projectId, environment_id: environmentId };
  await tenantRow(database, 'change_set', organizationId, { ...at, id: changeSetId, state: 'applying' });
  await effect(database, machine, (asking) =>
    admit(
      asking,
      { organizationId, projectId },
      {
        event: 'create',
        deployments: [
          {
            ...{ id: crypto.randomUUID(), environmentId, serviceId, releaseId, changeSetId },
            ...{ kind: 'change-set' as const, queue: true },
          },
        ],
      },
    ),
  );
  const volume = { name: 'data', mount_path: '/data', size_bytes: 1 };
  await own
    .insertInto('volume')
    .values({ ...volume, id: volumeId, service_id: serviceId, process_id: processId })
    .execute();
  const variable = { environment_id: environmentId, service_id: serviceId, key: 'A', value: '1', updated_by: 'Ada' };
  await own.insertInto('variable').values(variable).execute();
  await tenantRow(database, 'approval', organizationId, { ...at, id: approvalId });
  await tenantRow(database, 'trusted_issuer', organizationId, { id: ruleId, name: ruleId });
  const { teamId, registryCredentialId, gitConnectionId, objectStoreId } = await deployable(api, ours);
  const volumeBackup = crypto.randomUUID();
  const stored = { ...at, service_id: serviceId, volume_id: volumeId, object_store_id: objectStoreId };
  await tenantRow(database, 'volume_backup', organizationId, { ...stored, id: volumeBackup, state: 'succeeded' });
  return {
    ...{ project: projectId, environment: environmentId, service: serviceId, process: processId, volume: volumeId },
    ...{
      release: releaseId,
      source: await seedSource(database, place),
      changeSet: changeSetId,
      cluster: clusterId,
      team: teamId,
      trustedIssuer: ruleId,
    },
    ...{ gitConnection: gitConnectionId, objectStore: objectStoreId, volumeBackup },
    ...{ credential: registryCredentialId, user: ours.sessions.viewer.userId, notification: crypto.randomUUID() },
  };
}
