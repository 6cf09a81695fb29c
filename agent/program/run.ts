import { collectWhenIdle } from '../../machine/idle-collection.ts';
import { buildOptions, buildSettings } from '../builders/build-settings.ts';
import { chooseDriver } from '../drivers/choose-driver.ts';
import { homeOption, openHome } from '../home/home.ts';
import { type Identity, readIdentity } from '../home/identity.ts';
import { becomeSoleAgent } from '../home/sole-agent.ts';
import { trustedProxies } from '../ingress/trusted-proxies.ts';
import { enrol } from '../join/enrol.ts';
import { controlPlaneOf, joinOptions, pinKey, takeToken } from '../join/join.ts';
import { Agent } from './agent.ts';
import { usualDockerSocket } from './leave.ts';
import { type Log, lineLog, reason } from './log.ts';
import type { AgentCommand, Values } from './options.ts';
import { Refusal } from './refusal.ts';
import { watchLoop } from './watchdog.ts';

/** How the agent ends for good or for a while; launcher and systemd know these numbers. */
const exitCodes = { stopped: 0, superseded: 64, clusterDeleted: 65, switchOver: 75 } as const;

const gib = 1024 ** 3;

export const run: AgentCommand = {
  name: 'run',
  summary: 'Runs the agent of this machine until it is asked to stop. Its instances keep running.',
  details:
    'Exits with 64 if another agent has taken over its identity, and with 65 if its cluster was deleted: starting it again changes nothing then.',
  options: {
    home: homeOption,
    driver: {
      value: 'auto|process|docker',
      what: 'How instances run; auto: Docker if its engine answers, else processes of this machine.',
      variable: 'BALLAST_AGENT_DRIVER',
      default: 'auto',
    },
    'docker-socket': {
      value: 'PATH',
      what: "The Docker engine's socket.",
      variable: 'BALLAST_AGENT_DOCKER_SOCKET',
      default: usualDockerSocket,
    },
    'ingress-port': {
      value: 'PORT',
      what: 'Port of the ingress; 0 picks a free one and keeps it.',
      variable: 'BALLAST_AGENT_INGRESS_PORT',
      default: '8089',
    },
    'ingress-listen': {
      value: 'ADDRESS',
      what: 'The address of this machine that the ingress listens on.',
      variable: 'BALLAST_AGENT_INGRESS_LISTEN',
      default: '127.0.0.1',
    },
    'ingress-connections-per-client': {
      value: 'NUMBER',
      what: 'Open connections that one client address, or one /64 of IPv6, may have at the ingress.',
      variable: 'BALLAST_AGENT_INGRESS_CONNECTIONS_PER_CLIENT',
      default: '1024',
    },
    'ingress-requests-per-client': {
      value: 'NUMBER',
      what: 'Requests of one client that the ingress forwards at once; more are answered with 429.',
      variable: 'BALLAST_AGENT_INGRESS_REQUESTS_PER_CLIENT',
      default: '512',
    },
    'ingress-trusted-proxies': {
      value: 'RANGES',
      what: 'Addresses of proxies in front of the ingress, with commas between them: whom they name in X-Forwarded-For is the client.',
      variable: 'BALLAST_AGENT_INGRESS_TRUSTED_PROXIES',
    },
    'image-cache-gib': {
      value: 'NUMBER',
      what: 'Size of the image cache above which unused images are deleted.',
      variable: 'BALLAST_AGENT_IMAGE_CACHE_GIB',
      default: '20',
    },
    'image-gib': {
      value: 'NUMBER',
      what: 'Size of the largest image that is accepted.',
      variable: 'BALLAST_AGENT_IMAGE_GIB',
      default: '8',
    },
    ...buildOptions,
    ...joinOptions,
  },
  async run(values) {
    const home = openHome(values.needed('home'));
    const stopping = new AbortController();
    for (const name of ['SIGTERM', 'SIGINT'] as const) process.on(name, () => stopping.abort());
    const place = await becomeSoleAgent(home);
    try {
      const identity = await whoWeAre(home, values, lineLog, stopping.signal);
      const driver = await chooseDriver(values.needed('driver'), {
        home,
        socket: values.needed('docker-socket'),
        log: lineLog,
      });
      const agent = new Agent({
        home,
        identity,
        socket: values.text('socket'),
        driver,
        ingress: {
          port: values.number('ingress-port', 0, 65_535),
          listen: values.needed('ingress-listen'),
          limits: {
            connections: values.number('ingress-connections-per-client', 1, 20_000),
            requests: values.number('ingress-requests-per-client', 1, 20_000),
          },
          trustedProxies: proxies(values.text('ingress-trusted-proxies') ?? ''),
        },
        imageLimits: {
          limitBytes: values.number('image-cache-gib', 1, 100_000) * gib,
          maxImageBytes: values.number('image-gib', 1, 10_000) * gib,
        },
        builds: buildSettings(values),
        dockerSocket: values.needed('docker-socket'),
        launched: process.env.BALLAST_LAUNCHED,
        log: lineLog,
      });
      collectWhenIdle();
      watchLoop();
      const ending = await agent.run(stopping.signal);
      if (ending === 'superseded') lineLog.warn('Another agent has taken over this identity; this one stops for good.');
      if (ending === 'cluster-deleted')
        lineLog.warn('The cluster of this agent was deleted; the agent stops for good.');
      return {
        stopped: exitCodes.stopped,
        superseded: exitCodes.superseded,
        'cluster-deleted': exitCodes.clusterDeleted,
        'switch-over': exitCodes.switchOver,
      }[ending];
    } finally {
      place.release();
    }
  },
};

function proxies(list: string): string[] {
  const ranges = list.split(',').flatMap((range) => range.trim() || []);
  try {
    trustedProxies(ranges);
  } catch (error) {
    throw new Refusal(`--ingress-trusted-proxies: ${reason(error)}`);
  }
  return ranges;
}

async function whoWeAre(home: string, values: Values, log: Log, signal: AbortSignal): Promise<Identity> {
  const known = readIdentity(home);
  const place = controlPlaneOf(values);
  const tokenFile = values.text('token-file');
  if (known?.cluster !== undefined) return known;
  if (place === undefined || tokenFile === undefined) {
    throw new Refusal(
      'This agent is not enrolled; give --url and --token-file, or run the install command of a cluster.',
    );
  }
  pinKey(home, values);
  const { token, used } = await takeToken(tokenFile);
  const identity = await enrol({ home, ...place, token, caFile: values.text('ca-file'), log, signal });
  used();
  return identity;
}
