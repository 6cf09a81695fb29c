import { z } from 'zod';
import { findProcess, type ProcessView } from '../../db/services/processes.ts';
import type { FieldError } from '../../domain/problems.ts';
import { type ProcessFault, processFaults } from '../../domain/services/process-faults.ts';
import {
  overlapPolicies,
  type PlacedProcess,
  type ProcessSettings,
  processKinds,
  upstreams,
} from '../../domain/services/settings.ts';
import { partName } from '../../protocol/workload.ts';
import type { AnswerOf } from '../engine/answers.ts';
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

/** A process with the settings of an environment, by default with those of its definition. */
export function processAnswer(
  process: ProcessView,
  settings: ProcessSettings & Partial<PlacedProcess> = process.definition,
): AnswerOf<typeof processSchema> {
  return { ...settings, ...process };
}

const texts = z.array(z.string().max(32_768)).max(1000);
const port = z.int().min(1).max(65_535);
const path = z
  .string()
  .max(2048)
  .regex(/^(?:\/[\x21\x22\x24-\x7e]*)?$/, 'must be empty, or a path without spaces and without a fragment');
const seconds = z.int().min(0).max(3600);
const cpu = z.int().min(10).max(1_000_000);
const memory = z.int().min(4_194_304).max(Number.MAX_SAFE_INTEGER);

/** What people set of a process. Null takes away what it need not have. */
const processFields = {
  kind: z.enum(processKinds),
  command: texts.describe("Instead of the image's entry point; empty keeps it."),
  args: texts.describe("Instead of the image's arguments; empty keeps them."),
  port: port.nullable().describe('Where it listens, told to it as PORT. Processes of kind http and tcp have one.'),
  fixedPort: z
    .boolean()
    .describe(
      'The program listens on `port` whatever PORT says. Instances get a network of their own where they would share one.',
    ),
  replicas: z.int().min(0).max(200),
  runAsUser: z.int().min(1).max(65_535).nullable(),
  upstream: z.enum(upstreams),
  schedule: z.string().max(200).describe('Of a cron process: five fields, in `timeZone`.'),
  timeZone: z.string().min(1).max(64),
  overlap: z.enum(overlapPolicies).describe('What happens when a run is due and the one before has not ended.'),
  startupPath: path,
  readinessPath: path,
  livenessPath: path,
  drainSeconds: seconds.describe('How long it may take to finish what it is doing.'),
  stabilizationSeconds: seconds.describe('How long it must be healthy before it counts.'),
  cpuLimitMilli: cpu.nullable(),
  cpuRequestMilli: cpu.nullable(),
  memoryLimitBytes: memory.nullable(),
  memoryRequestBytes: memory.nullable(),
  metricsEnabled: z.boolean(),
  metricsPath: path,
  metricsPort: port.nullable(),
  nodePrivateNet: z.boolean(),
};

export const processName = partName;
export const processSettings = z.strictObject(processFields).partial();

/** Faults of settings that do not fit each other, at their fields in the request. */
export function settingsFaults(
  settings: ProcessSettings & Partial<PlacedProcess>,
  at: string,
  where = '',
): FieldError[] {
  return processFaults(settings).map(({ field, message }: ProcessFault) => {
    const value = settings[field];
    const shown = value === undefined || typeof value === 'object' ? {} : { value };
    return { location: `${at}.${field}`, message: `${message}${where}`, ...shown };
  });
}
