import { randomUUID } from 'node:crypto';
import { close, fstatSync, openSync, renameSync, statSync, write, writeSync } from 'node:fs';
import { type StatusClass, statusClasses, type Traffic } from '../route.ts';
import type { RoutingTable } from '../routing-table.ts';
import type { ClientLimits } from './client-limits.ts';
import { givenRequestId, type RequestHead } from './headers.ts';

const largest = 20 * 1024 * 1024;
const kept = 3;
const mostWaiting = 8 * 1024 * 1024;
const batchMilliseconds = 100;

interface AccessLine {
  time: string;
  host: string;
  method: string;
  /** Without the query: that is where secrets are. */
  path: string;
  status: number;
  bytes: number;
  ms: number;
  instance?: string;
  requestId: string;
  client: string;
  protocol: string;
  /** Set if the answer was not whole. */
  cut?: true;
}

/**
 * A line a request, written in batches a tenth of a second apart: so much is lost at most if the process is killed. Two
 * processes may write while one takes over from the other; then only the one that serves moves full files away.
 */
export class AccessLog {
  readonly #path: string;
  #file: number;
  #waiting: string[] = [];
  #waitingBytes = 0;
  #lost = 0;
  #timer: NodeJS.Timeout | undefined;
  #writing = false;
  rotates = true;

  constructor(path: string) {
    this.#path = path;
    this.#file = openSync(path, 'a', 0o600);
  }

  add(line: AccessLine): void {
    if (this.#waitingBytes > mostWaiting) {
      this.#lost += 1;
      return;
    }
    const text = `${JSON.stringify(line)}\n`;
    this.#waiting.push(text);
    this.#waitingBytes += text.length;
    this.#timer ??= setTimeout(() => this.#flush(), batchMilliseconds);
  }

  /** Writes what is left, before the process ends. */
  close(): void {
    clearTimeout(this.#timer);
    try {
      writeSync(this.#file, this.#take());
    } catch {
      // A full disk is no reason not to end.
    }
  }

  #take(): string {
    const text = this.#waiting.join('');
    this.#waiting = [];
    this.#waitingBytes = 0;
    return text;
  }

  #flush(): void {
    this.#timer = undefined;
    if (this.#writing) {
      this.#timer = setTimeout(() => this.#flush(), batchMilliseconds);
      return;
    }
    this.#writing = true;
    this.#rotate();
    if (this.#lost > 0) {
      this.#waiting.push(`${JSON.stringify({ time: new Date().toISOString(), lostLines: this.#lost })}\n`);
      this.#lost = 0;
    }
    this.#writeAll(Buffer.from(this.#take()));
  }

  #writeAll(rest: Buffer): void {
    write(this.#file, rest, (error, written) => {
      if (error === null && written < rest.length) return this.#writeAll(rest.subarray(written));
      if (error !== null) this.#lost += 1;
      this.#writing = false;
    });
  }

  #rotate(): void {
    try {
      if (this.rotates && fstatSync(this.#file).size > largest) {
        for (let number = kept - 1; number >= 1; number -= 1) {
          const older = `${this.#path}.${number}`;
          if (statSync(older, { throwIfNoEntry: false })) renameSync(older, `${this.#path}.${number + 1}`);
        }
        renameSync(this.#path, `${this.#path}.1`);
      }
      if (statSync(this.#path, { throwIfNoEntry: false })?.ino === fstatSync(this.#file).ino) return;
      const before = this.#file;
      this.#file = openSync(this.#path, 'a', 0o600);
      close(before);
    } catch {
      // Goes on in the file it has; the next batch tries again.
    }
  }
}

/** Each bucket ends a fifth above the one before it, from half a millisecond to some ten minutes. */
const bounds = Array.from({ length: 78 }, (_, number) => 0.5 * 1.2 ** number);

interface Counts {
  requests: Record<StatusClass, number>;
  /** One more than there are bounds: the last is for what took even longer. */
  buckets: Float64Array;
}

/** How many requests a host got and how long they took: little memory, however many there are. */
export class TrafficCounts {
  readonly #hosts = new Map<string, Counts>();

  count(host: string, status: number, milliseconds: number): void {
    let counts = this.#hosts.get(host);
    if (counts === undefined) {
      counts = {
        requests: { '1xx': 0, '2xx': 0, '3xx': 0, '4xx': 0, '5xx': 0 },
        buckets: new Float64Array(bounds.length + 1),
      };
      this.#hosts.set(host, counts);
    }
    counts.requests[statusClasses[Math.floor(status / 100) - 1] ?? '5xx'] += 1;
    const bucket = Math.max(0, Math.ceil(Math.log(milliseconds / 0.5) / Math.log(1.2)));
    const at = Math.min(bucket, bounds.length);
    counts.buckets[at] = (counts.buckets[at] ?? 0) + 1;
  }

  /** Forgets hosts that no route leads to any more. */
  keep(hosts: ReadonlySet<string>): void {
    for (const host of this.#hosts.keys()) {
      if (!hosts.has(host)) this.#hosts.delete(host);
    }
  }

  all(): Traffic[] {
    return [...this.#hosts].map(([host, { requests, buckets }]) => ({
      host,
      requests: { ...requests },
      milliseconds: { p50: quantile(buckets, 0.5), p95: quantile(buckets, 0.95), p99: quantile(buckets, 0.99) },
    }));
  }
}

/** The end of the bucket that the quantile falls into: at most a fifth too much, never too little. */
function quantile(buckets: Float64Array, share: number): number {
  const total = buckets.reduce((sum, count) => sum + count, 0);
  let seen = 0;
  for (const [at, count] of buckets.entries()) {
    seen += count;
    if (seen >= total * share) return Math.round((bounds[at] ?? bounds.at(-1) ?? 0) * 10) / 10;
  }
  return 0;
}

/** State shared by all requests. */
export interface Front {
  table: RoutingTable;
  log: AccessLog;
  traffic: TrafficCounts;
  trusts: (address: string) => boolean;
  limits: ClientLimits;
}

/** The record of one request: a line in the access log and one more in the counts. */
export class RequestRecord {
  readonly #front: Front;
  readonly #asked: RequestHead;
  readonly started = performance.now();
  readonly requestId: string;
  host = '';
  instance: string | undefined;
  bytes = 0;
  #closed = false;

  constructor(front: Front, asked: RequestHead) {
    this.#front = front;
    this.#asked = asked;
    this.requestId = givenRequestId(asked.headers) ?? randomUUID();
  }

  /** `counted`: after so many milliseconds, where that is not how long it was open. */
  close(status: number, options: { cut?: boolean; counted?: number } = {}): void {
    if (this.#closed) return;
    this.#closed = true;
    const ms = performance.now() - this.started;
    const line: AccessLine = {
      time: new Date().toISOString(),
      host: this.host,
      method: this.#asked.method.slice(0, 32),
      path: (this.#asked.path.split('?', 1)[0] ?? '').slice(0, 2048),
      status,
      bytes: this.bytes,
      ms: Math.round(ms * 10) / 10,
      requestId: this.requestId,
      client: this.#asked.address,
      protocol: this.#asked.protocol,
      ...(this.instance === undefined ? {} : { instance: this.instance }),
      ...(options.cut ? { cut: true } : {}),
    };
    this.#front.log.add(line);
    if (this.#front.table.upstreams(this.host) !== undefined) {
      this.#front.traffic.count(this.host, status, options.counted ?? ms);
    }
  }
}
