import { type ChildProcess, spawn } from 'node:child_process';
import { readlinkSync, statSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { Server } from 'node:net';
import { openProxy } from '../../../../outbound/proxy.ts';
import type { OutboundRules } from '../../../../outbound/rules.ts';
import { bareEnvironment } from '../../../drivers/process/launch/begin-run.ts';
import { programOfMachine } from '../../../drivers/process/launch/command-of.ts';
import { Refusal } from '../../../program/refusal.ts';
import type { Followed } from '../../build-settings.ts';
import { proxyPort, proxyVariables } from '../../sandbox/network.ts';

/** The port at which a builder finds the engine's own images. */
export const imagesPort = 3129;
const ports = [proxyPort, imagesPort];

/** By these BuildKit itself finds the proxy, and commands by the same ones. */
export const wayOut: Readonly<Record<string, string>> = Object.fromEntries(
  ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY'].map((name) => [name, proxyVariables[name] ?? '']),
);

/**
 * Run by Node inside the network of a builder: opens the sockets, hands them to the agent, and ends. A socket stays in the
 * network that it was opened in, so the agent serves it, and nothing has to run inside. In that of the agent, none is opened.
 */
const listen = `process.on('disconnect', () => process.exit(1));
if (require('node:fs').readlinkSync('/proc/self/ns/net') === process.argv[1]) process.exit(1);
const open = ([port, ...more]) => require('node:net').createServer().listen(port, '127.0.0.1', function () {
  process.send(port, this, () => more.length > 0 ? open(more) : process.exit());
});
open(${JSON.stringify(ports)});`;

/** The way out of a builder, as long as it builds. */
export interface WayOut {
  /** Follows what it refuses, and what is open. */
  readonly proxy: Followed;
  close(): void;
}

/** Why the agent cannot serve the network of a container on this machine; undefined if nothing speaks against it yet. */
export function reasonAgainstEntering(): string | undefined {
  if (process.platform !== 'linux' || process.getuid?.() !== 0)
    return 'The agent must be root on the machine of the Docker engine to build there, since it serves the network of builds: run it as root, or build with the driver process.';
  if (programOfMachine('nsenter') === undefined)
    return 'Builds need the program nsenter, which this machine lacks: install util-linux.';
  return undefined;
}

/** Whether this process is that of a container of this machine which shares this folder, with a network of its own. */
export function isHere(pid: number, shared: string, asSeen: string): boolean {
  try {
    const [one, other] = [statSync(shared), statSync(asSeen)];
    const apart = readlinkSync(`/proc/${pid}/ns/net`) !== readlinkSync('/proc/self/ns/net');
    return pid > 0 && apart && one.dev === other.dev && one.ino === other.ino;
  } catch {
    return false;
  }
}

/** Opens the way out of the network of a process: the proxy by these rules, and the images that `images` answers. */
export async function openWayOut(pid: number, rules: OutboundRules, images: RequestListener): Promise<WayOut> {
  const [proxied, offered] = await socketsIn(pid);
  if (proxied === undefined || offered === undefined)
    throw new Refusal('The agent cannot open the way out of a builder: look at what it may do on this machine.');
  const proxy = openProxy(rules);
  proxy.serve(proxied);
  const http = createServer(images);
  offered.on('connection', (socket) => http.emit('connection', socket));
  return {
    proxy,
    close() {
      proxy.close();
      offered.close();
      http.closeAllConnections();
      http.close();
    },
  };
}

async function socketsIn(pid: number): Promise<(Server | undefined)[]> {
  const program = programOfMachine('nsenter') ?? 'nsenter';
  const own = readlinkSync('/proc/self/ns/net');
  const child = spawn(program, [`--net=/proc/${pid}/ns/net`, '--', process.execPath, '-e', listen, own], {
    ...{ stdio: ['ignore', 'ignore', 'ignore', 'ipc'], env: bareEnvironment },
  });
  const found = await serversOf(child);
  return ports.map((port) => found.get(port));
}

function serversOf(child: ChildProcess): Promise<Map<number, Server>> {
  const servers = new Map<number, Server>();
  return new Promise((resolve) => {
    child.on('message', (port, server) => {
      servers.set(Number(port), server as Server);
      if (servers.size === ports.length) resolve(servers);
    });
    child.once('exit', () => resolve(servers));
    child.once('error', () => resolve(servers));
  });
}
