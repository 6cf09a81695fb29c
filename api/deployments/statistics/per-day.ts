import { z } from 'zod';
import { deploymentsPerDay } from '../../../db/deployments/statistics/per-day.ts';
import { operation } from '../../engine/operation.ts';
import { statisticsFilters } from './filters.ts';

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
  scope: 'organization',
  role: 'viewer',
  projectTokens: 'allowed',
  problems: [],
  query: z.strictObject({ days: z.int().min(1).max(400).default(371), ...statisticsFilters }),
  result: perDaySchema,
  async handle({ caller, query: { days, ...filter }, database }) {
    const seen = { ...filter, projectIds: caller.projectIds };
    return { days: await deploymentsPerDay(database.kysely, caller.organization.id, seen, days) };
  },
});
