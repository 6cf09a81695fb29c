import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readIdentity } from '../../agent/home/identity.ts';
import { readStatus } from '../../agent/home/status.ts';
import type { Settings } from '../../domain/settings/settings.ts';
import { makeAgentHome } from '../../runtime/home/agent-home.ts';
import type { Home } from '../../runtime/home/home.ts';
import type { Part } from '../../runtime/supervisor/part.ts';
import { Refusal } from '../../runtime/supervisor/refusal.ts';

const preparation = fileURLToPath(new URL('local-agent.ts', import.meta.url));
/** The exit code of a preparation that no further attempt can help. */
export const refusedCode = 3;
const longestPreparation = 120_000;

/** The environment of the preparing process, and the signal that ends it: a stop waits for nothing. */
interface Preparing {
  env: Readonly<Record<string, string>>;
  signal: AbortSignal;
}

export function tokenFile(directory: string): string {
  return join(directory, 'run', 'enrolment-token');
}

/**
 * The agent of the cluster on this machine. It is enrolled, launched and updated as on any other machine; only the token
 * and its first release come to it without a detour, and it reaches the API by a socket that nobody else can hold.
 */
export function agentPart(home: Home, settings: Settings, socket: string, preparing: Preparing): Part {
  const directory = makeAgentHome(home);
  let prepared = false;
  let reached = false;
  return {
    name: 'agent',
    title: 'Agent of the local cluster',
    async prepare() {
      // One that was in contact and died is started again as it was.
      const asItWas = prepared && reached && readIdentity(directory)?.cluster !== undefined;
      const mend = prepared && !reached;
      reached = false;
      if (!asItWas) await runPreparation(preparing, mend ? ['--mend'] : []);
      prepared = true;
    },
    command: () => ({
      file: '/bin/sh',
      args: [
        join(directory, 'launcher.sh'),
        directory,
        ...['--socket', socket, '--token-file', tokenFile(directory), '--driver', settings.LOCAL_DRIVER],
        ...['--ingress-port', String(settings.INGRESS_PORT), '--ingress-listen', settings.INGRESS_LISTEN],
      ],
      // Nothing else of what the control plane is told: the agent sees neither its database nor its keys.
      env: {
        ...{ PATH: process.env.PATH, HOME: process.env.HOME, LANG: process.env.LANG, BALLAST_NODE: process.execPath },
        BALLAST_AGENT_DOCKER_SOCKET: settings.LOCAL_DOCKER_SOCKET,
        // Proxies in front of this machine are in front of its ingress, too. An earlier release ignores the variable.
        BALLAST_AGENT_INGRESS_TRUSTED_PROXIES: settings.TRUSTED_PROXIES.join(','),
        // The owner of the machine has said it once: of calls of the control plane, and of builds here.
        BALLAST_AGENT_BUILD_ALLOWED_RANGES: settings.OUTBOUND_ALLOWED_RANGES.join(','),
        BALLAST_AGENT_BUILD_CA_FILE: settings.OUTBOUND_CA_FILE,
        ...(settings.LOCAL_BUILD_MEMORY_MIB === 0
          ? {}
          : { BALLAST_AGENT_BUILD_MEMORY_MIB: String(settings.LOCAL_BUILD_MEMORY_MIB) }),
      },
      cwd: directory,
    }),
    ready: async () => {
      const connected = readStatus(directory)?.connected ?? false;
      reached ||= connected;
      return connected;
    },
    stopSignal: 'SIGTERM',
    hurrySignal: 'SIGTERM',
  };
}

/** Signs this version's release of the agent and has it offered, where no agent runs beside. */
export function offerRelease(preparing: Preparing): Promise<void> {
  return runPreparation(preparing, ['--sign-only']);
}

/** In a process of its own: what it loads would stay in the supervisor for ever. */
function runPreparation({ env: embedded, signal }: Preparing, flags: readonly string[]): Promise<void> {
  const args = ['--disable-warning=ExperimentalWarning', preparation, ...flags];
  const env = { ...process.env, ...embedded };
  const options = { env, signal, timeout: longestPreparation, killSignal: 'SIGKILL' as const };
  return new Promise((resolve, reject) => {
    execFile(process.execPath, args, options, (error, _, errors) => {
      if (error === null) return resolve();
      const late = `it was not prepared within ${longestPreparation / 1000} s`;
      const said = error.killed ? late : errors.trim().split('\n').at(-1) || error.message;
      reject(error.code === refusedCode ? new Refusal(said) : new Error(said));
    });
  });
}
