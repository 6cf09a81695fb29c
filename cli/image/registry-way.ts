import { request } from 'undici';
import type { RegistryWay } from '../../agent/images/push/registry-way.ts';

/** The control plane's address, and an API token. */
export function tokenWay({ url, token }: { url: string; token: string }, signal?: AbortSignal): RegistryWay {
  return {
    host: new URL(url).host,
    async ask(method, path, { body, headers }) {
      const answer = await request(new URL(path, url), {
        method,
        headers: { authorization: `Bearer ${token}`, ...headers },
        body: body ?? null,
        // A slow line may take its time; a silent one is given up by the control plane.
        bodyTimeout: 0,
        headersTimeout: 0,
        ...(signal === undefined ? {} : { signal }),
      });
      return { status: answer.statusCode, headers: answer.headers, text: await answer.body.text() };
    },
  };
}
