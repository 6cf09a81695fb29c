import { holdersText } from '../../../machine/port-holders.ts';
import type { IngressFiles } from '../ingress-files.ts';
import { holderScript, startHolder } from './holder.ts';
import { CannotOpen, openSocket } from './open-socket.ts';

/** Somebody else has the port, or it may not be opened. */
export class CannotHold extends Error {}

export interface IngressListener {
  files: IngressFiles;
  /** Of the program, which is written down. */
  digest: string;
  listen: string;
  /** 0: any that is free. */
  port: number;
}

/** Opens the port and gives it to a new holder, which keeps it, and tries again, where the program fails at first. */
export async function holdPort({ files, digest, listen, port }: IngressListener): Promise<{ port: number }> {
  const socket = opened(listen, port);
  const found = { port: socket.port };
  try {
    await startHolder({ files, script: holderScript, digest, listen, socket, keeps: true });
  } catch {
    throw new Error(`The ingress does not start on ${listen}, port ${found.port}: ${files.lastWords()}`);
  }
  return found;
}

function opened(listen: string, port: number) {
  try {
    return openSocket(listen, port);
  } catch (error) {
    if (!(error instanceof CannotOpen)) throw error;
    if (error.code !== 'EADDRINUSE') {
      throw new CannotHold(`The ingress cannot listen on ${listen}, port ${port} (${error.code}); it is tried again.`);
    }
    const holder = holdersText(port) ?? 'another program';
    throw new CannotHold(
      `The ingress cannot listen on ${listen}, port ${port}: ${holder} has it. Stop that, or choose another port for the ingress; it is tried again.`,
    );
  }
}
