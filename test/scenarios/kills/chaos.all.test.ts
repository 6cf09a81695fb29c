import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { chaos } from '../../chaos/chaos.ts';
import { textOf } from '../../chaos/report.ts';
import { patient } from '../../run/patience.ts';

/** Against what hangs: the start, two minutes, and a quiet time of at most ten. */
const longest = patient(1_800_000);

test(
  'clients under kills and pauses for two minutes: nothing lost, doubled, orphaned, falsely told or stuck',
  async () => {
    const { report, kept } = await chaos({ seed: 20_261_127, minutes: 2, under: tmpdir(), progress: () => undefined });
    expect(report.findings, `${textOf(report)}\n\n${kept.join('\n')}`).toEqual([]);
    expect(report.requests.some(({ accepted }) => accepted > 0)).toBe(true);
    expect(report.faults.some(({ pids }) => pids.length > 0)).toBe(true);
  },
  longest,
);
