import { chmodSync, closeSync, constants, fstatSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, extname, join, posix, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import type { BuildPlan } from '../../../domain/detection/build-plan.ts';
import { ownProgram } from '../../bundle/own-program.ts';
import { type Blob, LayoutWriter } from '../../images/layout/layers.ts';
import { type HostConfig, writeHostImage } from '../../images/layout/layout.ts';
import { Refusal } from '../../program/refusal.ts';
import type { Limits } from '../sandbox/limits.ts';
import { runSandboxed, type Sandbox } from '../sandbox/sandbox.ts';
import { serverProgram } from '../static/server-program.ts';
import type { WorkFolder } from '../work-folder.ts';
import type { BaseLayer } from './layers.ts';
import type { PackAnswer, PackRequest } from './pack-image.ts';

const nodeAt = '/opt/node/bin';
const agentAt = '/opt/agent';
const requestAt = '/opt/request';
const mostFiles = 500_000;
const mostAnswerBytes = 2 ** 20;

const packAnswer: z.ZodType<PackAnswer> = z.union([
  z.strictObject({ refused: z.string() }),
  z.strictObject({
    entrypoint: z.array(z.string()),
    left: z.array(z.string()),
    proposed: z.array(z.strictObject({ name: z.string(), command: z.array(z.string()) })),
  }),
]);

export interface ImageParts {
  folder: WorkFolder;
  sandbox: Sandbox;
  base: BaseLayer;
  limits: Limits;
  say(line: string): void;
  signal: AbortSignal;
}

/** Commands by the names of what is proposed. */
export type ProposedCommands = ReadonlyMap<string, string[]>;

/** Writes the image of what a build has left in its source. The same files make the same image, whenever and wherever. */
export async function writeImage(
  parts: ImageParts,
  plan: BuildPlan,
): Promise<{ bytes: number; proposed: ProposedCommands }> {
  const { folder, base, signal } = parts;
  const isStatic = plan.kind === 'static';
  const writer = await LayoutWriter.in(folder.layout);
  const { app, entrypoint, proposed } = await pack(parts, plan, writer);
  // A program that Node starts comes with it; of programs of its own nothing else is known.
  const needsNode = isStatic || plan.provider === 'node' || plan.toolchain.some(({ name }) => name === 'node');
  const layers = needsNode ? [await base.into(folder.layout, signal), app] : [app];
  const config: HostConfig = {
    Entrypoint: entrypoint,
    Env: Object.entries({
      PATH: '/usr/local/bin:/usr/bin:/bin',
      ...(needsNode && { NODE_ENV: 'production' }),
      ...plan.environment,
    })
      .map(([name, value]) => `${name}=${value}`)
      .sort(),
    WorkingDir: posix.join('/app', plan.startIn),
    ...(plan.port > 0 && { ExposedPorts: { [`${plan.port}/tcp`]: {} } }),
  };
  await writeHostImage(writer, layers, config);
  const bytes = layers.reduce((sum, { size }) => sum + size, 0);
  return { bytes, proposed: new Map(proposed.map(({ name, command }) => [name, command])) };
}

/** The tree is a stranger's: a program in a sandbox walks it, within the limits of a command of the build. */
async function pack(
  { folder, sandbox, limits, say, signal }: ImageParts,
  plan: BuildPlan,
  writer: LayoutWriter,
): Promise<{ app: Blob } & Omit<Extract<PackAnswer, { left: string[] }>, 'left'>> {
  const program = packProgram();
  const server = serverProgram();
  const { directory, keep, drop, start, startIn, proposed } = plan;
  const request: PackRequest = {
    plan: { directory, keep, drop, start, startIn, proposed },
    server:
      plan.kind === 'static'
        ? { path: join(agentAt, relative(program.directory, server.path)), name: server.name, folder: 'public' }
        : undefined,
    most: { bytes: limits.diskBytes, files: mostFiles },
  };
  for (const path of [folder.request, folder.packed]) mkdirSync(path, { recursive: true, mode: 0o755 });
  writeFileSync(join(folder.request, 'request.json'), JSON.stringify(request), { mode: 0o644 });
  // A build may leave what its own user may not read; of its folder only we can say so from without.
  chmodSync(folder.source, 0o755);
  let trouble = '';
  const words = [
    `${nodeAt}/node`,
    `${agentAt}/${program.within}`,
    '/build',
    `${requestAt}/request.json`,
    '/cache/image',
  ];
  const end = await runSandboxed(sandbox, {
    command: `chmod -R u+rX /build 2>/dev/null || true; exec ${words.join(' ')}`,
    directory: folder.source,
    workdir: '',
    caches: [{ name: 'image', directory: folder.packed }],
    tools: [
      { at: nodeAt, directory: dirname(process.execPath) },
      { at: agentAt, directory: program.directory },
      { at: requestAt, directory: folder.request },
    ],
    environment: {},
    // The layer lies beside the files of which it is made.
    limits: { ...limits, diskBytes: limits.diskBytes * 2 },
    output: (_, bytes) => {
      trouble = `${trouble}${bytes}`.slice(0, 2_000);
    },
    signal,
  });
  signal.throwIfAborted();
  if (end.ended !== 'exited' || end.code !== 0)
    throw new Refusal(
      'message' in end ? end.message : `What was built could not be packed: ${trouble.trim() || end.ended}`,
    );
  const answer = packAnswer.parse(JSON.parse(ownFile(join(folder.packed, 'answer.json'), mostAnswerBytes)));
  if ('refused' in answer) throw new Refusal(answer.refused);
  for (const one of answer.left) say(`Not in the image: ${one}`);
  const app = await writer.adopt(join(folder.packed, 'layer.tar'), signal);
  return { app, entrypoint: answer.entrypoint, proposed: answer.proposed };
}

function ownFile(path: string, most: number): string {
  const file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const found = fstatSync(file);
    if (!found.isFile() || found.size > most) throw new Error('The answer of the packer is not a file of its own.');
    return readFileSync(file, 'utf8');
  } finally {
    closeSync(file);
  }
}

/** The packer, and the folder with all that it loads: that of the bundle, or the checkout. */
function packProgram(): { directory: string; within: string } {
  const path = ownProgram('pack-image', new URL('./pack-image.ts', import.meta.url));
  const directory = extname(path) === '.mjs' ? dirname(path) : fileURLToPath(new URL('../../../', import.meta.url));
  return { directory, within: relative(directory, path) };
}
