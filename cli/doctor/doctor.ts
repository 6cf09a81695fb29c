import { readSettings } from '../../domain/settings/settings.ts';
import { command } from '../engine/command.ts';
import { sentenceOf } from '../engine/failure.ts';
import type { Finding } from './check.ts';
import { machineChecks, runningInstallation } from './check-machine.ts';
import { partChecks } from './check-parts.ts';

const marks = { ok: '✓', idle: '–', broken: '✗' } as const;

export const doctor = command({
  summary: 'Checks every part, and says what is wrong and how to fix it',
  usage: '[--json]',
  details: 'Ends with 1 if anything is broken. Optional parts that do not run are no fault.',
  options: { json: { type: 'boolean', what: 'Print JSON.' } },
  run: async ({ json }) => {
    const settings = readSettings(process.env);
    const running = runningInstallation(settings);
    // Whatever the shell says now, the installation that runs is looked at where it runs.
    const seen = running ? { ...settings, ...addressOf(running.address) } : settings;
    const checks = [...machineChecks(seen, running), ...partChecks({ settings: seen, running: running !== undefined })];
    const findings: Finding[] = await Promise.all(
      checks.map(async ({ name, run }) => ({
        name,
        ...(await run().catch((error: unknown) => ({
          state: 'broken' as const,
          detail: sentenceOf(error),
          mend: 'This check failed itself; report it.',
        }))),
      })),
    );
    const healthy = findings.every(({ state }) => state !== 'broken');
    if (json) process.stdout.write(`${JSON.stringify({ healthy, findings }, undefined, 2)}\n`);
    else process.stdout.write(findings.map(asLines).join(''));
    // Not left to the end of the event loop: a connection to a Temporal that hangs would hold this open with it.
    process.exit(healthy ? 0 : 1);
  },
});

function asLines({ name, state, detail, mend }: Finding): string {
  return `${marks[state]} ${name.padEnd(11)} ${detail}\n${mend ? `  ${''.padEnd(11)} → ${mend}\n` : ''}`;
}

function addressOf(address: string): { LISTEN: string; PORT: number } | undefined {
  const { hostname, port } = new URL(address);
  return { LISTEN: hostname.replace(/^\[|\]$/g, ''), PORT: Number(port) || 80 };
}
