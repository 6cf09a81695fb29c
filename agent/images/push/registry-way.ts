import type { Readable } from 'node:stream';
import { Refusal } from '../../program/refusal.ts';

export interface Sent {
  body?: Buffer | Readable;
  headers?: Record<string, string>;
}

export interface Answered {
  status: number;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  text: string;
}

/** How a registry of a control plane is reached, and as whom: by an API token, or by the link of an agent. */
export interface RegistryWay {
  /** As people are told it. */
  readonly host: string;
  /** Whether a failure says that nobody is there for now, which is waited for as long as there is time; a person at a command does not wait. */
  isAway?(error: unknown): boolean;
  /** `path` begins with `/v2/`. No answer is refused here; what it throws may pass. */
  ask(method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, sent: Sent): Promise<Answered>;
}

/** The registry's answer that is none, by its own code; status 0 where nothing was asked. */
export class RegistryRefusal extends Refusal {
  readonly status: number;
  readonly code: string;
  /** After how many seconds to come again, of one that is asked too often. */
  readonly afterSeconds: number | undefined;

  constructor(message: string, status = 0, code = '', afterSeconds?: number) {
    super(message);
    this.status = status;
    this.code = code;
    this.afterSeconds = afterSeconds;
  }
}
