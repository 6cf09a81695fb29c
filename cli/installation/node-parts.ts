import { fileURLToPath } from 'node:url';
import type { Settings } from '../../domain/settings/settings.ts';
import type { Home } from '../../runtime/home/home.ts';
import type { HeldSocket } from '../../runtime/sockets/held-socket.ts';
import type { Part } from '../../runtime/supervisor/part.ts';
import { handOver } from './handed-over.ts';

const main = fileURLToPath(new URL('../main.ts', import.meta.url));

interface NodePart {
  name: 'api' | 'worker' | 'identity';
  title: string;
  home: Home;
  /** Asked for at each start. */
  env: () => Readonly<Record<string, string>>;
  /** Sockets that the supervisor holds, so that no other process can take the port while this part is down. */
  sockets?: readonly HeldSocket[];
}

/** The API, the worker or the identity provider as a process of its own, configured by its environment as anywhere else. */
export function nodePart({ name, title, home, env, sockets = [] }: NodePart): Part {
  return {
    name,
    title,
    prepare: async () => {},
    command: () => ({
      file: process.execPath,
      args: ['--disable-warning=ExperimentalWarning', main, name],
      env: { ...process.env, ...env(), ...handOver(sockets.length) },
      cwd: home.path,
      sockets: sockets.map(({ fd }) => fd),
    }),
    ready: 'told',
    stopSignal: 'SIGTERM',
    hurrySignal: 'SIGTERM',
  };
}

/** Where this machine reaches the API, whatever address it listens on. */
export function localAddress({ LISTEN, PORT }: Pick<Settings, 'LISTEN' | 'PORT'>): string {
  const host = LISTEN === '0.0.0.0' ? '127.0.0.1' : LISTEN === '::' ? '::1' : LISTEN;
  return `http://${host.includes(':') ? `[${host}]` : host}:${PORT}`;
}
