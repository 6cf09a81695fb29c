import type { Socket } from 'node:net';

/** How long the other side may take to read the last answer. */
const lingerMillis = 1_000;

/**
 * Ends a connection for good once its last answer was sent. Closing only our half would leave it to the client how long
 * the connection lasts; destroying it at once would lose the answer, if there is still something of the client's to read.
 */
export function destroySoon(socket: Socket): void {
  const timer = setTimeout(() => socket.destroy(), lingerMillis);
  timer.unref();
  socket.once('end', () => socket.destroySoon());
  socket.once('close', () => clearTimeout(timer));
}
