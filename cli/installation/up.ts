import { countRunning } from '../../agent/home/status.ts';
import { readSettings, type Settings } from '../../domain/settings/settings.ts';
import { collectWhenIdle } from '../../machine/idle-collection.ts';
import { outboundRules } from '../../outbound/rules.ts';
import { agentHome, hasAgentHome } from '../../runtime/home/agent-home.ts';
import { claimHome } from '../../runtime/home/claim-home.ts';
import type { Home } from '../../runtime/home/home.ts';
import { Supervisor } from '../../runtime/supervisor/supervisor.ts';
import { command } from '../engine/command.ts';
import { sentenceOf, tellFailure } from '../engine/failure.ts';
import { Progress } from '../engine/progress.ts';
import type { Preparation } from '../preparation/preparation.ts';
import { type HeldPorts, holdPorts, releasePorts } from './hold-ports.ts';
import { localAddress } from './node-parts.ts';
import { showPart } from './show-part.ts';
import { startInstallation } from './start-installation.ts';

/** Two signals this close are one Ctrl-C: npm and the entry script pass on what the terminal has sent to us as well. */
const oneKeyPress = 500;

export const up = command({
  summary: 'Starts everything and keeps it running until Ctrl-C',
  details: `PostgreSQL, Temporal and an OpenID provider are provided and supervised unless DATABASE_URL, TEMPORAL_ADDRESS and
OIDC_ISSUER name others. Ctrl-C stops everything in order; a second Ctrl-C does so at once.`,
  run: async () => {
    const given = readSettings(process.env);
    // API and worker would end again and again; a file that they cannot use is worth a word before anything is started.
    await outboundRules(given);
    const progress = new Progress();
    const { home, lock } = await claimHome(given.BALLAST_HOME, (part) =>
      progress.line(`  Stopping ${part}, which a killed start left behind.`),
    );
    const { ports, settings, supervisor } = await open(home, given, progress).catch((error: unknown) => {
      lock.release();
      throw error;
    });
    const stopping = new AbortController();
    let hurried = false;

    const stop = async (): Promise<void> => {
      stopping.abort();
      progress.end();
      // Nobody is kept waiting at a port that nobody will serve.
      releasePorts(ports);
      await supervisor.stop();
      lock.release();
    };
    let since = 0;
    const onSignal = (): void => {
      if (!stopping.signal.aborted) {
        since = Date.now();
        process.stdout.write('\nStopping …\n');
        void stop().then(() => {
          process.stdout.write(`Stopped (${((Date.now() - since) / 1000).toFixed(1)} s)\n${goingOn(home)}`);
          process.exit(0);
        });
      } else if (!hurried && Date.now() - since > oneKeyPress) {
        hurried = true;
        process.stdout.write('Stopping at once …\n');
        supervisor.hurry();
      }
    };
    // Where they are a file on a disk that is full: its lines are lost, the installation goes on.
    for (const output of [process.stdout, process.stderr]) output.on('error', () => {});
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, onSignal);

    const fail = async (error: unknown): Promise<never> => {
      const code = tellFailure(error);
      await stop();
      process.exit(code);
    };
    process.once('uncaughtException', fail);

    try {
      const signal = stopping.signal;
      const started = await startInstallation({ home, settings, ports, supervisor, progress, signal });
      const lines = await firstAccount(started.preparation);
      started.preparation.end();
      progress.line(`\nBallast is ready at ${settings.PUBLIC_URL}   (Ctrl-C stops it)`);
      for (const line of lines) progress.line(line);
      collectWhenIdle();
    } catch (error) {
      // A step that breaks because a stop is under way is not a failure of the start.
      if (!stopping.signal.aborted) await fail(error);
    }
  },
});

interface Opened {
  ports: HeldPorts;
  settings: Settings;
  supervisor: Supervisor;
}

/** Opens the ports, from now on until the end, and gets ready to keep the parts. */
async function open(home: Home, given: Settings, progress: Progress): Promise<Opened> {
  const ports = await holdPorts(home, given);
  const settings = withPort(given, ports);
  return { ports, settings, supervisor: new Supervisor(home, localAddress(settings), showPart(progress)) };
}

/** A PORT of 0 becomes the real one here, because the parts and PUBLIC_URL must agree on it. */
function withPort(settings: Settings, { api: [held] }: HeldPorts): Settings {
  if (settings.PORT !== 0 || held === undefined) return settings;
  process.env.PORT = String(held.port);
  return readSettings(process.env);
}

/** Instances outlive a stop: people keep using them. */
function goingOn(home: Home): string {
  const running = hasAgentHome(home) ? countRunning(agentHome(home)) : 0;
  if (running === 0) return '';
  const what = running === 1 ? '1 instance keeps running' : `${running} instances keep running`;
  return `${what} on this machine; \`./ballast down\` stops everything.\n`;
}

/** The hint for an installation that has no account yet. */
async function firstAccount(preparation: Preparation): Promise<string[]> {
  try {
    const { link } = await preparation.ask('first-owner-link');
    if (link === undefined) return [];
    return [
      `Create the first account: ${link}`,
      '   (once, within 15 minutes; `./ballast sign-in-link` prints another)',
    ];
  } catch (error) {
    return [
      `! The link for the first account could not be created (${sentenceOf(error)}); try \`./ballast sign-in-link\`.`,
    ];
  }
}
