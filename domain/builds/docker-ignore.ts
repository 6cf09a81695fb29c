import { posix } from 'node:path';

/** The rules of a `.dockerignore`: all are about the root, and one that leaves out a directory leaves out what is in it. */
export interface DockerRules {
  rules: readonly { negated: boolean; expression: RegExp }[];
  /** A directory that is left out may have something in it that is not. */
  brings: boolean;
}

/** Docker sends these whatever the file says, since a build reads them. */
const always: ReadonlySet<string> = new Set(['Dockerfile', '.dockerignore']);

export function dockerRules(text: string): DockerRules {
  const rules = text
    .replace(/^\ufeff/, '')
    .split('\n')
    .flatMap((line) => ruleOf(line) ?? []);
  return { rules, brings: rules.some(({ negated }) => negated) };
}

/** Whether the rules leave it out; the last one counts. */
export function dockerIgnores({ rules }: DockerRules, path: string): boolean {
  if (always.has(path)) return false;
  return rules.findLast(({ expression }) => expression.test(path))?.negated === false;
}

function ruleOf(line: string): DockerRules['rules'][number] | undefined {
  if (line.startsWith('#')) return undefined;
  const trimmed = line.trim();
  const negated = trimmed.startsWith('!');
  const given = (negated ? trimmed.slice(1) : trimmed).trim();
  const pattern = posix.normalize(given).replace(/^\//, '').replace(/\/$/, '');
  if (given === '' || pattern === '' || pattern === '.') return undefined;
  const expression = expressionOf(pattern);
  return expression === undefined ? undefined : { negated, expression };
}

function expressionOf(pattern: string): RegExp | undefined {
  const pieces = pattern.match(/\*\*\/|\*+|\?|\\.?|\[(?:\\.|[^\]])+\]|[\s\S]/gu) ?? [];
  const text = pieces.map((piece) => {
    if (piece === '**/') return '(?:.*/)?';
    if (/^\*\*/.test(piece)) return '.*';
    if (piece === '*') return '[^/]*';
    if (piece === '?') return '[^/]';
    if (piece.startsWith('[') && piece.length > 2)
      return piece.replace(/\[(?=.)/g, (one, at) => (at === 0 ? one : '\\['));
    return (piece.length === 2 && piece.startsWith('\\') ? piece.slice(1) : piece).replace(
      /[.*+?^${}()|[\]\\/]/g,
      '\\$&',
    );
  });
  try {
    return new RegExp(`^${text.join('')}(?:/.*)?$`, 'su');
  } catch {
    return undefined;
  }
}
