import { z } from 'zod';
import {
  changeEnvironment as change,
  type EnvironmentFields,
  lockEnvironment,
} from '../../db/environments/environments.ts';
import { inhabitantsOf } from '../../db/environments/inhabitants.ts';
import { leaveVolumes, purgedThere, reviveLeft } from '../../db/services/removal/left-volumes.ts';
import { Problem } from '../../domain/problems.ts';
import { changedFields } from '../engine/input/changed-fields.ts';
import { refuseChangedMeanwhile, withWas } from '../engine/input/meanwhile.ts';
import { operation } from '../engine/operation.ts';
import { chosenCluster } from './chosen-cluster.ts';
import {
  environmentAnswer,
  environmentFields,
  environmentPath,
  environmentSchema,
  theEnvironment,
} from './environment.ts';

const { name, clusterId, gitBranch, autoDeploy, production } = environmentFields;

export const changeEnvironment = operation({
  method: 'PATCH',
  url: '/api/v1/environments/{id}',
  summary: 'Update an environment',
  description:
    'Omitted fields keep their values; the slug never changes. It takes a session to switch `production` off. It moves to another cluster only while none of its services runs. Data of volumes stay where they are: `GET /api/v1/deleted` lists them, and they are deleted with the retention unless it moves back before.',
  scope: 'organization',
  role: 'admin',
  projectTokens: 'allowed',
  problems: ['not-found', 'conflict', 'changed-meanwhile', 'session-required'],
  path: environmentPath,
  body: withWas(
    z.strictObject({
      name: name.optional(),
      clusterId: clusterId.optional(),
      gitBranch: gitBranch.or(z.literal('')).optional().describe('Empty: none.'),
      autoDeploy: autoDeploy.optional(),
      production: production.optional(),
    }),
  ),
  result: environmentSchema,
  async handle({ caller, path, body, effect }) {
    const environment = await caller.see(theEnvironment, path.id, effect.kysely);
    const before = await lockEnvironment(effect, environment);
    if (before === undefined) return environmentAnswer(await caller.see(theEnvironment, path.id, effect.kysely));
    const { was, ...wanted } = body;
    const place = { organizationId: environment.organizationId, environmentId: environment.id };
    const subject = { organizationId: environment.organizationId, kind: 'environment', id: environment.id };
    const is = { ...before, gitBranch: before.gitBranch ?? '' };
    await refuseChangedMeanwhile<Record<string, unknown>>(effect.kysely, subject, { is, was, wanted });
    if (before.production && wanted.production === false && caller.credential.kind !== 'session') {
      throw new Problem(
        'session-required',
        `Changes of "${before.name}" would wait for no approval any more: that takes an admin's session, not a token.`,
      );
    }
    const after: EnvironmentFields = {
      name: wanted.name ?? before.name,
      clusterId: wanted.clusterId ?? before.clusterId,
      gitBranch: (wanted.gitBranch ?? before.gitBranch) || null,
      autoDeploy: wanted.autoDeploy ?? before.autoDeploy,
      production: wanted.production ?? before.production,
    };
    if (after.clusterId !== null && after.clusterId !== before.clusterId) await refuseMove(after.clusterId);
    const details = changedFields(before, after);
    if (Object.keys(details).length === 0) return environmentAnswer(environment);
    const moves = after.clusterId !== before.clusterId;
    if (moves) await leaveVolumes(effect, place, { moving: true });
    const changed = await change(effect, environment, { before, after }, details);
    if (moves) await reviveLeft(effect, environment);
    return environmentAnswer(changed);

    async function refuseMove(to: string): Promise<void> {
      const cluster = await chosenCluster(caller, to, effect.kysely);
      const names = await inhabitantsOf(effect, environment);
      if (names.length === 0) return await refuseWhilePurged(cluster);
      const named = names.slice(0, 5).map((one) => `"${one}"`);
      const all = [...named, ...(names.length > 5 ? ['others'] : [])].join(', ');
      throw new Problem(
        'conflict',
        `${all} run in "${environment.name}": remove them there before it moves to the cluster "${cluster.name}".`,
      );
    }

    async function refuseWhilePurged({ id, name: cluster }: { id: string; name: string }): Promise<void> {
      const names = await purgedThere(effect, place, id);
      if (names.length === 0) return;
      throw new Problem(
        'conflict',
        `${names.map((one) => `"${one}"`).join(', ')} of "${environment.name}" are being purged on the cluster "${cluster}": move it there when that is done.`,
      );
    }
  },
});
