import type { RawHeaders } from '../requests/headers.ts';

/** A request as an instance gets it. */
export interface Outgoing {
  method: string;
  path: string;
  /** The host as the client wrote it. */
  authority: string;
  headers: RawHeaders;
  /** The body, of which nothing is taken before the instance takes it. */
  body: (() => AsyncIterable<Buffer>) | undefined;
  /** The client understands trailers (gRPC says so). */
  takesTrailers: boolean;
}

/** Callbacks of the answer. None follows `end` or `failed`. */
export interface Answer {
  /** From now on something of the request may be with the instance. */
  sent(): void;
  head(status: number, headers: RawHeaders, last: boolean): void;
  /** False: `resume` is called when there is room again. */
  data(chunk: Buffer): boolean;
  end(trailers: RawHeaders): void;
  /** `untouched`: the instance says that it did nothing with it. */
  failed(error: Error, untouched: boolean): void;
}

export interface Exchange {
  resume(): void;
  abort(): void;
}
