import { endInstances } from '../../agent/program/leave.ts';
import { readSettings } from '../../domain/settings/settings.ts';
import { agentHome, hasAgentHome } from '../../runtime/home/agent-home.ts';
import { takeLock } from '../../runtime/home/claim-home.ts';
import { type Home, readHome } from '../../runtime/home/home.ts';
import { endOrphans, endSupervisor } from '../../runtime/supervisor/end-processes.ts';
import { Refusal } from '../../runtime/supervisor/refusal.ts';
import { command } from '../engine/command.ts';

export const down = command({
  summary: 'Stops everything on this machine: Ballast itself, the instances of the local cluster and its ingress',
  details: `Ctrl-C stops Ballast and leaves the instances running, so that people can keep using them. Volumes stay
either way, and the next \`./ballast up\` starts the instances again.`,
  run: async () => {
    const { BALLAST_HOME, LOCAL_DOCKER_SOCKET } = readSettings(process.env);
    const home = readHome(BALLAST_HOME);
    if (await endSupervisor(home)) process.stdout.write('Ballast is stopped.\n');
    await endLeftBehind(home);
    if (!hasAgentHome(home)) return;
    const { ended, left } = await endInstances(agentHome(home), LOCAL_DOCKER_SOCKET);
    if (left !== undefined) {
      process.stderr.write(
        `ballast: ${left} Then run \`./ballast down\` again. The ingress of the local cluster has ended.\n`,
      );
      // An engine that hangs holds connections that nobody waits for.
      process.exit(1);
    }
    process.stdout.write(
      `${ended === 1 ? '1 instance' : `${ended} instances`} of the local cluster ended, and its ingress.\n`,
    );
  },
});

/** Ends the processes that a killed supervisor left behind or never recorded. Refuses while the supervisor is alive. */
async function endLeftBehind(home: Home): Promise<void> {
  const lock = await takeLock(home);
  if (lock === undefined)
    throw new Refusal(
      `Another command is starting Ballast in ${home.path}; run \`./ballast down\` again when it has started.`,
    );
  try {
    await endOrphans(home, (part) => process.stdout.write(`Stopping ${part}, which a killed start left behind.\n`));
  } finally {
    lock.release();
  }
}
