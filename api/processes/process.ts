import { z } from 'zod';
import { findProcess, type ProcessView } from '../../db/services/processes.ts';
import {
  overlapPolicies,
  type PlacedProcess,
  type ProcessSettings,
  processKinds,
  upstreams,
} from '../../domain/services/settings.ts';
import { resource } from '../engine/resource.ts';

export const theProcess = resource('process', findProcess, ({ projectId }) => projectId);

export const processSchema = z
  .object({
    id: z.guid(),
    serviceId: z.guid(),
    name: z.string(),
    kind: z.enum(processKinds),
    command: z.array(z.string()),
    args: z.array(z.string()),
    port: z.int().optional(),
    fixedPort: z.boolean().optional().describe('It listens on `port` whatever PORT says.'),
    replicas: z.int(),
    runAsUser: z.int().optional(),
    upstream: z.enum(upstreams),
    schedule: z.string(),
    timeZone: z.string(),
    overlap: z.enum(overlapPolicies),
    startupPath: z.string(),
    readinessPath: z.string(),
    livenessPath: z.string(),
    drainSeconds: z.int(),
    stabilizationSeconds: z.int(),
    cpuLimitMilli: z.int().optional(),
    cpuRequestMilli: z.int().optional(),
    memoryLimitBytes: z.int().optional(),
    memoryRequestBytes: z.int().optional(),
    metricsEnabled: z.boolean(),
    metricsPath: z.string(),
    metricsPort: z.int().optional(),
    nodePrivateNet: z.boolean(),
    createdAt: z.iso.datetime(),
  })
  .meta({ id: 'Process' });

export const processPath = z.strictObject({ id: z.guid().toLowerCase() });

/** A process with the settings of an environment, by default with those of its definition. */
export function processAnswer(
  { id, serviceId, name, definition, createdAt }: ProcessView,
  { volumes: _, ...settings }: ProcessSettings & Partial<PlacedProcess> = definition,
): z.output<typeof processSchema> {
  return { ...settings, id, serviceId, name, createdAt: createdAt.toISOString() };
}
