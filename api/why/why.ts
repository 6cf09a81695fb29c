import { z } from 'zod';
import type { DriftingRow, SuspendedRow, UnbuiltRow, WhyRow } from '../../db/why/why-facts.ts';
import { defined } from '../../domain/defined.ts';
import { deploymentStates } from '../../domain/deployments/states.ts';
import {
  type WhyLine,
  whyDrift,
  whyOf,
  whySuspended,
  whyTopics,
  whyUnbuilt,
  worstFirst,
} from '../../domain/why/why.ts';
import type { WhyFacts } from '../../domain/why/why-facts.ts';
import { failureAnswer, warningsAnswer } from '../deployments/deployment.ts';
import type { AnswerOf } from '../engine/answers.ts';

/** So many deployments are explained at once. */
export const mostExplained = 5;

const lineSchema = z
  .object({
    topic: z
      .enum(whyTopics)
      .describe(
        '`what`: what it waits for or failed by. `since`: since when. `tried`: how far it came. `who`: who can change it. `how`: by which command or page.',
      ),
    text: z.string(),
    at: z.iso.datetime().optional().describe('A time that belongs to the text.'),
  })
  .meta({ id: 'WhyLine' });

const placeSchema = z
  .object({
    environmentId: z.guid(),
    environmentName: z.string(),
    serviceId: z.guid(),
    serviceName: z.string(),
    lines: z.array(lineSchema),
  })
  .meta({ id: 'ServiceWhy' });

export const whySchema = z
  .object({
    items: z
      .array(
        z
          .object({
            deploymentId: z.guid(),
            environmentId: z.guid(),
            environmentName: z.string(),
            serviceId: z.guid(),
            serviceName: z.string(),
            releaseNumber: z.int(),
            state: z.enum(deploymentStates),
            blocker: z.string().describe('The code of what it waits for or failed by; empty: nothing.'),
            lines: z.array(lineSchema).describe('At most five, one of each topic.'),
          })
          .meta({ id: 'DeploymentWhy' }),
      )
      .describe(
        'The broken ones first, then those that wait for a person. Empty where nothing waits and nothing failed.',
      ),
    suspended: z
      .array(placeSchema)
      .describe('Services of which nothing runs because somebody has suspended them, by name.'),
    unbuilt: z
      .array(placeSchema.extend({ buildId: z.guid() }).meta({ id: 'UnbuiltWhy' }))
      .describe('Services of which nothing was ever live because their build failed or was not deployed, by name.'),
    drift: z.array(placeSchema).describe('Services with applied changes that are not deployed, by name.'),
  })
  .meta({ id: 'Why' });

export function whyAnswer(
  rows: readonly WhyRow[],
  suspended: readonly SuspendedRow[] = [],
  drifting: readonly DriftingRow[] = [],
  unbuilt: readonly UnbuiltRow[] = [],
): AnswerOf<typeof whySchema> {
  const places = new Map(rows.map((row) => [row.id, row]));
  const facts = worstFirst(rows.map(factsOf)).slice(0, mostExplained);
  return {
    items: facts.flatMap((of) => {
      const row = places.get(of.id);
      return row === undefined ? [] : [{ ...row, deploymentId: of.id, blocker: of.blocker, lines: whyOf(of) }];
    }),
    suspended: suspended.map((row) => ({ ...row, lines: suspendedLines(row) })),
    unbuilt: unbuilt.map((row) => ({ ...row, lines: unbuiltLines(row) })),
    drift: drifting.map((row) => ({
      ...row,
      lines: whyDrift({ ...row, labels: row.items.map(({ label }) => label) }),
    })),
  };
}

function suspendedLines({ at, by, liveRelease, ...row }: SuspendedRow): WhyLine[] {
  const known = defined({ at: at?.toISOString(), liveRelease: liveRelease ?? undefined });
  return whySuspended({ ...row, by: by ?? '', ...known });
}

function unbuiltLines({ at, message, ...row }: UnbuiltRow): WhyLine[] {
  return whyUnbuilt({ ...row, message: message ?? '', ...defined({ at: at?.toISOString() }) });
}

function factsOf(row: WhyRow): WhyFacts {
  const { id, projectName, environmentName, serviceName, releaseNumber, kind, state, stages, requestedBy } = row;
  const { approval, deciders, cluster, ahead, slots, attempts, failure } = row;
  return {
    ...{ id, projectName, environmentName, serviceName, releaseNumber, kind, state, stages, requestedBy },
    ...{ ahead, slots, attempts },
    // Its actor cannot be told: that is in the way of all else.
    blocker: row.blocker === null ? (row.waitsFor ?? '') : 'temporal',
    message:
      row.blocker ??
      row.message ??
      warningsAnswer(row.warnings)
        .map(({ message }) => message)
        .join(' '),
    createdAt: row.createdAt.toISOString(),
    ...defined({
      startedAt: row.startedAt?.toISOString(),
      finishedAt: row.finishedAt?.toISOString(),
      blockedAt: row.blockedAt?.toISOString(),
      cancelRequestedAt: row.cancelRequestedAt?.toISOString(),
      failure: failure === null ? undefined : { ...failureAnswer(failure), end: endOf(failureAnswer(failure)) },
      approval: approval === null ? undefined : approvalOf(approval, deciders),
      cluster: cluster === null ? undefined : clusterOf(cluster),
      liveRelease: row.liveRelease ?? undefined,
    }),
  };
}

function approvalOf({ id, decidedBy, decidedAt, expiresAt }: NonNullable<WhyRow['approval']>, deciders: string[]) {
  const decided = decidedAt === null ? {} : { decidedAt: new Date(decidedAt).toISOString() };
  return { id, deciders, decidedBy: decidedBy ?? '', expiresAt: new Date(expiresAt).toISOString(), ...decided };
}

function clusterOf({ name, contact, heardAt }: NonNullable<WhyRow['cluster']>) {
  const heard = heardAt === null ? {} : { heardAt: new Date(heardAt).toISOString() };
  return { name, connected: contact === 'connected', ...heard };
}

function endOf({ exitCode, signal, outOfMemory }: ReturnType<typeof failureAnswer>): string {
  if (outOfMemory) return 'took more memory than its limit';
  if (signal !== '') return `was ended by ${signal}`;
  return exitCode === undefined ? 'did not become healthy' : `ended with exit code ${exitCode}`;
}
