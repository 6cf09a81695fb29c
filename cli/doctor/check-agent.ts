import { readFailures, readStatus, type Status } from '../../agent/home/status.ts';
import { IngressFiles } from '../../agent/ingress/ingress-files.ts';
import type { Settings } from '../../domain/settings/settings.ts';
import { holdersText } from '../../machine/port-holders.ts';
import { isAlive } from '../../machine/process-identity.ts';
import { agentHome, hasAgentHome } from '../../runtime/home/agent-home.ts';
import { readHome } from '../../runtime/home/home.ts';
import { bindingError } from '../../runtime/sockets/ports.ts';
import { broken, type Check, idle, ok } from './check.ts';

const agentLog = 'logs/agent.log of the home';

/** The cluster of this machine: its agent, what runs instances, and where requests for them arrive. */
export function agentChecks(settings: Settings, running: boolean): Check[] {
  if (!settings.LOCAL_CLUSTER) return [];
  const unlessIdle = (run: (home: string) => ReturnType<Check['run']>) => async () => {
    if (!running) return idle('not running');
    const home = readHome(settings.BALLAST_HOME);
    return hasAgentHome(home)
      ? await run(agentHome(home))
      : broken('The agent of this machine was never prepared.', `See ${agentLog}.`);
  };
  return [
    { name: 'Agent', run: unlessIdle(agent) },
    { name: 'Driver', run: unlessIdle((home) => driver(readStatus(home), settings)) },
    { name: 'Ingress', run: unlessIdle((home) => ingress(home, settings)) },
  ];
}

async function agent(home: string) {
  const failures = readFailures(home);
  if (failures !== undefined && failures.count >= 2) {
    return broken(
      `It is in a crash loop: it ended ${failures.count} times since it was last in contact, the last time with ${failures.code}.`,
      `Start \`./ballast up\` again, which replaces its release; why it ends stands in ${agentLog}.`,
    );
  }
  const status = readStatus(home);
  if (status === undefined) return broken('It does not run, or is still starting.', `See ${agentLog}.`);
  if (!status.connected) {
    return broken(`${status.image} is out of contact: ${status.error ?? 'it is still starting'}`, `See ${agentLog}.`);
  }
  return ok(`${status.image} is in contact as the agent of ${status.cluster?.name ?? 'its cluster'}`);
}

async function driver(
  status: Status | undefined,
  { LOCAL_DRIVER: wanted, LOCAL_DOCKER_SOCKET: dockerSocket }: Settings,
) {
  const used = status?.driver ?? wanted;
  if (used === 'process') return ok('instances run as processes of this machine');
  const { engineAnswers } = await import('../../agent/drivers/docker/docker-driver.ts');
  if (await engineAnswers(dockerSocket)) return ok(`the Docker engine at ${dockerSocket} answers`);
  if (used === 'auto') return ok('there is no Docker engine, so instances run as processes of this machine');
  return broken(
    `The Docker engine at ${dockerSocket} does not answer; what runs there cannot be seen.`,
    'Start Docker, name its socket in LOCAL_DOCKER_SOCKET, or set LOCAL_DRIVER=process; then start again.',
  );
}

async function ingress(home: string, { INGRESS_PORT, INGRESS_LISTEN }: Settings) {
  const serving = new IngressFiles(`${home}/ingress`).serving();
  if (serving !== undefined && isAlive(serving)) return ok(`serves applications at ${serving.listen}:${serving.port}`);
  const taken = INGRESS_PORT !== 0 && (await bindingError(INGRESS_PORT, INGRESS_LISTEN)) === 'EADDRINUSE';
  if (taken) {
    const by = holdersText(INGRESS_PORT) ?? 'another program';
    return broken(
      `Its port ${INGRESS_PORT} is taken by ${by}, so no application is reached.`,
      'Stop that program, or set INGRESS_PORT to a free port and start again.',
    );
  }
  return broken('It does not run, so no application is reached.', `See ${agentLog}.`);
}
