import { posix } from 'node:path';
import { importsOf } from '../../../lint/imports.ts';

/** Text by path from the root of the checkout; of files that are no code the text does not matter. */
export type Sources = ReadonlyMap<string, string>;

export const code = /\.(ts|tsx|mjs)$/;
/** Imports name files, too. */
const imported = /^(?:import|export)\b[^;]*?\bfrom '[^'\n]*';/gm;
/** A path of a file that is started or read, as code names it: relative to where the code stands. */
const literal = /'([^'\n]+)'/g;
const joined = /import\.meta\.dirname((?:,\s*'[^'\n]*')+)/g;
/** The command of users is a shell script without imports, which starts these programs. */
const programs: Readonly<Record<string, readonly string[]>> = {
  ballast: ['cli/enter.mjs', 'cli/main.ts', 'cli/packages/drop-foreign-files.mjs'],
};
/** Files that are found by their places; what finds them depends on all that lies there. */
const foundBy: Readonly<Record<string, RegExp>> = {
  'db/migrations/migrate.ts': /^db\/migrations\//,
  'db/postgres/foreign-keys.ts': /^db\/(foreign-keys\.json|[^/]+\/table\.ts)$/,
  // The bundler follows a text that names each workflow, and activities are found by the names of actors.
  'worker/host/workflow-entry.ts': /^workflows\//,
  'activities/index.ts': /^activities\//,
  // A browser loads what is built of it.
  'test/console/console.ts': /^web\//,
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
export function usersOf(sources: Sources): Map<string, Set<string>> {
  const users = new Map<string, Set<string>>();
  const use = (user: string, used: string) => {
    if (user !== used && sources.has(used)) users.set(used, (users.get(used) ?? new Set()).add(user));
  };
  for (const [file, text] of sources) {
    if (!code.test(file)) continue;
    for (const { path, typesOnly } of importsOf(file, text)) if (!typesOnly) use(file, path);
    for (const path of named(file, text.replace(imported, '')))
      for (const program of programs[path] ?? [path]) use(file, program);
    const found = foundBy[file];
    if (found !== undefined) for (const other of sources.keys()) if (found.test(other)) use(file, other);
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
