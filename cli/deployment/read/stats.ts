import type { z } from 'zod';
import type { statisticsSchema } from '../../../api/deployments/statistics.ts';
import { command, UsageError } from '../../engine/command.ts';
import { asTable, printable } from '../../engine/table.ts';
import { serviceOptions } from '../../place/here.ts';
import { narrowed } from '../../place/narrowed.ts';

type Statistics = z.output<typeof statisticsSchema>;

export const deploymentStats = command({
  summary: 'Tells how long deployments take: median and 95th percentile, as a whole and per stage',
  usage: '[--project PROJECT] [--environment ENVIRONMENT] [--service SERVICE] [--since TIME] [--json]',
  details: `Of deployments that went live, created in the last 30 days or since TIME. Only the options narrow it, not the directory: without
any it tells of all that the token may see. The wait for an approval is a stage, and no part of the whole.`,
  options: {
    since: { type: 'string', value: 'TIME', what: 'Begin with deployments created then, as in 2026-11-01T00:00:00Z.' },
    ...serviceOptions,
  },
  run: async (given) => {
    const query = new URLSearchParams();
    if (given.since !== undefined) {
      const since = new Date(given.since);
      if (Number.isNaN(since.getTime())) throw new UsageError('--since wants a time as in 2026-11-01T00:00:00Z.');
      query.set('since', since.toISOString());
    }
    const { rest, filter, words } = await narrowed(given);
    for (const [name, id] of Object.entries(filter)) query.set(name, id);
    const found = await rest.call<Statistics>('GET', `/deployments/stats${query.size === 0 ? '' : `?${query}`}`);
    if (given.json) return void process.stdout.write(`${JSON.stringify(found, undefined, 2)}\n`);
    if (found.sampleSize === 0) return void process.stdout.write(`No deployment of ${words} went live in that time.\n`);
    const rows = [{ stage: 'total', ...found }, ...found.stages];
    process.stderr.write(`${printable(words)}, seconds\n`);
    process.stdout.write(
      asTable(
        ['stage', 'median', 'p95', 'deployments'],
        rows.map(({ stage, medianSeconds, p95Seconds, sampleSize }) => [
          ...[stage, medianSeconds.toFixed(1), p95Seconds.toFixed(1)],
          String(sampleSize),
        ]),
      ),
    );
  },
});
