import type { Settings } from '../../domain/settings/settings.ts';
import type { Home } from '../../runtime/home/home.ts';
import { CannotHold, type HeldSocket, holdSockets, type SocketAddress } from '../../runtime/sockets/held-socket.ts';
import { anyInnerPort, portRefusal } from '../../runtime/sockets/ports.ts';

/** Who listens at ports that the supervisor holds. The identity provider has none. */
export type Listener = 'api' | 'worker';
export type HeldPorts = Readonly<Record<Listener, readonly HeldSocket[]>>;

interface PortToHold extends SocketAddress {
  listener: Listener;
  /** The setting by which people chose the port; without one another port is as good. */
  setting?: 'PORT' | 'WORKER_PORT';
  /** Left out where the machine has no such address. */
  optional?: true;
}

type Choice = Pick<Settings, 'LISTEN' | 'PORT' | 'WORKER_PORT' | 'PUBLIC_URL'>;

/**
 * Opens the ports of our own parts before anything is started, and keeps them for as long as this process lives: no moment
 * is left in which somebody else could have one. Throws a refusal when a port that people chose is taken.
 */
export async function holdPorts(home: Home, settings: Choice): Promise<HeldPorts> {
  let wanted = wantedPorts(settings, home.record.ports.worker);
  for (;;) {
    try {
      const held = await holdSockets(wanted);
      const of = (listener: Listener) => held.filter((_, index) => wanted[index]?.listener === listener);
      const ports = { api: of('api'), worker: of('worker') };
      const worker = ports.worker[0]?.port;
      if (worker !== undefined) home.keep({ ports: { ...home.record.ports, worker } });
      return ports;
    } catch (error) {
      if (!(error instanceof CannotHold)) throw error;
      const refused = wanted.find(({ port, address }) => port === error.port && address === error.address);
      if (refused?.optional && error.code !== 'EADDRINUSE') wanted = wanted.filter((one) => one !== refused);
      else if (refused === undefined || refused.setting) throw portRefusal(error, refused?.setting ?? 'PORT');
      else {
        // The same one on every address.
        const port = anyInnerPort();
        wanted = wanted.map((one) => (one.listener === refused.listener ? { ...one, port } : one));
      }
    }
  }
}

function wantedPorts(settings: Choice, before: number | undefined): PortToHold[] {
  const { LISTEN, PORT, WORKER_PORT } = settings;
  const api = PORT === 0 ? { port: anyInnerPort() } : { port: PORT, setting: 'PORT' as const };
  const worker =
    WORKER_PORT === 0 ? { port: before ?? anyInnerPort() } : { port: WORKER_PORT, setting: 'WORKER_PORT' as const };
  const here = '127.0.0.1';
  return [
    { listener: 'api', address: LISTEN, ...api },
    // `localhost` is this address, too, and programs try it first: nobody else may answer there.
    ...(LISTEN === here ? [{ listener: 'api' as const, address: '::1', optional: true as const, ...api }] : []),
    { listener: 'worker', address: here, ...worker },
  ];
}

export function releasePorts(held: HeldPorts): void {
  for (const one of [...held.api, ...held.worker]) one.close();
}
