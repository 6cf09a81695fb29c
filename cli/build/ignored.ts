/** Of bytes as Latin-1: `?` and `[…]` of git mean one byte, whatever the letter is encoded as. */
export function asBytes(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1');
}

const classes: Readonly<Record<string, RegExp>> = {
  ...{ alnum: /[0-9A-Za-z]/, alpha: /[A-Za-z]/, digit: /[0-9]/, lower: /[a-z]/, upper: /[A-Z]/ },
  ...{ blank: /[ \t]/, space: /[ \t-\r]/, cntrl: /[^ -~\x80-\xff]/, punct: /[!-/:-@[-`{-~]/ },
  ...{ graph: /[!-~]/, print: /[ -~]/, xdigit: /[0-9A-Fa-f]/ },
};

/** A pattern of git as an expression over bytes, for a whole path or name; undefined if it can match nothing. */
function wildcard(pattern: string): RegExp | undefined {
  // Up to the first wildcard it is compared as it is, and `**` behind that counts as if it stood at the beginning.
  const plain = /^[^*?[\\]*/.exec(pattern)?.[0] ?? '';
  const rest = pattern.slice(plain.length);
  let expression = escaped(plain);
  for (let at = 0; at < rest.length; ) {
    const letter = rest[at] ?? '';
    if (letter === '*') {
      const stars = /^\*+/.exec(rest.slice(at))?.[0].length ?? 1;
      const next = rest.slice(at + stars);
      const alone = (at === 0 || rest[at - 1] === '/') && /^(?:$|\/|\\\/)/.test(next);
      if (stars < 2 || !alone) expression += '[^/]*';
      else expression += next.startsWith('/') ? '(?:[\\s\\S]*/)?' : '[\\s\\S]*';
      at += stars + (stars >= 2 && alone && next.startsWith('/') ? 1 : 0);
    } else if (letter === '?') {
      expression += '[^/]';
      at += 1;
    } else if (letter === '\\') {
      const next = rest[at + 1];
      if (next === undefined) return undefined;
      expression += escaped(next);
      at += 2;
    } else if (letter === '[') {
      const set = setAt(rest, at);
      if (set === undefined) return undefined;
      expression += set.expression;
      at = set.end;
    } else {
      expression += escaped(letter);
      at += 1;
    }
  }
  return new RegExp(`^${expression}$`);
}

/** A set in brackets, which matches no slash. Undefined: it has no end, or names a class that there is not. */
function setAt(pattern: string, begin: number): { expression: string; end: number } | undefined {
  let at = begin + 1;
  const negated = pattern[at] === '!' || pattern[at] === '^';
  if (negated) at += 1;
  const members = new Set<number>();
  const add = (letter: string) => members.add(letter.charCodeAt(0));
  let before: string | undefined;
  for (let first = true; first || pattern[at] !== ']'; first = false) {
    const letter = pattern[at];
    if (letter === undefined) return undefined;
    const [next, end] = [pattern[at + 1], pattern.indexOf(']', at + 2)];
    if (letter === '\\') {
      if (next === undefined) return undefined;
      add(next);
      before = next;
      at += 2;
    } else if (letter === '-' && before !== undefined && next !== undefined && next !== ']') {
      const last = next === '\\' ? pattern[at + 2] : next;
      if (last === undefined) return undefined;
      for (let code = before.charCodeAt(0); code <= last.charCodeAt(0); code += 1) members.add(code);
      before = undefined;
      at += next === '\\' ? 3 : 2;
    } else if (letter === '[' && next === ':') {
      if (end === -1) return undefined;
      const name = pattern.slice(at + 2, end - 1);
      if (end === at + 2 || pattern[end - 1] !== ':') {
        add('[');
        before = '[';
        at += 1;
        continue;
      }
      const known = classes[name];
      if (known === undefined) return undefined;
      for (let code = 0; code < 256; code += 1) if (known.test(String.fromCharCode(code))) members.add(code);
      before = undefined;
      at = end + 1;
    } else {
      add(letter);
      before = letter;
      at += 1;
    }
  }
  members.delete(0x2f);
  const list = [...members].map((code) => `\\x${code.toString(16).padStart(2, '0')}`).join('');
  return { expression: negated ? `[^/${list}]` : list === '' ? '(?!)' : `[${list}]`, end: at + 1 };
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&');
}

/** The rules of one `.gitignore`, in the order in which they stand. All texts are bytes as Latin-1. */
export interface GitRules {
  /** The directory that they are for, with a slash at its end; empty for the root. */
  base: string;
  rules: readonly GitRule[];
}

interface GitRule {
  negated: boolean;
  onlyDirectories: boolean;
  /** Without a slash it is for names, wherever they are. */
  ofNames: boolean;
  expression: RegExp;
}

/** Reads a `.gitignore`, as git does. */
export function gitRules(text: string, base: string): GitRules {
  const lines = text.replace(/^\xef\xbb\xbf/, '').split('\n');
  return { base, rules: lines.flatMap((line) => ruleOf(line.replace(/\r$/, '')) ?? []) };
}

/** Whether the rules leave it out. The last rule of the innermost directory counts; what lies in a directory that is left out is not asked about. */
export function gitIgnores(stack: readonly GitRules[], path: string, isDirectory: boolean): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1);
  for (const { base, rules } of stack.toReversed()) {
    const inside = path.slice(base.length);
    const last = rules.findLast(
      ({ onlyDirectories, ofNames, expression }) =>
        (isDirectory || !onlyDirectories) && expression.test(ofNames ? name : inside),
    );
    if (last !== undefined) return !last.negated;
  }
  return false;
}

function ruleOf(line: string): GitRule | undefined {
  if (line.startsWith('#')) return undefined;
  let pattern = withoutSpaces(line);
  const negated = pattern.startsWith('!');
  if (negated) pattern = pattern.slice(1);
  const onlyDirectories = pattern.endsWith('/');
  if (onlyDirectories) pattern = pattern.slice(0, -1);
  const ofNames = !pattern.includes('/');
  const expression = wildcard(pattern.replace(/^\//, ''));
  return pattern === '' || expression === undefined ? undefined : { negated, onlyDirectories, ofNames, expression };
}

/** Spaces at the end do not count, unless a backslash stands before them. */
function withoutSpaces(line: string): string {
  let end = line.length;
  let from: number | undefined;
  for (let at = 0; at < line.length; at += 1) {
    if (line[at] === ' ') from ??= at;
    else {
      from = undefined;
      if (line[at] === '\\') at += 1;
      if (at >= line.length) return line;
    }
  }
  if (from !== undefined) end = from;
  return line.slice(0, end);
}
