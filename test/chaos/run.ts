import { randomInt } from 'node:crypto';
import { tmpdir } from 'node:os';
import { parseArgs } from 'node:util';
import { runDirectory } from '../run/run-directory.ts';
import { chaos } from './chaos.ts';
import { textOf } from './report.ts';

const help = `npm run chaos -- [--minutes N] [--seed S] [--json]

Starts an installation of its own, has clients deploy, promote, decide, stage, build, scale and read, and kills and pauses
its parts meanwhile. Afterwards it waits until nothing is in progress and counts what must not be: requests that were lost
or carried out twice, orphans, false statements, two live releases, what is stuck. Exit code 1 if there is any.

  --minutes N  How long clients and faults go on, 1 to 40; 10 if left out.
  --seed S     Repeats the choices of the clients and the schedule of the faults of an earlier run.
  --json       Print JSON instead of tables.
`;

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      minutes: { type: 'string', default: '10' },
      seed: { type: 'string', default: String(randomInt(1, 1e9)) },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return void process.stdout.write(help);
  const [minutes, seed] = [Number(values.minutes), Number(values.seed)];
  // Sessions of its people last an hour.
  if (!(minutes >= 1 && minutes <= 40)) throw new Error('--minutes must be a number from 1 to 40.');
  if (!Number.isSafeInteger(seed)) throw new Error('--seed must be a whole number.');
  const progress = (line: string) => void process.stderr.write(`${new Date().toISOString().slice(11, 19)} ${line}\n`);
  progress(`Seed ${seed}`);
  const under = runDirectory();
  // By TMPDIR everything that was started is found and ended, however this program ends; samples stay from run to run.
  process.env.TEST_CACHE ??= tmpdir();
  process.env.TMPDIR = under;
  const { report, kept } = await chaos({ seed, minutes, under, progress });
  process.stdout.write(values.json ? `${JSON.stringify(report, undefined, 2)}\n` : `\n${textOf(report)}\n\n`);
  for (const place of kept) progress(`Kept: ${place}`);
  progress(`Again: npm run chaos -- --minutes ${minutes} --seed ${seed}`);
  if (report.findings.length > 0) process.exitCode = 1;
}

await main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  process.exitCode = 1;
});
