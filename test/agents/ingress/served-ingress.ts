import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { type Agent, createServer, get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { WebSocketServer } from 'ws';
import { Ingress } from '../../../agent/ingress/ingress.ts';
import { IngressFiles } from '../../../agent/ingress/ingress-files.ts';
import { until } from '../../ground/until.ts';

export const ingressMain = join(import.meta.dirname, '../../../agent/ingress/main.ts');

/** The closing steps of a test, last begun first. */
export type Undo = (() => Promise<unknown> | unknown)[];

/** An ingress that leads to an application in this process; the application counts each request by its id. */
export async function servedIngress(undo: Undo, program = [process.execPath, ingressMain]) {
  const home = mkdtempSync(join(tmpdir(), 'ballast-held-'));
  undo.push(() => rmSync(home, { recursive: true, force: true }));
  const seen = new Map<string, number>();
  const slow: { end(): void }[] = [];
  const application = createServer((asked, answer) => {
    const id = new URL(asked.url ?? '', 'http://app').searchParams.get('id') ?? '';
    seen.set(id, (seen.get(id) ?? 0) + 1);
    if (asked.url?.startsWith('/slow')) slow.push({ end: () => answer.end('slow') });
    else asked.resume().once('end', () => answer.end('done'));
  });
  const sockets = new WebSocketServer({ server: application });
  sockets.on('connection', (socket) => socket.on('message', (data) => socket.send(data)));
  await once(application.listen(0, '127.0.0.1'), 'listening');
  undo.push(() => {
    application.close();
    application.closeAllConnections();
  });
  const agent = (of = program) => {
    const one = new Ingress({ home, port: 0, listen: '127.0.0.1', program: of, log: { info() {}, warn() {} } });
    undo.push(() => one.stop());
    return one;
  };
  const ingress = agent();
  const { port } = await ingress.ensure();
  const upstream = { host: '127.0.0.1', port: (application.address() as AddressInfo).port };
  const upstreams = [{ instance: 'web', ...upstream, protocol: 'http1' as const }];
  await ingress.setRoutes([{ host: 'app.localhost', upstreams }]);
  const files = new IngressFiles(join(home, 'ingress'));
  const pid = () => files.serving()?.pid ?? 0;
  const holder = () => files.serving()?.holder?.pid ?? 0;
  /** Ends the process that serves, and waits for the next one. */
  const another = async (signal: NodeJS.Signals) => {
    const before = pid();
    process.kill(before, signal);
    await until('another process serves', async () => pid() !== before && ingress.port !== undefined, 60);
  };
  return { home, port, upstream, ingress, agent, files, seen, slow, pid, holder, another };
}

export function statusOf(port: number, agent?: Agent, path = '/'): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const options = { port, path, headers: { host: 'app.localhost' }, agent: agent ?? false };
    get(options, (answer) => answer.resume().once('end', () => resolve(answer.statusCode))).once('error', reject);
  });
}
