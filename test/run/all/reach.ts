import { posix } from 'node:path';
import { importsOf } from '../../../lint/imports.ts';

/** Text by path from the root of the checkout; of files that are no code the text does not matter. */
export type Sources = ReadonlyMap<string, string>;

const code = /\.(ts|tsx|mjs)$/;
/** A path of a file that is started or read, as code names it: relative to where the code stands. */
const literal = /'([^'\n]+)'/g;
const joined = /import\.meta\.dirname((?:,\s*'[^'\n]*')+)/g;
/** The command of users is a shell script without imports, which starts this program. */
const programs: Readonly<Record<string, string>> = { ballast: 'cli/main.ts' };
/** Folders that are read as they are; what reads them depends on all that lies there. */
const readWhole: Readonly<Record<string, string>> = {
  'db/migrations/migrate.ts': 'db/migrations/',
  // A browser loads what is built of it.
  'test/console/console.ts': 'web/',
};
/** Files that everything stands on. */
const beneathAll = /^(package(-lock)?\.json|tsconfig\.json|vitest\.config\.ts|test\/run\/)/;

/**
 * For each file how many imports it is away from the nearest of the changed ones; those that do not reach any are missing. A file
 * reaches what it imports as a value, and what it starts or reads by a path.
 */
export function distances(sources: Sources, changed: readonly string[]): Map<string, number> {
  const found = new Map<string, number>();
  if (changed.some((file) => beneathAll.test(file))) {
    for (const file of sources.keys()) found.set(file, 0);
    return found;
  }
  const users = usersOf(sources);
  let next = changed;
  for (let distance = 0; next.length > 0; distance++) {
    const here = next.filter((file) => !found.has(file));
    for (const file of here) found.set(file, distance);
    next = here.flatMap((file) => [...(users.get(file) ?? [])]);
  }
  return found;
}

/** By file: those that use it. */
function usersOf(sources: Sources): Map<string, Set<string>> {
  const users = new Map<string, Set<string>>();
  const use = (user: string, used: string) => {
    if (user !== used && sources.has(used)) users.set(used, (users.get(used) ?? new Set()).add(user));
  };
  for (const [file, text] of sources) {
    if (!code.test(file)) continue;
    const imports = importsOf(file, text);
    for (const { path, typesOnly } of imports) if (!typesOnly) use(file, path);
    const imported = new Set(imports.map(({ path }) => path));
    for (const path of named(file, text)) if (!imported.has(path)) use(file, programs[path] ?? path);
    const folder = readWhole[file];
    if (folder !== undefined) for (const other of sources.keys()) if (other.startsWith(folder)) use(file, other);
  }
  return users;
}

function named(file: string, text: string): string[] {
  const from = (path: string) => posix.normalize(posix.join(posix.dirname(file), path));
  const alone = [...text.matchAll(literal)].map(([, path = '']) => from(path));
  const together = [...text.matchAll(joined)].map(([, list = '']) =>
    from([...list.matchAll(literal)].map(([, part = '']) => part).join('/')),
  );
  return [...alone, ...together];
}
