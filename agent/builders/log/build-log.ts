import type { Mask } from '../../../domain/variables/mask.ts';
import { LineFolder } from './line-folder.ts';

/** Lines are gathered for so long, or until they are so many bytes: the journal keeps a piece of this size whole. */
const gatheredMillis = 100;
const pieceBytes = 60_000;
const lastLines = 20;

export interface LogParts {
  /** A piece of whole lines. */
  told(piece: Buffer): void;
  mask: Mask;
}

/** The log of one build: what its programs write, and what the builder says itself. */
export class BuildLog {
  readonly #parts: LogParts;
  #folders: Record<'stdout' | 'stderr', LineFolder>;
  #gathered: string[] = [];
  #bytes = 0;
  #timer: NodeJS.Timeout | undefined;
  /** Of what the programs of the present step wrote. */
  #last: string[] = [];
  #writtenAt = performance.now();

  constructor(parts: LogParts) {
    this.#parts = parts;
    this.#folders = this.#begun();
  }

  /** A line of the builder's own. */
  say(text: string): void {
    this.#writtenAt = performance.now();
    this.remark(text);
  }

  /** The same, of a step that is silent all the while. */
  remark(text: string): void {
    for (const line of text.split('\n')) this.#add(this.#parts.mask(line));
  }

  /** In milliseconds: since anything was written. */
  get silence(): number {
    return performance.now() - this.#writtenAt;
  }

  write(stream: 'stdout' | 'stderr', bytes: Buffer): void {
    this.#writtenAt = performance.now();
    const lines = this.#folders[stream].take(bytes);
    for (const line of lines) this.#add(line);
    this.#remember(lines);
  }

  /** Begins the lines of a step. */
  beginStep(): void {
    this.#folders = this.#begun();
    this.#last = [];
  }

  /** Nothing more comes of it: what it left unfinished are lines, too. Answers its last ones. */
  endStep(): string[] {
    const rest = [...this.#folders.stdout.end(), ...this.#folders.stderr.end()];
    for (const line of rest) this.#add(line);
    this.#remember(rest);
    this.flush();
    return this.#last;
  }

  /** Tells what was gathered. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#gathered.length === 0) return;
    const piece = Buffer.from(this.#gathered.join(''));
    this.#gathered = [];
    this.#bytes = 0;
    this.#parts.told(piece);
  }

  #begun() {
    const { mask } = this.#parts;
    return { stdout: new LineFolder(mask), stderr: new LineFolder(mask) };
  }

  #remember(lines: readonly string[]): void {
    const told = lines.slice(-lastLines).filter((line) => line.trim() !== '');
    this.#last = [...this.#last, ...told].slice(-lastLines);
  }

  #add(line: string): void {
    const whole = `${line}\n`;
    const bytes = Buffer.byteLength(whole);
    if (this.#bytes + bytes > pieceBytes) this.flush();
    this.#gathered.push(whole);
    this.#bytes += bytes;
    this.#timer ??= setTimeout(() => this.flush(), gatheredMillis);
  }
}
