import type { CommandBody, OutputPiece } from '../../protocol/command.ts';
import type { Driver, LogLine } from '../drivers/driver.ts';
import { pause } from '../link/pause.ts';

interface Stream {
  id: string;
  driver: Driver;
  signal: AbortSignal;
  /** Resolves when the pieces are acknowledged: nothing more is read before that, so nothing piles up. */
  send(pieces: readonly OutputPiece[]): Promise<void>;
  holdsLeases(): boolean;
}

/** Sends lines of an instance's log, and with `follow` those to come, as long as somebody is there to take them. */
export async function streamLogs(
  { instance, tail, follow }: Extract<CommandBody, { kind: 'logs' }>,
  { driver, signal, send, holdsLeases }: Stream,
): Promise<void> {
  const over = new AbortController();
  const stop = AbortSignal.any([signal, over.signal]);
  const watch = setInterval(() => !holdsLeases() && over.abort(), 5000);
  const gathered: OutputPiece[] = [];
  let number = 0;
  let wake: () => void = () => {};
  let ended = false;
  const gather = async () => {
    try {
      for await (const line of driver.logs(instance, { tail, follow, signal: stop })) {
        gathered.push(piece(number, line));
        number += 1;
        wake();
        while (gathered.length >= 400 && !stop.aborted) await pause(20, stop);
        if (stop.aborted) return;
      }
    } finally {
      ended = true;
      wake();
    }
  };
  const reading = gather();
  reading.catch(() => {});
  try {
    while (!stop.aborted && !(ended && gathered.length === 0)) {
      if (gathered.length === 0) {
        await new Promise<void>((resolve) => {
          wake = resolve;
          if (ended || gathered.length > 0) resolve();
        });
        // Lines that come close together go together.
        await pause(50, stop);
        continue;
      }
      await send(takeBatch(gathered));
    }
    if (!stop.aborted) await reading;
  } finally {
    clearInterval(watch);
    over.abort();
  }
}

function takeBatch(gathered: OutputPiece[]): OutputPiece[] {
  let size = 0;
  let count = 0;
  for (const { data } of gathered) {
    if (count === 200 || (count > 0 && size + data.length > 524_288)) break;
    size += data.length;
    count += 1;
  }
  return gathered.splice(0, count);
}

function piece(number: number, { stream, at, text }: LogLine): OutputPiece {
  return { number, stream, data: Buffer.from(`${text}\n`).toString('base64').slice(0, 262_144), at: at.toISOString() };
}
