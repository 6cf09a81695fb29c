import type { Option } from './command.ts';

const firstWord = 3_000;
const furtherWords = 15_000;

interface Screen {
  isTTY?: boolean;
  columns?: number;
  write(text: string): boolean;
}

/**
 * The progress of a start: a line per finished step and, on a terminal, one live line with the steps that run and the
 * seconds they have taken. Where nobody watches, a step that takes longer than three seconds says so, and again every
 * fifteen seconds.
 */
export class Progress {
  readonly #out: Screen;
  readonly #running = new Map<string, { since: number; text: string }>();
  readonly #timer: NodeJS.Timeout;
  #tellAt = 0;

  constructor(out: Screen = process.stdout) {
    this.#out = out;
    this.#timer = setInterval(() => this.#tick(), out.isTTY ? 100 : 1000);
    this.#timer.unref();
  }

  /** A step begins, or has more to say about itself. */
  running(step: string, text: string = step): void {
    const known = this.#running.get(step);
    this.#running.set(step, { since: known?.since ?? Date.now(), text });
    if (this.#running.size === 1 && known === undefined) this.#tellAt = Date.now() + firstWord;
    this.#draw();
  }

  /** Drops the step without a line. */
  forget(step: string): void {
    this.#running.delete(step);
    this.#draw();
  }

  done(step: string, text: string): void {
    const seconds = (Date.now() - (this.#running.get(step)?.since ?? Date.now())) / 1000;
    this.#running.delete(step);
    this.line(`✓ ${text} (${seconds.toFixed(1)} s)`);
  }

  line(text: string): void {
    this.#clear();
    this.#out.write(`${text}\n`);
    this.#draw();
  }

  end(): void {
    clearInterval(this.#timer);
    this.#running.clear();
    this.#clear();
  }

  #tick(): void {
    if (this.#out.isTTY) this.#draw();
    else if (this.#running.size > 0 && Date.now() >= this.#tellAt) {
      this.#tellAt = Date.now() + furtherWords;
      this.#out.write(`… ${this.#describe()}\n`);
    }
  }

  #describe(): string {
    return [...this.#running.values()].map(({ since, text }) => `${text}, ${elapsed(Date.now() - since)}`).join('; ');
  }

  #draw(): void {
    if (!this.#out.isTTY || this.#running.size === 0) return;
    // A terminal that does not know its width says 0.
    const room = (this.#out.columns || 80) - 3;
    this.#clear();
    this.#out.write(`… ${this.#describe().slice(0, room)}`);
  }

  #clear(): void {
    if (this.#out.isTTY) this.#out.write('\r\x1b[K');
  }
}

/**
 * Progress for programs, which give `--json`: lines of JSON on the standard error as it happens, so that the result stays alone on
 * the standard output. docs/cli.md says which commands write them, and the fields of each.
 */
export class Events {
  readonly #last = new Map<string, string>();

  /** Told once for as long as nothing of it changes. `id`: the thing that it is about. */
  tell(event: string, id: string, facts: Readonly<Record<string, unknown>>): void {
    const text = JSON.stringify(facts);
    const key = `${event} ${id}`;
    if (this.#last.get(key) === text) return;
    this.#last.set(key, text);
    process.stderr.write(`${JSON.stringify({ event, at: new Date().toISOString(), ...facts })}\n`);
  }
}

/** Of commands that write `Events`; behind their other options, since all that call the API have a `--json`. */
export const eventsOption = {
  json: {
    type: 'boolean',
    what: 'Print JSON: each stage and wait as a line on the standard error, the result on the standard output.',
  },
} as const satisfies Record<string, Option>;

function elapsed(milliseconds: number): string {
  const seconds = Math.floor(milliseconds / 1000);
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}
