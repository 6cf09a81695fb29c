import { posix } from 'node:path';
import { circles } from './circles.ts';
import { type Import, importsOf } from './imports.ts';
import { doors, engines, foundations, mostFiles, pure, rooms, typesOnly } from './rooms.ts';

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
    ...shipped.flatMap(([file, list]) =>
      list.flatMap((one) => [...engineBreach(file, one), ...purityBreach(file, one)]),
    ),
    ...circles(new Map(shipped.map(([file, list]) => [file, list.map(({ path }) => path)]))).map(circleBreach),
    ...crowded([...sources.keys()]),
    ...[...sources].flatMap(([file, text]) => sharedBreach(file, text)),
  ];
}

function mayImport(file: string, { path, typesOnly: asType }: Import): boolean {
  const [from, to] = [roomOf(file), roomOf(path)];
  const allowed = rooms[from];
  // Files outside of the rooms belong to the root: settings of tools.
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

/** Engines know no subject, in their own room or another: subjects register with them. */
function engineBreach(file: string, { path }: Import): string[] {
  if (!engines.test(file) || !isSubject(path)) return [];
  return [`${file} serves every subject and imports one: ${path}.`];
}

function isSubject(path: string): boolean {
  const [room = '', folder, ...rest] = path.split('/');
  if (rest.length === 0 || folder === undefined) return false;
  return ['db', 'api', 'cli'].includes(room) && folder !== 'engine' && !foundations.includes(`${room}/${folder}`);
}

/** They are loaded by every room: by the console in a browser, by workflows in their sandbox. */
function purityBreach(file: string, { path }: Import): string[] {
  if (!pure.test(file)) return [];
  const allowed = path.startsWith('domain/') || posix.dirname(path) === posix.dirname(file) || pure.test(path);
  return allowed ? [] : [`${file} is pure and imports ${path}.`];
}

function circleBreach(circle: readonly string[]): string {
  return `These files import each other in a circle: ${circle.join(', ')}.`;
}

const ofAllTests =
  /\b(?:delete process\.env|process\.env(?:\.\w+|\[[^\]]+\])\s*=(?!=)|process\.chdir\(|vi\.(?:mock|doMock|stubEnv|stubGlobal)\()/;

/** Files of tests share a process: what one of them changes there, every later one meets. */
function sharedBreach(file: string, text: string): string[] {
  const found = isTest(file) ? ofAllTests.exec(text) : null;
  return found === null ? [] : [`${file} changes what all tests share: \`${found[0]}\`.`];
}

function crowded(files: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const file of files) {
    const folder = posix.dirname(file);
    // Commands are a file for each noun.
    if (isTest(file) || /^db\/migrations\/Migration/.test(file) || folder === '.' || folder === 'cli') continue;
    counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  return [...counts]
    .filter(([, count]) => count > mostFiles)
    .map(([folder, count]) => `${folder}/ has ${count} files; a folder keeps to ${mostFiles}.`);
}
