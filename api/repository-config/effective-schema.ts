import { z } from 'zod';
import { builders, processKinds } from '../../domain/services/settings.ts';

const amount = z.object({ request: z.int().optional(), limit: z.int().optional() });

const fileProcess = z
  .object({
    name: z.string(),
    kind: z.enum([...processKinds, '']),
    entrypoint: z.array(z.string()).describe('In place of the entry point of the image.'),
    cmd: z.array(z.string()).describe('In place of the arguments of the image.'),
    port: z.int().optional(),
    fixedPort: z.boolean().optional().describe('It listens on `port` whatever PORT says.'),
    replicas: z.int().optional().describe('Of a process that is new; of another one the setting of today counts.'),
    runAsUser: z.int().optional(),
    schedule: z.string(),
    checks: z.object({ startup: z.string(), readiness: z.string(), liveness: z.string() }),
    cpu: amount.describe('Thousandths of a core.'),
    memory: amount.describe('Bytes.'),
    drainSeconds: z.int().optional(),
    stabilizationSeconds: z.int().optional(),
    metrics: z.object({ enabled: z.boolean().optional(), path: z.string(), port: z.int().optional() }),
  })
  .meta({ id: 'RepositoryConfigProcess' });

/** Numbers that are absent, and texts and lists that are empty, are not in the file. */
export const effectiveSchema = z
  .object({
    builder: z.enum([...builders, '']),
    dockerfile: z.string(),
    target: z.string(),
    buildArgs: z.record(z.string(), z.string()),
    env: z.record(z.string(), z.string()).describe('Beneath the variables of the service.'),
    dependsOn: z.array(z.string()),
    releaseCommand: z.array(z.string()),
    releaseCommandTimeoutSeconds: z.int().optional(),
    hasProcesses: z.boolean(),
    processes: z.array(fileProcess),
    mounts: z
      .array(
        z.object({
          destination: z.string(),
          initialSize: z.int(),
          processes: z.array(z.string()),
          source: z.string(),
        }),
      )
      .describe('Always empty: a file that has mounts is refused.'),
  })
  .meta({ id: 'RepositoryConfigEffective' });

export const configProblemSchema = z
  .object({
    line: z.int().describe('From 1; 0 where it is of no line.'),
    path: z.string().describe('The key, such as `processes.web.port`; empty: the file as a whole.'),
    message: z.string(),
  })
  .meta({ id: 'ProjectConfigProblem' });

/** Of a release: absent where there was no file. */
export const frozenConfigSchema = z
  .object({ commit: z.string(), path: z.string(), effective: effectiveSchema })
  .meta({ id: 'FrozenRepositoryConfig' });
