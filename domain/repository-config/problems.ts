import { nearest } from '../nearest.ts';

/** What is wrong at one place of a file: `ProjectConfigProblem` of the API. */
export interface ConfigProblem {
  /** From 1; 0 where it is of no line. */
  line: number;
  /** `processes.web.port`; empty: the file as a whole. */
  path: string;
  message: string;
}

export const mostProblems = 50;

/** The problems of a file, of which only the first are told. */
export class Problems {
  readonly #found: ConfigProblem[] = [];
  #more = 0;

  add(line: number, path: string, message: string): void {
    if (this.#found.length < mostProblems) this.#found.push({ line, path: path.slice(0, 200), message });
    else this.#more += 1;
  }

  unknown(line: number, path: string, key: string, known: readonly string[]): void {
    const near = nearest(
      key.toLowerCase(),
      known.map((one) => one.toLowerCase()),
    );
    const meant = known.find((one) => one.toLowerCase() === near);
    const guess = meant === undefined ? '' : ` Did you mean "${meant}"?`;
    this.add(line, path, `"${shown(key)}" is no key here.${guess} Allowed are ${known.join(', ')}.`);
  }

  all(): ConfigProblem[] {
    const sorted = this.#found.toSorted((a, b) => a.line - b.line);
    if (this.#more === 0) return sorted;
    return [...sorted, { line: 0, path: '', message: `${this.#more} further problems are not listed.` }];
  }
}

/** A text of a file, as a sentence may have it. */
export function shown(text: string): string {
  const plain = text.replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, '?');
  return plain.length > 60 ? `${plain.slice(0, 60)}…` : plain;
}

export function beneath(path: string, key: string): string {
  return path === '' ? shown(key) : `${path}.${shown(key)}`;
}
