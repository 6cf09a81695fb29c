import { mkdir, writeFile } from 'node:fs/promises';
import { cpus, loadavg, totalmem } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Measured, Verdict } from './measure.ts';

export interface Report {
  at: string;
  machine: { platform: string; processor: string; cores: number; memoryMegabytes: number; node: string };
  /** The load of the machine in the minute before the first round: figures of a busy machine tell little. */
  loadBefore: number;
  rows: Measured[];
}

const results = fileURLToPath(new URL('../results', import.meta.url));
const words: Record<Verdict, string> = { good: '', explain: 'below 0.7: see docs/performance.md', failed: 'FAILED' };

export function newReport(): Report {
  const processors = cpus();
  return {
    at: new Date().toISOString(),
    machine: {
      platform: `${process.platform}-${process.arch}`,
      processor: processors[0]?.model ?? 'unknown',
      cores: processors.length,
      memoryMegabytes: Math.round(totalmem() / 1e6),
      node: process.versions.node,
    },
    loadBefore: loadavg()[0] ?? 0,
    rows: [],
  };
}

export function tableOf(rows: readonly Measured[]): string {
  const lines = rows.map((row) => [
    row.name,
    shown(row.reference, row.unit),
    shown(row.subject, row.unit),
    row.ratio.toFixed(2),
    verdictOf(row),
  ]);
  const all = [['', 'reference', 'Ballast', 'ratio', ''], ...lines];
  const widths = [0, 1, 2, 3].map((column) => Math.max(...all.map((line) => line[column]?.length ?? 0)));
  return all
    .map(([name = '', ...rest]) => {
      const figures = rest.slice(0, 3).map((text, index) => text.padStart(widths[index + 1] ?? 0));
      return [name.padEnd(widths[0] ?? 0), ...figures, rest[3] ?? ''].join('  ').trimEnd();
    })
    .join('\n');
}

/** Answers where it was written. */
export async function writeReport(report: Report): Promise<string> {
  await mkdir(results, { recursive: true });
  const path = join(results, `${report.at.replaceAll(':', '-')}.json`);
  await writeFile(path, `${JSON.stringify(report, undefined, 2)}\n`);
  return path;
}

function shown(value: number, unit: string): string {
  return `${value >= 100 ? Math.round(value) : value.toFixed(value >= 10 ? 1 : 2)} ${unit}`;
}

function verdictOf(row: Measured): string {
  if (row.verdict === 'failed' && row.most !== undefined && row.subject > row.most)
    return `FAILED: more than ${row.most} ${row.unit}`;
  return words[row.verdict];
}
