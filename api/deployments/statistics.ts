import { z } from 'zod';
import { deploymentStatistics, deploymentsPerDay, type Lengths } from '../../db/deployments/statistics.ts';
import { deploymentStages } from '../../domain/deployments/states.ts';
import { operation } from '../engine/operation.ts';

const id = z.guid().toLowerCase().optional();

/** Narrow statistics; of what the caller may not see there are none. */
const statisticsFilters = { projectId: id, environmentId: id, serviceId: id };

const defaultDays = 30;
const dayMillis = 86_400_000;

const lengths = {
  medianSeconds: z.number().describe('0 without samples.'),
  p95Seconds: z.number().describe('0 without samples.'),
  sampleSize: z.int(),
};

export const statisticsSchema = z
  .object({
    ...lengths,
    stages: z
      .array(z.object({ stage: z.enum(deploymentStages), ...lengths }))
      .describe('Those that any of the deployments walked, in their order.'),
  })
  .meta({ id: 'DeploymentStats' });

export const getStatistics = operation({
  method: 'GET',
  url: '/api/v1/deployments/stats',
  summary: 'Tell how long deployments take',
  description:
    'Median and 95th percentile of deployments that were created since then and went live: from their creation, or from the approval of those that were held, until only the new release served. Up to 200 of them are told exactly, more to within 1 %.',
  role: 'viewer',
  projectTokens: 'allowed',
  query: z.strictObject({
    since: z.iso
      .datetime({ offset: true })
      .optional()
      .describe('Deployments created from then on. Left out: from the beginning of the day (UTC) 30 days ago.'),
    ...statisticsFilters,
  }),
  result: statisticsSchema,
  async handle({ caller, query: { since, ...filter }, database }) {
    const seen = { ...filter, projectIds: caller.projectIds };
    const from = since === undefined ? thirtyDaysAgo() : new Date(since);
    const { stages, ...total } = await deploymentStatistics(database.kysely, caller.organization.id, seen, from);
    return { ...answer(total), stages: stages.map(({ stage, ...one }) => ({ stage, ...answer(one) })) };
  },
});

/** Whole days are counted already; a part of one would have to be read. */
function thirtyDaysAgo(): Date {
  return new Date((Math.floor(Date.now() / dayMillis) - defaultDays) * dayMillis);
}

function answer({ medianMillis, p95Millis, sampleSize }: Lengths) {
  return { medianSeconds: seconds(medianMillis), p95Seconds: seconds(p95Millis), sampleSize };
}

function seconds(millis: number): number {
  return Math.round(millis) / 1_000;
}

const perDaySchema = z
  .object({
    days: z.array(
      z.object({
        date: z.iso.date(),
        deployments: z.int().describe('Created on that day, whatever became of them.'),
      }),
    ),
  })
  .meta({ id: 'DeploymentsPerDay' });

export const perDay = operation({
  method: 'GET',
  url: '/api/v1/deployments/per-day',
  summary: 'Count deployments per day',
  description:
    'The last days of the calendar in UTC, oldest first, today inclusive; each is there, also with 0. A deployment counts on the day on which it was created.',
  role: 'viewer',
  projectTokens: 'allowed',
  query: z.strictObject({ days: z.int().min(1).max(400).default(371), ...statisticsFilters }),
  result: perDaySchema,
  async handle({ caller, query: { days, ...filter }, database }) {
    const seen = { ...filter, projectIds: caller.projectIds };
    return { days: await deploymentsPerDay(database.kysely, caller.organization.id, seen, days) };
  },
});
