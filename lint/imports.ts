import { posix } from 'node:path';

export interface Import {
  /** From the root of the checkout. */
  path: string;
  typesOnly: boolean;
}

const statement =
  /^(?:import|export)\s+(type\s+)?([^'"();]*?)from\s+'(\.[^']*)'|^import\s+'(\.[^']*)'|\bimport\('(\.[^']*)'\)/gm;

/** The files of ours that a file imports. Biome has formatted the text, so a statement begins its line. */
export function importsOf(file: string, text: string): Import[] {
  return [...text.matchAll(statement)].map(([, type, names = '', from, bare, called]) => ({
    path: posix.normalize(posix.join(posix.dirname(file), from ?? bare ?? called ?? '')),
    typesOnly: from !== undefined && (type !== undefined || onlyTypes(names)),
  }));
}

/** `{ type A, type B }`, and nothing beside the braces. */
function onlyTypes(names: string): boolean {
  const inBraces = /^\{([^}]*)\}\s*$/.exec(names.trim())?.[1];
  if (inBraces === undefined) return false;
  const each = inBraces.split(',').map((name) => name.trim());
  return each.filter((name) => name !== '').every((name) => name.startsWith('type '));
}
