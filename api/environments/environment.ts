import { z } from 'zod';
import { type EnvironmentView, findEnvironment } from '../../db/environments/environments.ts';
import { environmentKinds } from '../../domain/environments/environments.ts';
import { line, nameText } from '../engine/input/line.ts';
import { resource } from '../engine/resource.ts';

export const theEnvironment = resource('environment', findEnvironment, ({ projectId }) => projectId);

export const environmentSchema = z
  .object({
    id: z.guid(),
    projectId: z.guid(),
    name: z.string(),
    slug: z.string().describe('Part of addresses; it never changes.'),
    namespace: z.string().describe('The name of its space on a cluster.'),
    clusterId: z.guid().optional().describe('Where its services run; absent until one is chosen.'),
    gitBranch: z.string(),
    kind: z.enum(environmentKinds),
    autoDeploy: z.boolean().describe('Whether builds of its branch are deployed.'),
    production: z.boolean().describe('Whether changes wait for an approval.'),
    createdAt: z.iso.datetime(),
  })
  .meta({ id: 'Environment' });

export const environmentPath = z.strictObject({ id: z.guid().toLowerCase() });
export const environmentFields = {
  name: nameText(),
  clusterId: z.guid().toLowerCase(),
  gitBranch: line(255),
  autoDeploy: z.boolean(),
  production: z.boolean(),
};

export function environmentAnswer(environment: EnvironmentView): z.output<typeof environmentSchema> {
  const { organizationId: _, clusterId, gitBranch, createdAt, ...rest } = environment;
  return {
    ...rest,
    ...(clusterId === null ? {} : { clusterId }),
    gitBranch: gitBranch ?? '',
    createdAt: createdAt.toISOString(),
  };
}
