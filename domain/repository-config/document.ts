import { isAlias, isMap, isScalar, isSeq, Lexer, LineCounter, type Node, Parser, parseDocument } from 'yaml';
import { beneath, type Problems, shown } from './problems.ts';

/** With each sign escaped it still fits into a piece of what an agent tells. */
export const mostFileBytes = 24_576;
const deepest = 40;
/** Neither PostgreSQL nor the environment of a program can hold some of them, nor halves of surrogate pairs. */
const control = /[^\P{Cc}\n\t]/gu;
/** Words, signs and room between them: a line of a map has six. */
const mostTokens = 20_000;

export interface Entry {
  key: string;
  line: number;
  value: Value;
}

/** A value of a file with the line where it begins. */
export type Value =
  | { kind: 'map'; line: number; entries: Entry[] }
  | { kind: 'list'; line: number; items: Value[] }
  /** `written`: as it stands in the file, so that `1.10` stays what it is. */
  | { kind: 'scalar'; line: number; value: unknown; written: string };

/**
 * The values of a YAML file, without anything by which one text becomes many: anchors, aliases and tags are problems. The
 * bounds hold before the text is parsed as a whole.
 */
export function readDocument(text: string, problems: Problems): Value | undefined {
  if (Buffer.byteLength(text) > mostFileBytes) {
    problems.add(0, '', `The file is larger than ${mostFileBytes / 1_024} KiB; a configuration is shorter.`);
    return undefined;
  }
  const fault = sizeFault(text);
  if (fault !== undefined) {
    problems.add(0, '', fault);
    return undefined;
  }
  const lines = new LineCounter();
  // The library compares each key with all others; ours are compared below.
  const document = parseDocument(text, {
    lineCounter: lines,
    prettyErrors: false,
    uniqueKeys: false,
    logLevel: 'error',
  });
  for (const { pos, message } of document.errors)
    problems.add(lines.linePos(pos[0]).line, '', `The file is no YAML here: ${shownFault(message)}`);
  if (document.errors.length > 0) return undefined;
  return new Reader(problems, lines).read(document.contents, '', 1);
}

/** Found by the first of the parser's stages, which keeps no more than where it is. */
function sizeFault(text: string): string | undefined {
  const parser = new Parser();
  let tokens = 0;
  for (const lexeme of new Lexer().lex(text)) {
    tokens += 1;
    if (tokens > mostTokens) return 'The file has too many values; a configuration is shorter.';
    for (const _ of parser.next(lexeme));
    if (parser.stack.length > deepest) return 'The file is nested too deeply; a configuration has six levels at most.';
  }
  return undefined;
}

class Reader {
  readonly #problems: Problems;
  readonly #lines: LineCounter;

  constructor(problems: Problems, lines: LineCounter) {
    this.#problems = problems;
    this.#lines = lines;
  }

  read(node: unknown, path: string, before: number): Value {
    const nothing = { kind: 'scalar', line: before, value: null, written: '' } as const;
    if (node === null || node === undefined) return nothing;
    const line = this.#lineOf(node as Node, before);
    if (isAlias(node)) {
      this.#problems.add(line, path, 'Aliases (*name) are not allowed: write the value itself.');
      return { ...nothing, line };
    }
    const { anchor, tag } = node as { anchor?: string; tag?: string };
    if (anchor !== undefined) this.#problems.add(line, path, 'Anchors (&name) are not allowed: write the value again.');
    if (tag !== undefined) this.#problems.add(line, path, `The tag ${shown(tag)} is not allowed: leave it out.`);
    if (isScalar(node)) {
      const { value, source = '' } = node;
      if (typeof value !== 'string') return { kind: 'scalar', line, value, written: source };
      const plain = value.replaceAll(control, '').toWellFormed();
      if (plain !== value)
        this.#problems.add(line, path, 'has a control character, or half of a character: leave it out.');
      return { kind: 'scalar', line, value: plain, written: plain };
    }
    if (isSeq(node)) {
      const items = node.items.map((item, index) => this.read(item, `${path}[${index}]`, line));
      return { kind: 'list', line, items };
    }
    if (isMap(node)) return { kind: 'map', line, entries: this.#entries(node.items, path, line) };
    return nothing;
  }

  #entries(pairs: readonly { key: unknown; value: unknown }[], path: string, before: number): Entry[] {
    const seen = new Map<string, number>();
    return pairs.flatMap((pair): Entry[] => {
      const key = this.read(pair.key, path, before);
      if (key.kind !== 'scalar' || key.written === '') {
        this.#problems.add(key.line, path, 'A key must be a text.');
        return [];
      }
      const [name, { line }] = [key.written, key];
      const first = seen.get(name);
      if (first !== undefined) {
        this.#problems.add(line, beneath(path, name), `"${shown(name)}" is on line ${first} already.`);
        return [];
      }
      seen.set(name, line);
      return [{ key: name, line, value: this.read(pair.value, beneath(path, name), line) }];
    });
  }

  #lineOf({ range }: Node, before: number): number {
    return range === undefined || range === null ? before : this.#lines.linePos(range[0]).line;
  }
}

function shownFault(message: string): string {
  const line = shown(message.split('\n')[0] ?? '');
  return /[.!?…]$/.test(line) ? line : `${line}.`;
}
