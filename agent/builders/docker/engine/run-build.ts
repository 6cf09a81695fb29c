import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { z } from 'zod';
import { readTrace, type Trace } from './trace.ts';

/** All that is asked of BuildKit for one image. */
export interface EngineBuild {
  id: string;
  session: string;
  /** Within the context. */
  dockerfile: string;
  target: string;
  args: Readonly<Record<string, string>>;
  labels: Readonly<Record<string, string>>;
}

/** BuildKit's own words for why it ended. */
export class BuildRefused extends Error {}

const line = z.object({
  id: z.string().optional(),
  aux: z.unknown().optional(),
  error: z.string().optional(),
  errorDetail: z.object({ message: z.string() }).optional(),
});
const imageId = z.object({ ID: z.string() });
const longestLine = 64 * 1024 * 1024;

/** Builds the context, a tar, and answers the id of the image in the engine. Ends the work there when the signal is aborted. */
export async function runBuild(
  socketPath: string,
  build: EngineBuild,
  context: Readable,
  told: (trace: Trace) => void,
  signal: AbortSignal,
): Promise<string> {
  const query = new URLSearchParams({
    version: '2',
    session: build.session,
    buildid: build.id,
    dockerfile: build.dockerfile,
    target: build.target,
    buildargs: JSON.stringify(build.args),
    labels: JSON.stringify(build.labels),
  });
  const asked = request({
    ...{ socketPath, method: 'POST', path: `/build?${query}`, agent: false, signal },
    headers: { host: 'docker', 'content-type': 'application/x-tar' },
  });
  const answered = once(asked, 'response', { signal }) as Promise<[IncomingMessage]>;
  // The engine may answer, and fail, before it has read all of the context.
  const sent = pipeline(context, asked, { signal }).catch((error: unknown) => error);
  try {
    const [answer] = await answered;
    if (answer.statusCode !== 200) throw new BuildRefused(messageIn(await wholeOf(answer)));
    return await follow(answer, told);
  } finally {
    context.destroy();
    asked.destroy();
    await sent;
  }
}

async function follow(answer: IncomingMessage, told: (trace: Trace) => void): Promise<string> {
  let image: string | undefined;
  let failure: string | undefined;
  for await (const text of linesOf(answer)) {
    const { id, aux, error, errorDetail } = line.parse(JSON.parse(text));
    if (id === 'moby.buildkit.trace' && typeof aux === 'string') told(readTrace(Buffer.from(aux, 'base64')));
    else if (id === 'moby.image.id') image = imageId.parse(aux).ID;
    // Later lines of the trace say which step it was.
    failure ??= errorDetail?.message ?? error;
  }
  if (failure !== undefined) throw new BuildRefused(failure);
  if (image === undefined) throw new Error('The Docker engine ended the build without an image and without a reason.');
  return image;
}

async function* linesOf(answer: IncomingMessage): AsyncGenerator<string> {
  let pending: Buffer[] = [];
  let size = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    let from = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, from)) {
      const whole = Buffer.concat([...pending, chunk.subarray(from, end)]).toString('utf8');
      if (whole.trim() !== '') yield whole;
      [pending, size, from] = [[], 0, end + 1];
    }
    pending.push(chunk.subarray(from));
    size += chunk.length - from;
    if (size > longestLine) throw new Error('The Docker engine says too much in one line.');
  }
  const rest = Buffer.concat(pending).toString('utf8');
  if (rest.trim() !== '') yield rest;
}

async function wholeOf(answer: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of answer as AsyncIterable<Buffer>) if (text.length < 65_536) text += chunk.toString('utf8');
  return text;
}

function messageIn(text: string): string {
  try {
    return String((JSON.parse(text) as { message?: unknown }).message);
  } catch {
    return text.trim();
  }
}
