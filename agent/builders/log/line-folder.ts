import { StringDecoder } from 'node:string_decoder';
import { stripVTControlCharacters } from 'node:util';
import type { BrokenOff, Mask } from '../../../domain/variables/mask.ts';

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
