import { once } from 'node:events';
import { Server } from 'node:net';
import type { IngressFiles } from '../ingress-files.ts';
import type { ServingOptions } from '../serving.ts';
import { holderScript, startHolder } from './holder.ts';
import { descriptorOf } from './open-socket.ts';

/**
 * Takes the socket over from an ingress of version 0.1, which has it without a holder and sends it to the process that it
 * starts as its successor. That one gives it to a holder and ends; the earlier ingress finishes its connections.
 */
export async function takeOver({ digest, listen }: ServingOptions, files: IngressFiles): Promise<void> {
  const taken = Promise.withResolvers<void>();
  process.once('message', (_, server) => {
    if (!(server instanceof Server)) return taken.reject(new Error('The ingress before this one sent no socket.'));
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    // In this very turn: a server that lives on would accept connections.
    const socket = { fd: descriptorOf(server), port, close: () => server.close() };
    startHolder({ files, script: holderScript, digest, listen, socket }).then(taken.resolve, taken.reject);
  });
  process.send?.('waiting');
  await Promise.race([
    taken.promise,
    once(process, 'disconnect').then(() => {
      throw new Error('The ingress before this one has ended.');
    }),
  ]);
  process.send?.('ready');
}
