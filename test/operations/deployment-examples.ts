import { admit } from '../../db/deployments/admission.ts';
import { effect } from '../../db/engine/effect.ts';
import { machine } from '../seeds/seed.ts';
import { seedPlace, seedRelease } from '../seeds/seed-place.ts';
import type { Example, ExampleGround } from './example.ts';

/** Examples of deployments. */
export function deploymentExamples({ api, ours }: ExampleGround): Record<string, Example> {
  const { organizationId } = ours;
  const waiting = async () => {
    const place = await seedPlace(api.database, organizationId);
    const release = await seedRelease(api.database, place, 1);
    const { projectId, environmentId, serviceId } = place;
    const id = crypto.randomUUID();
    const one = { id, environmentId, serviceId, releaseId: release.id, kind: 'deploy' as const, queue: true };
    await effect(api.database, machine, (asking) =>
      admit(asking, { organizationId, projectId }, { event: 'create', deployments: [one] }),
    );
    return { id, environmentId, serviceId };
  };
  const environment = async () => ({ id: (await waiting()).environmentId });
  return {
    'deployments.list': { prepare: waiting },
    'deployments.ofEnvironment': { prepare: environment },
    'deployments.ofService': { prepare: async () => ({ id: (await waiting()).serviceId }) },
    'deployments.get': { prepare: waiting },
    'deployments.cancel': { prepare: waiting },
    'deployments.events': { prepare: waiting },
    'deployments.stream': { prepare: waiting },
    'workloads.logsOfEnvironment': { prepare: environment },
  };
}
