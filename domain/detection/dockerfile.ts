import { nothingDetected, type Outcome, type Port } from './outcome.ts';
import { type Source, within } from './source.ts';

/** Ports of images and programs that say none in their Dockerfile. */
const known: readonly { of: RegExp; port: number }[] = [
  { of: /^FROM\s+(?:\S+\/)?(?:nginx|httpd|caddy)\b/im, port: 80 },
  { of: /^(?:CMD|ENTRYPOINT)\b.*\b(?:fastapi|uvicorn|gunicorn)\b/im, port: 8000 },
  { of: /^FROM\s+(?:\S+\/)?node\b/im, port: 3000 },
];

/** A Dockerfile says itself how a folder is built; its port is a guess where it says none. */
export function fromDockerfile(
  source: Source,
  folder: string,
  /** Where the program would listen without it. */
  otherwise: () => number | undefined,
): Outcome | undefined {
  const path = within(folder, 'Dockerfile');
  if (!source.buildsDockerfiles || !source.has(path)) return undefined;
  const { port, portSource, detail } = portOf(contentOf(source, folder, source.text(path)), otherwise);
  return {
    kind: 'started',
    detected: {
      ...nothingDetected,
      provider: 'dockerfile',
      port,
      portSource,
      buildable: true,
      signals: [
        { path, detail: 'A Dockerfile says how the image is built' },
        { path, detail },
      ],
    },
    plan: {
      provider: 'dockerfile',
      kind: 'image',
      directory: folder,
      toolchain: [],
      steps: [],
      keep: ['.'],
      drop: ['.git'],
      start: '',
      startIn: '',
      environment: {},
      port,
      proposed: [],
    },
  };
}

/** A link is stored as the path that it leads to. */
function contentOf(source: Source, folder: string, text: string): string {
  const target = within(folder, text.trim());
  return !text.trim().includes('\n') && source.has(target) ? source.text(target) : text;
}

/** The port that the Dockerfile of a folder says, for a program that says none itself. */
export function portOfDockerfile(source: Source, folder: string): number | undefined {
  const path = within(folder, 'Dockerfile');
  const said = source.has(path) ? saidOf(contentOf(source, folder, source.text(path))) : undefined;
  return said?.by === 'EXPOSE' && !said.heedsPort ? said.port : undefined;
}

function portOf(text: string, otherwise: () => number | undefined): Port & { detail: string } {
  const said = saidOf(text);
  if (said !== undefined) {
    return { port: said.port, portSource: 'dockerfile', detail: `${said.by} names port ${said.port}` };
  }
  const last = stagesOf(text).at(-1)?.join('\n') ?? '';
  const usual = known.find(({ of }) => of.test(last))?.port ?? otherwise();
  return usual === undefined
    ? { port: 8080, portSource: 'default', detail: 'It names no port: 8080 is assumed, given as PORT' }
    : { port: usual, portSource: 'default', detail: `It names no port: ${usual} is usual for what it starts` };
}

/** Of the last stage that exposes one the first port, since the others are for metrics and the like. */
function saidOf(text: string): { port: number; by: string; heedsPort: boolean } | undefined {
  const stages = stagesOf(text);
  const values = valuesOf(stages.flat());
  const number = (line: string): number => Number(/^\s*[A-Z]+\s+["']?(\d{1,5})/i.exec(line)?.[1] ?? 0);
  const exposed = stages
    .map((lines) => lines.filter((line) => /^\s*EXPOSE\s/i.test(line)).map((line) => number(resolved(line, values))))
    .findLast((ports) => ports.some((port) => port > 0));
  const first = exposed?.find((port) => port > 0);
  const heedsPort = values.has('PORT');
  if (first !== undefined) return { port: first, by: 'EXPOSE', heedsPort };
  const set = Number(/^\d{1,5}$/.exec(resolved(values.get('PORT') ?? '', values))?.[0] ?? 0);
  if (set > 0) return { port: set, by: 'ENV PORT', heedsPort };
  const last = stages.at(-1)?.join('\n') ?? '';
  const command = Number(/^(?:CMD|ENTRYPOINT)\b.*--port["', =]+(\d{1,5})/im.exec(last)?.[1] ?? 0);
  return command > 0 ? { port: command, by: 'CMD', heedsPort } : undefined;
}

function stagesOf(text: string): string[][] {
  const stages: string[][] = [[]];
  for (const line of text.replace(/\\\r?\n/g, ' ').split(/\r?\n/)) {
    if (/^\s*FROM\s/i.test(line)) stages.push([]);
    stages.at(-1)?.push(line);
  }
  return stages;
}

/** Values of ARG and ENV, the last of each name. */
function valuesOf(lines: readonly string[]): Map<string, string> {
  const values = new Map<string, string>();
  for (const line of lines) {
    const [, instruction = '', rest = ''] = /^\s*(ARG|ENV)\s+(.{1,4000})$/i.exec(line) ?? [];
    const alone = /^([A-Za-z_]\w{0,100})[ \t]+([^=\s]{1,100})$/.exec(rest.trim());
    if (alone !== null && instruction.toUpperCase() === 'ENV') values.set(alone[1] ?? '', alone[2] ?? '');
    for (const [, name = '', value = ''] of rest.matchAll(/(?:^|\s)([A-Za-z_]\w{0,100})=["']?([^\s"']{0,100})/g)) {
      values.set(name, value);
    }
  }
  return values;
}

/** With the values of variables, or their defaults, which may name others. */
function resolved(text: string, values: ReadonlyMap<string, string>): string {
  let found = text;
  for (let round = 0; round < 3; round++) {
    found = found
      .slice(0, 500)
      .replace(
        /\$\{?([A-Za-z_]\w{0,100})(?::?-([^}]{0,40}))?\}?/g,
        (_, name: string, other = '') => values.get(name) ?? other,
      );
  }
  return found;
}
