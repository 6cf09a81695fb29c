import { type Call, headersOf, type RunningApi } from '../installation/running-api.ts';
import { until } from './until.ts';

export interface ReadStream {
  status: number;
  /** All that has arrived so far. */
  text(): string;
  /** The data of the events of that name. */
  events(name: string): Record<string, unknown>[];
  /** Whether the server has ended it. */
  ended(): boolean;
  stop(): void;
}

/** Opens an event stream and reads it; resolves once it is open or was refused. */
export async function readStream(
  api: Pick<RunningApi, 'url'>,
  path: string,
  as: NonNullable<Call['as']>,
): Promise<ReadStream> {
  const leaving = new AbortController();
  const answer = await fetch(`${api.url}${path}`, { headers: headersOf('GET', { as }), signal: leaving.signal });
  let text = '';
  let ended = false;
  void (async () => {
    const decoder = new TextDecoder();
    for await (const chunk of answer.body ?? []) text += decoder.decode(chunk, { stream: true });
  })()
    .catch(() => undefined)
    .finally(() => {
      ended = true;
    });
  await until('the stream is open', async () => text !== '' || ended);
  return {
    status: answer.status,
    text: () => text,
    events: (name) =>
      text
        .split('\n\n')
        .filter((frame) => frame.startsWith(`event: ${name}\n`))
        .map((frame) => JSON.parse(frame.split('data: ')[1] ?? '{}')),
    ended: () => ended,
    stop: () => leaving.abort(),
  };
}
