import { type Import, importsOf } from './imports.ts';
import { doors, rooms, typesOnly } from './rooms.ts';

/** Text by path from the root of the checkout. */
export type Sources = ReadonlyMap<string, string>;

const isTest = (file: string): boolean => /\.test\.tsx?$/.test(file);
/** Empty for a file of the root. */
const roomOf = (file: string): string => file.slice(0, Math.max(0, file.indexOf('/')));

/** Every breach of the layout that docs/architecture.md describes, a sentence each. */
export function breaches(sources: Sources): string[] {
  const imports = new Map([...sources].map(([file, text]) => [file, importsOf(file, text)] as const));
  const shipped = [...imports].filter(([file]) => !isTest(file));
  return [
    ...shipped.flatMap(([file, list]) => list.flatMap((one) => (mayImport(file, one) ? [] : [roomBreach(file, one)]))),
  ];
}

function mayImport(file: string, { path, typesOnly: asType }: Import): boolean {
  const [from, to] = [roomOf(file), roomOf(path)];
  const allowed = rooms[from];
  // What lies in no room is a file of the root: settings of tools.
  if (allowed === undefined || to === '' || to === from || to === 'domain') return true;
  if (allowed.includes('*') || allowed.includes(to)) return true;
  if (asType && typesOnly[from]?.includes(to)) return true;
  return [...(doors['*'] ?? []), ...(doors[from] ?? [])].some((door) => door.test(path));
}

function roomBreach(file: string, { path }: Import): string {
  const [from, to] = [roomOf(file), roomOf(path)];
  const only = typesOnly[from]?.includes(to) ? ' as a value; write `import type`' : '';
  return `${file} imports ${path}, which ${from}/ may not${only}.`;
}
