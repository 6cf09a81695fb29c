import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { portOf } from '../../machine/test-ground.ts';
import { authority } from '../ground/authority.ts';
import { type Bucket, startBucket } from './bucket.ts';

/** A bucket over TLS, behind a wire that passes so many bytes of each direction and then no more until it is let go. */
export interface HeldBucket extends Bucket {
  endpoint: string;
  ca: string;
  /** From now on, of each direction of each connection. */
  hold(bytes: number): void;
  letGo(): void;
  /** Something waits. */
  isHeld(): boolean;
  /** Ends all connections, as a store that is restarted does. */
  cut(): void;
}

export async function startHeldBucket(): Promise<HeldBucket> {
  const made = await authority();
  const bucket = await startBucket('', { ca: made.ca, ...(await made.certify('127.0.0.1')) });
  const behind = Number(new URL(bucket.target.endpoint).port);
  let most = Number.POSITIVE_INFINITY;
  let waiting = 0;
  const open = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(behind, '127.0.0.1');
    for (const socket of [near, far]) {
      open.add(socket);
      socket.on('error', () => undefined).on('close', () => void open.delete(socket));
    }
    void pass(near, far);
    void pass(far, near);
  });
  server.listen(0, '127.0.0.1');
  const port = await portOf(server);
  return {
    ...bucket,
    endpoint: `https://127.0.0.1:${port}`,
    ca: made.ca,
    hold: (bytes) => {
      most = bytes;
    },
    letGo: () => {
      most = Number.POSITIVE_INFINITY;
    },
    isHeld: () => waiting > 0,
    cut: () => {
      for (const socket of open) socket.destroy();
    },
    stop: async () => {
      for (const socket of open) socket.destroy();
      server.close();
      await bucket.stop();
    },
  };

  async function pass(from: Socket, to: Socket): Promise<void> {
    let passed = 0;
    try {
      for await (const piece of from as AsyncIterable<Buffer>) {
        passed += piece.length;
        if (passed > most) await held(from, to);
        if (!to.write(piece)) await once(to, 'drain');
      }
      to.end();
    } catch {
      to.destroy();
    }
  }

  async function held(from: Socket, to: Socket): Promise<void> {
    waiting += 1;
    try {
      while (most !== Number.POSITIVE_INFINITY && !from.destroyed && !to.destroyed) await pause(20);
    } finally {
      waiting -= 1;
    }
  }
}
