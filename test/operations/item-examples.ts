import { noSource } from '../../domain/services/settings.ts';
import { seedPlace } from '../seeds/seed-place.ts';
import { seedService } from '../seeds/seed-service.ts';
import { deployable } from './deployable.ts';
import type { ExampleGround } from './example.ts';

/** Items of each kind that one draft takes together, and what they are about. */
export function itemExamples({ api, ours }: Pick<ExampleGround, 'api' | 'ours'>) {
  const as = ours.tokens.admin;
  const prepare = async (): Promise<Record<string, string>> => {
    const place = await seedPlace(api.database, ours.organizationId);
    const { projectId, environmentId: id, serviceId, processId } = place;
    const leaving = await seedPlace(api.database, ours.organizationId, { beside: place });
    const other = await seedService(api.database, { organizationId: ours.organizationId, projectId });
    const path = `/api/v1/environments/${id}/change-set/items:batch`;
    const items = [
      { kind: 'variable.set', serviceId, key: 'A', value: '1' },
      { kind: 'variable.set', key: 'SHARED', value: '1' },
      { kind: 'file.set', serviceId, key: '/a', value: 'A' },
      { kind: 'process.create', serviceId, name: 'old' },
      ...['kept', 'dropped'].map((key) => volume(processId, key)),
    ];
    const made = await api.call('PUT', path, { as, body: { items } });
    const staged = made.body.items as { kind: string; key: string; processId: string; volumeId: string }[];
    const of = (kind: string, key = '') => staged.find((one) => one.kind === kind && one.key === key);
    return {
      ...{ id, environmentId: id, projectId, serviceId, processId, leavingId: leaving.serviceId },
      otherId: other.serviceId,
      oldId: of('process.create')?.processId ?? '',
      keptId: of('volume.create', 'kept')?.volumeId ?? '',
      droppedId: of('volume.create', 'dropped')?.volumeId ?? '',
      ...given(await deployable(api, ours)),
    };
  };
  const of = (path: Record<string, string>) => {
    const { serviceId, processId, registryCredentialId, gitConnectionId } = path;
    return [
      { kind: 'variable.set', serviceId, key: 'B', value: '1', secret: true },
      { kind: 'variable.set', key: 'SHARED_TOO', value: '1' },
      { kind: 'variable.unset', key: 'SHARED' },
      { kind: 'file.set', serviceId, key: '/b', value: 'A' },
      { kind: 'file.unset', serviceId, key: '/a' },
      { kind: 'variable.unset', serviceId, key: 'A' },
      { kind: 'service.set', serviceId, key: 'releaseCommand', value: ['migrate'] },
      { kind: 'service.set', serviceId, key: 'source', value: { ...noSource, registryCredentialId } },
      { kind: 'service.set', serviceId, key: 'source', value: { ...fromGit, gitConnectionId } },
      { kind: 'service.create', serviceId: path.otherId },
      { kind: 'service.remove', serviceId: path.leavingId },
      { kind: 'process.create', serviceId, name: 'worker', settings: { kind: 'worker' } },
      { kind: 'process.set', processId, key: 'drainSeconds', value: 5 },
      { kind: 'process.delete', processId: path.oldId },
      volume(processId, 'more'),
      { kind: 'volume.grow', volumeId: path.keptId, value: 2_000_000 },
      { kind: 'volume.delete', volumeId: path.droppedId },
    ];
  };
  /** Their numbers, to try each by itself. */
  const kinds = Array.from({ length: of({}).length }, (_, at) => at);
  return { prepare, of, kinds };
}

function volume(processId: string | undefined, key: string) {
  return { kind: 'volume.create', processId, key, value: { mountPath: `/${key}`, sizeBytes: 1_000_000 } };
}

const fromGit = { ...noSource, kind: 'git', repository: 'team/app' };

function given({ registryCredentialId, gitConnectionId }: Record<'registryCredentialId' | 'gitConnectionId', string>) {
  return { registryCredentialId, gitConnectionId };
}
