import { wildcard } from './wildcard.ts';

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
