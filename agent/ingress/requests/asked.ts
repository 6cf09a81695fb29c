import type { Readable } from 'node:stream';
import type { RawHeaders } from './headers.ts';

/** A request as a client made it, in either version of HTTP. */
export interface Asked {
  protocol: 'http1' | 'h2c';
  method: string;
  /** With the query. */
  path: string;
  /** Every host that the request names; more than one different is refused. */
  hosts: readonly string[];
  headers: RawHeaders;
  /** Undefined if there is none. */
  body: Readable | undefined;
  address: string;
  /** Its connection is one too many of its client's. */
  crowded: boolean;
}

/** The answer to the client. */
export interface Reply {
  readonly begun: boolean;
  /** `last`: nothing comes after it, not even trailers. */
  head(status: number, headers: RawHeaders, last: boolean): void;
  data(chunk: Buffer): boolean;
  end(trailers: RawHeaders): void;
  /** Breaks it off so that the client sees that it is not whole. */
  cut(): void;
  onDrain(listener: () => void): void;
  onClose(listener: () => void): void;
}
