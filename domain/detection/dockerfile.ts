import { nothingDetected, type Outcome, type Port } from './outcome.ts';
import { type Source, within } from './source.ts';

/** Ports of images and programs that say none in their Dockerfile. */
const known: readonly { of: RegExp; port: number }[] = [
  { of: /^FROM\s+(?:\S+\/)?(?:nginx|httpd|caddy)\b/im, port: 80 },
  { of: /^(?:CMD|ENTRYPOINT)\b.*\b(?:fastapi|uvicorn|gunicorn)\b/im, port: 8000 },
  { of: /^FROM\s+(?:\S+\/)?node\b/im, port: 3000 },
];

/** A Dockerfile says itself how a folder is built; its port is a guess where it says none. */
export function fromDockerfile(source: Source, folder: string): Outcome | undefined {
  const path = within(folder, 'Dockerfile');
  if (!source.has(path)) return undefined;
  const { port, portSource, detail } = portOf(contentOf(source, folder, source.text(path)));
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
    },
  };
}

/** A link is stored as the path that it leads to. */
function contentOf(source: Source, folder: string, text: string): string {
  const target = within(folder, text.trim());
  return !text.trim().includes('\n') && source.has(target) ? source.text(target) : text;
}

function portOf(text: string): Port & { detail: string } {
  const lines = text.replace(/\\\r?\n/g, ' ').split(/\r?\n/);
  const exposed = lines.findLast((line) => /^\s*EXPOSE\s+["']?\d+/i.test(line));
  const set = lines.findLast((line) => /^\s*ENV\s+PORT[ =]["']?\d+/i.test(line));
  const last = lines.slice(lines.findLastIndex((line) => /^\s*FROM\s/i.test(line))).join('\n');
  const command = /^(?:CMD|ENTRYPOINT)\b.*--port["', =]+(\d+)/im.exec(last)?.[1];
  const said = /\d+/.exec(exposed ?? set ?? '')?.[0] ?? command;
  if (said !== undefined) {
    const by = exposed !== undefined ? 'EXPOSE' : set !== undefined ? 'ENV PORT' : 'CMD';
    return { port: Number(said), portSource: 'dockerfile', detail: `${by} names port ${said}` };
  }
  const usual = known.find(({ of }) => of.test(last))?.port;
  return usual === undefined
    ? { port: 8080, portSource: 'default', detail: 'It names no port: 8080 is assumed, given as PORT' }
    : { port: usual, portSource: 'default', detail: `It names no port: ${usual} is usual for what it starts` };
}
