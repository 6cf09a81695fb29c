import { randomUUID } from 'node:crypto';
import type { RoutingTable } from '../routing-table.ts';
import type { AccessLine, AccessLog } from './access-log.ts';
import type { Asked } from './asked.ts';
import type { ClientLimits } from './client-limits.ts';
import { givenRequestId } from './headers.ts';
import type { TrafficCounts } from './traffic-counts.ts';

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
  readonly #asked: Asked;
  readonly started = performance.now();
  readonly requestId: string;
  host = '';
  instance: string | undefined;
  bytes = 0;
  #closed = false;

  constructor(front: Front, asked: Asked) {
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
