import { readdir, readFile } from 'node:fs/promises';

const checkout = new URL('../', import.meta.url);
/** Rooms whose files may know a subject or an actor by its name. */
const rooms = ['activities', 'api', 'cli', 'db', 'domain', 'temporal', 'web', 'worker', 'workflows'];

/**
 * The files of code that name every one of some things of the same sort, each by any of its names: places that a further
 * thing of that sort has to touch, too.
 */
export async function centralPlaces(things: readonly (readonly string[])[]): Promise<string[]> {
  const found: string[] = [];
  for (const room of rooms) {
    for (const file of await readdir(new URL(`${room}/`, checkout), { recursive: true })) {
      const path = `${room}/${file}`.replaceAll('\\', '/');
      if (!/\.tsx?$/.test(path) || /\.test\.tsx?$|node_modules|\/migrations\/Migration/.test(path)) continue;
      const source = await readFile(new URL(path, checkout), 'utf8');
      if (things.every((names) => names.some((name) => source.includes(name)))) found.push(path);
    }
  }
  return found.toSorted();
}

/** The central places that a recipe of CONTRIBUTING.md names, in order. */
export async function placesOfRecipe(title: string): Promise<string[]> {
  const [, places = ''] = (await recipe(title)).split('\nThe central places');
  return [...places.matchAll(/^- `([^`]+)`/gm)].map(([, path = '']) => path).toSorted();
}

/** The files that a recipe numbers: a thing's own, or behind `after`. */
export async function numberedInRecipe(title: string, after: string): Promise<string[]> {
  const [, list = ''] = (await recipe(title)).split(`\n${after}`);
  const [numbered = ''] = list.split(/\n\n(?!\d+\. )/);
  return [...numbered.matchAll(/^\d+\. `([^`]+)`/gm)].map(([, path = '']) => path).toSorted();
}

async function recipe(title: string): Promise<string> {
  const document = await readFile(new URL('CONTRIBUTING.md', checkout), 'utf8');
  const [, section = ''] = document.split(`\n## ${title}\n`);
  return section.split('\n## ')[0] ?? '';
}

/**
 * The files of an actor: those of its name beside operations and pages, the migration that makes its table, and where it is
 * listed.
 */
export async function filesOfActor(kind: string, table: string): Promise<string[]> {
  const own = new RegExp(`/${kind}(/[^/]+)?\\.ts$`);
  const furtherTests = new RegExp(`^workflows/(${kind}/(?!state\\.))?[^/]+\\.test\\.ts$`);
  const found: string[] = [];
  for (const room of ['activities', 'db', 'domain', 'temporal', 'worker', 'workflows']) {
    for (const file of await readdir(new URL(`${room}/`, checkout), { recursive: true })) {
      const path = `${room}/${file}`.replaceAll('\\', '/');
      if (!path.endsWith('.ts') || furtherTests.test(path)) continue;
      const source = await readFile(new URL(path, checkout), 'utf8');
      const lists =
        (/^workflows\/[^/]+\.ts$/.test(path) && source.includes(`'./${kind}/`)) ||
        (/^db\/[^/]+\/table\.ts$/.test(path) && source.includes(`  name: '${table}',`));
      const makes = path.startsWith('db/migrations/Migration') && source.includes(`create table "${table}"`);
      if (own.test(path) || lists || makes) found.push(path);
    }
  }
  return found.toSorted();
}

/** The files of code whose path has this in it. */
export async function filesNamed(name: RegExp): Promise<string[]> {
  const files = await Promise.all(
    rooms.map(async (room) => {
      const paths = await readdir(new URL(`${room}/`, checkout), { recursive: true });
      return paths.map((path) => `${room}/${path}`).filter((path) => /\.tsx?$/.test(path) && name.test(path));
    }),
  );
  return files.flat().toSorted();
}

/** Folders of a room that hold this file. */
export async function foldersWith(room: string, file: string): Promise<string[]> {
  const files = await readdir(new URL(`${room}/`, checkout), { recursive: true });
  return files.filter((path) => path.endsWith(`/${file}`)).map((path) => path.slice(0, -file.length - 1));
}
