import { resolve } from 'node:path';
import { benchmarks } from './benchmarks.ts';
import { ArgumentError, readArguments } from './engine/arguments.ts';
import { measure } from './engine/measure.ts';
import { endOnSignals, profileInto } from './engine/node-process.ts';
import { newReport, tableOf, writeReport } from './engine/report.ts';
import { compareWith } from './subjects/worker-start.ts';

const help = `npm run bench -- [--only NAME]… [--rounds N] [--json] [--profile DIR] [--against DIR]

Compares Ballast with a bare stack that does the same work. Reference and subject take turns; each figure is the median
of the rounds. A ratio of 1 is as good as the reference, more or less is better. Below 0.5 the run fails; below 0.7
docs/performance.md explains why.

  --only NAME   Only this benchmark; may be repeated.
  --rounds N    How many rounds each side runs; 5 if left out, and 1 for those that take minutes.
  --profile DIR Have every server write a CPU profile there; figures are worse for it.
  --against DIR A checkout of an older version, with its packages, that worker-start compares with; this one if left out.
  --json        Print JSON instead of the table. It is written to bench/results/ in any case.

${benchmarks.map(({ name, what }) => `  ${name.padEnd(12)}  ${what}`).join('\n')}
`;

// The first Ctrl-C, or another signal, ends what was started; a second one does not wait for that.
const stopping = new AbortController();
endOnSignals(() => stopping.abort());

async function main(): Promise<void> {
  const known = benchmarks.map(({ name }) => name);
  const { json, help: helpWanted, only, rounds, profile, against } = readArguments(process.argv.slice(2), known);
  if (helpWanted) {
    process.stdout.write(help);
    return;
  }
  if (profile !== undefined) profileInto(resolve(profile));
  if (against !== undefined) compareWith(resolve(against));
  const report = newReport();
  const progress = (text: string): void => void process.stderr.write(`… ${text}\n`);
  for (const benchmark of benchmarks) {
    if (only.length > 0 && !only.includes(benchmark.name)) continue;
    report.rows.push(...(await measure(benchmark, rounds ?? benchmark.rounds ?? 5, progress, stopping.signal)));
  }
  const path = await writeReport(report);
  process.stdout.write(json ? `${JSON.stringify(report, undefined, 2)}\n` : `\n${tableOf(report.rows)}\n\n${path}\n`);
  if (report.rows.some(({ verdict }) => verdict === 'failed')) process.exitCode = 1;
}

try {
  await main();
} catch (error) {
  process.stderr.write(`${sentenceOf(error)}\n`);
  process.exitCode = 1;
}

function sentenceOf(error: unknown): string {
  // A signal ends what we started as well, which then fails in its own way.
  if (stopping.signal.aborted) return 'Stopped; nothing was written.';
  if (!(error instanceof Error)) return String(error);
  return error instanceof ArgumentError ? error.message : (error.stack ?? error.message);
}
