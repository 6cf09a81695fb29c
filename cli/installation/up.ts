import { countRunning } from '../../agent/home/status.ts';
import { readSettings, type Settings } from '../../domain/settings/settings.ts';
import { agentHome, hasAgentHome } from '../../runtime/home/agent-home.ts';
import { claimHome } from '../../runtime/home/claim-home.ts';
import type { Home } from '../../runtime/home/home.ts';
import { freePorts, refuseBusyPort } from '../../runtime/supervisor/ports.ts';
import { Supervisor } from '../../runtime/supervisor/supervisor.ts';
import { command } from '../engine/command.ts';
import { sentenceOf, tellFailure } from '../engine/failure.ts';
import { Progress } from '../engine/progress.ts';
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
    const settings = await withPort(readSettings(process.env));
    const progress = new Progress();
    const claimed = await claimHome(settings.BALLAST_HOME, (part) =>
      progress.line(`  A ${part} was left behind by a start that was killed; it is being stopped.`),
    );
    const { home, lock } = claimed;
    const supervisor = new Supervisor(home, localAddress(settings), showPart(progress));
    const stopping = new AbortController();
    let hurried = false;

    const stop = async (): Promise<void> => {
      stopping.abort();
      progress.end();
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
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, onSignal);

    const fail = async (error: unknown): Promise<never> => {
      const code = tellFailure(error);
      await stop();
      process.exit(code);
    };
    process.once('uncaughtException', fail);

    try {
      await refuseBusyPort(settings.PORT, settings.LISTEN);
      const started = await startInstallation({ home, settings, supervisor, progress, signal: stopping.signal });
      const lines = await firstAccount(started);
      progress.line(`\nBallast is ready at ${settings.PUBLIC_URL}   (Ctrl-C stops it)`);
      for (const line of lines) progress.line(line);
    } catch (error) {
      // What breaks because a stop is under way is not a failure of the start.
      if (!stopping.signal.aborted) await fail(error);
    }
  },
});

/** A PORT of 0 becomes a real one here, because the API, its readiness check and PUBLIC_URL must agree on it. */
async function withPort(settings: Settings): Promise<Settings> {
  if (settings.PORT !== 0) return settings;
  process.env.PORT = String((await freePorts(['api'], {})).api);
  return readSettings(process.env);
}

/** What a stop does not end: people go on using it. */
function goingOn(home: Home): string {
  const running = hasAgentHome(home) ? countRunning(agentHome(home)) : 0;
  if (running === 0) return '';
  const what = running === 1 ? '1 instance goes on' : `${running} instances go on`;
  return `${what} on this machine; \`./ballast down\` ends what runs here.\n`;
}

/** What is said to whoever has nobody to sign in as yet. */
async function firstAccount(settings: Settings): Promise<string[]> {
  try {
    const { firstOwnerLink } = await import('../sign-in/first-owner-link.ts');
    const link = await firstOwnerLink(settings);
    if (link === undefined) return [];
    return [`Make the first account: ${link}`, '   (once, within 15 minutes; `./ballast sign-in-link` makes another)'];
  } catch (error) {
    return [`! No link for a first account could be made (${sentenceOf(error)}); try \`./ballast sign-in-link\`.`];
  }
}
