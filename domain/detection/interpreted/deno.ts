import { shown } from '../build-plan.ts';
import { developmentOf } from '../node/development.ts';
import { type Outcome, refused, server } from '../outcome.ts';
import { portOfCommand, portOfSource, portOfTemplate } from '../ports.ts';
import { webOf } from '../procfile.ts';
import { objectOf, type Source, within } from '../source.ts';
import { saidVersionOf } from '../versions.ts';

/** A framework is one entry: the name of an import that shows it. */
export const denoFrameworks: readonly { name: string; import: RegExp }[] = [
  { name: 'fresh', import: /^\$?fresh\/?$|^@fresh\/core$/ },
  { name: 'oak', import: /^@?oak\b/ },
  { name: 'hono', import: /^@?hono\b/ },
];

const entries = ['main.ts', 'server.ts', 'mod.ts', 'index.ts', 'app.ts', 'main.js', 'server.js', 'src/main.ts'];
const ports = [/\bport\s{0,5}:\s{0,5}(\d{2,5})\b/, /\.listen\(\s{0,40}\{?\s{0,40}(?:port:\s{0,40})?(\d{2,5})\b/];

/** How a folder with a deno.json is built; undefined if it has none. */
export function fromDeno(source: Source, folder: string): Outcome | undefined {
  const path = ['deno.json', 'deno.jsonc'].map((name) => within(folder, name)).find((one) => source.has(one));
  if (path === undefined) return undefined;
  const said = source.object(path) ?? objectFrom(source.text(path));
  const tasks = new Map(
    Object.entries(objectOf(said?.tasks) ?? {}).flatMap(([name, task]): [string, string][] => {
      const text = typeof task === 'string' ? task : objectOf(task)?.command;
      return typeof text === 'string' && text.length < 10_000 ? [[name, text]] : [];
    }),
  );
  const map =
    typeof said?.importMap === 'string'
      ? source.object(within(folder, said.importMap.replace(/^\.\//, '')))
      : undefined;
  const imports = Object.keys(objectOf(said?.imports) ?? objectOf(map?.imports) ?? {});
  const framework = denoFrameworks.find((one) => imports.some((name) => one.import.test(name)));
  const entry = entries.find((name) => source.has(within(folder, name)));
  const web = webOf(source, folder, 'deno');
  const task = ['start', 'serve', 'preview'].find((name) => {
    const text = tasks.get(name) ?? '';
    return /\bdeno\b/.test(text) && developmentOf(text) === undefined && !/--watch\b|\bdev\.ts\b/.test(text);
  });
  const line = task === undefined ? undefined : (plainRun(tasks.get(task) ?? '') ?? `deno task ${task}`);
  const start = web ?? line ?? (entry === undefined ? undefined : `deno run -A ${entry}`);
  if (start === undefined) {
    return refused(
      'deno',
      `${shown(path)} has no task "start" and no main.ts: add the task, such as "deno run -A main.ts".`,
    );
  }
  const command = tasks.has('build') ? 'deno task build' : '';
  const { version, path: pinnedIn } = saidVersionOf(source, folder, 'deno');
  const told = {
    framework: framework?.name ?? '',
    packageManager: 'deno',
    buildCommand: command,
    startCommand: start,
    signals: [
      { path, detail: framework === undefined ? 'A program of Deno' : `It is made with ${framework.name}` },
      ...(version === '' ? [] : [{ path: pinnedIn, detail: `It demands Deno ${version}` }]),
      ...(web === undefined ? [] : [{ path: within(folder, 'Procfile'), detail: `web: ${shown(web)}` }]),
    ],
  };
  const build = {
    provider: 'deno' as const,
    directory: folder,
    toolchain: [{ name: 'deno', version }],
    steps: [
      entry === undefined ? undefined : { name: 'install', command: `deno cache ${entry}`, caches: [] },
      command === '' ? undefined : { name: 'build', command, caches: [] },
    ],
    drop: [],
    // Beside the program, since what is elsewhere is not in its image.
    environment: { DENO_DIR: '.deno' },
    told,
  };
  const port = portOfCommand(start, 'procfile') ??
    portOfTemplate(source, [folder]) ??
    portOfSource(
      source,
      entries.map((name) => within(folder, name)),
      ports,
    ) ?? { port: 8000, portSource: 'framework' };
  return server(build, start, port, web === undefined ? 'server' : 'started');
}

/** A task that is one run of Deno needs no task runner. */
function plainRun(task: string): string | undefined {
  return /^deno (?:run|serve) [\w@./:=, -]{1,300}$/.test(task) ? task : undefined;
}

/** JSON with comments and trailing commas, as Deno reads it; undefined if it is anything else. */
function objectFrom(text: string): Record<string, unknown> | undefined {
  const plain = text
    .split('\n')
    .filter((line) => !/^\s*\/\//.test(line))
    .join('\n')
    .replace(/,(\s{0,200}[}\]])/g, '$1');
  try {
    return objectOf(JSON.parse(plain));
  } catch {
    return undefined;
  }
}
