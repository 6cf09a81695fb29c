import { setDefaultSignalHandler } from '@temporalio/workflow';
import type { WaitingMessage } from '../domain/actors/actor-descriptor.ts';
import { lookAgain } from '../domain/actors/actors.ts';
import type { ReceivedMessage } from './message.ts';
import { fields, type Parsed, type Parser, text, Unreadable } from './parse.ts';

/** How the body of each message is read, by the name of the signal. */
export type Messages = Readonly<Record<string, Parser<object>>>;

/** One message of an actor that was read. */
export type MessageOf<M extends Messages> = {
  [Name in keyof M & string]: { message: Name; told: ReceivedMessage<Parsed<M[Name]>> };
}[keyof M & string];

export interface UnreadableMessage {
  message: string;
  why: string;
}

const envelope = fields({ id: text });
const longestName = 100;

/** The mailbox as the frame sees it, whatever the messages are. */
export interface Post {
  readonly isEmpty: boolean;
  /** The messages that nobody has taken; a new run takes them along. */
  readonly waiting: WaitingMessage[];
  readonly askedToLook: boolean;
  readonly hasUnreadable: boolean;
  nextUnreadable(): UnreadableMessage | undefined;
}

/**
 * Every signal of an actor, in the order in which they came. A handler only puts it there, since an error that is thrown
 * in a handler ends the workflow past its frame; a message is read when it is taken.
 */
export class Mailbox<M extends Messages> implements Post {
  readonly #messages: M;
  readonly #waiting: WaitingMessage[];
  readonly #unreadable: UnreadableMessage[] = [];
  #askedToLook = false;

  constructor(messages: M, waiting: readonly WaitingMessage[] = []) {
    this.#messages = messages;
    this.#waiting = [...waiting];
    // One handler for all names: one that is not known is a message that cannot be read.
    setDefaultSignalHandler((message: string, ...told: unknown[]) => {
      this.#waiting.push({ message, told: told[0] });
    });
  }

  get isEmpty(): boolean {
    return this.#waiting.length === 0;
  }

  get waiting(): WaitingMessage[] {
    return [...this.#waiting];
  }

  get askedToLook(): boolean {
    return this.#askedToLook;
  }

  get hasUnreadable(): boolean {
    return this.#unreadable.length > 0;
  }

  nextUnreadable(): UnreadableMessage | undefined {
    return this.#unreadable.shift();
  }

  /** The next message that can be read; what cannot is put aside for the frame to tell. */
  take(): MessageOf<M> | undefined {
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      if (next.message === lookAgain) {
        this.#askedToLook = true;
        continue;
      }
      try {
        return this.#read(next);
      } catch (error) {
        if (!(error instanceof Unreadable)) throw error;
        this.#unreadable.push({ message: next.message.slice(0, longestName), why: error.message });
      }
    }
    return undefined;
  }

  #read({ message, told }: WaitingMessage): MessageOf<M> {
    const parser = Object.hasOwn(this.#messages, message) ? this.#messages[message] : undefined;
    if (parser === undefined) throw new Unreadable('this version knows no message of that name');
    const { id, body } = envelope(told);
    // The parser is the one of the name, which the compiler cannot see through an index.
    return { message, told: { id, body: parser(body) } } as unknown as MessageOf<M>;
  }
}
