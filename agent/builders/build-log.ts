import { StringDecoder } from 'node:string_decoder';
import { stripVTControlCharacters } from 'node:util';
import { type BrokenOff, type Mask, maskOf } from '../../domain/variables/mask.ts';
import type { BuildBody } from '../../protocol/build.ts';

/** Longer lines are cut, with a mark. */
const longestLine = 16 * 1024;
/** More than is shown, so that a secret is masked whole before the line is cut. */
const longestKept = 4 * longestLine;
/** Signs that a reader does not see. A tab is one that is seen. */
const control = /[^\P{Cc}\t]/u;
const controls = /[^\P{Cc}\t]/gu;
export const cutMark = ' … [cut]';

/**
 * Makes whole lines of what a program writes: a character that comes in two parts is one, and of a line that was drawn
 * several times (a progress bar) the last state counts.
 */
export class LineFolder {
  readonly #decoder = new StringDecoder('utf8');
  readonly #mask: Mask;
  /** A secret may go on in the next line. */
  #broken: BrokenOff['forms'] = [];
  #pending = '';

  constructor(mask: Mask) {
    this.#mask = mask;
  }

  take(bytes: Buffer): string[] {
    return this.#split(this.#decoder.write(bytes));
  }

  /** The rest, which nobody finishes any more. */
  end(): string[] {
    const lines = this.#split(this.#decoder.end());
    const rest = this.#pending;
    this.#pending = '';
    return rest === '' ? lines : [...lines, this.#shown(rest)];
  }

  #split(text: string): string[] {
    const parts = text.split('\n');
    const rest = parts.pop() ?? '';
    const lines = parts.map((part) => {
      const line = this.#shown(this.#pending + part);
      this.#pending = '';
      return line;
    });
    this.#pending = kept(this.#pending + rest);
    return lines;
  }

  #shown(line: string): string {
    const drawn = lastState(line).replaceAll('\0', '').slice(0, longestKept);
    const masked = this.#masked(drawn);
    return masked.length > longestLine ? `${whole(masked.slice(0, longestLine))}${cutMark}` : masked;
  }

  /** A secret with colours within is one for those who read without them: then the line loses its colours. */
  #masked(line: string): string {
    const [drawn, read, reread] = [{ forms: this.#broken }, { forms: this.#broken }, { forms: this.#broken }];
    const masked = this.#mask.line(line, drawn);
    this.#broken = drawn.forms;
    if (!control.test(line)) return masked;
    this.#mask.line(withoutControls(line), read);
    this.#broken = read.forms;
    const plain = withoutControls(masked);
    const again = this.#mask.line(plain, reread);
    return again === plain ? masked : again;
  }
}

function withoutControls(line: string): string {
  return stripVTControlCharacters(line).replaceAll(controls, '');
}

function lastState(line: string): string {
  const ended = line.replace(/\r+$/, '');
  return ended.slice(ended.lastIndexOf('\r') + 1);
}

/** A carriage return at the end may belong to the end of the line. */
function kept(pending: string): string {
  const again = pending.slice(0, -1).lastIndexOf('\r');
  return (again < 0 ? pending : pending.slice(again + 1)).slice(0, longestKept);
}

/** A pair of surrogates is not parted. */
function whole(text: string): string {
  return text.replace(/[\ud800-\udbff]$/, '');
}

/** Lines are gathered for so long, or until they are so many bytes: the journal keeps a piece of this size whole. */
const gatheredMillis = 100;
const pieceBytes = 60_000;
const lastLines = 20;

interface LogParts {
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

const isSecret = /token|secret|passw|auth|key|credential/i;

/** Masks what no reader of a build may see: secrets of the service, of the machine's own variables, and of the host of its repository. */
export function maskOfBuild(
  { variables = {}, secrets = [], masked = [], source }: BuildBody,
  ofMachine: Readonly<Record<string, string>>,
): Mask {
  const named = Object.entries(ofMachine).flatMap(([name, value]) =>
    isSecret.test(name) ? [value, ...passwordIn(value)] : passwordIn(value),
  );
  const given = secrets.flatMap((name) => {
    const value = variables[name];
    return value === undefined ? [] : [value, ...passwordIn(value)];
  });
  const ofGit = source.kind === 'git' ? [source.password] : [];
  return maskOf([...named, ...given, ...masked, ...ofGit]);
}

/** An address says its password in the middle. */
function passwordIn(value: string): string[] {
  if (!value.includes('@') || !URL.canParse(value)) return [];
  const { password } = new URL(value);
  try {
    return [password, decodeURIComponent(password)];
  } catch {
    return [password];
  }
}
