import { type ClientRequest, request as plainly, type RequestOptions } from 'node:http';
import { request as securely } from 'node:https';
import { text } from 'node:stream/consumers';
import type { Settings } from '../../domain/settings/settings.ts';

type ProviderSettings = Pick<Settings, 'OIDC_ISSUER' | 'BUILT_IN_PROVIDER_SOCKET' | 'BUILT_IN_PROVIDER_URL'>;

/** Begins a request to the built-in provider, over its socket or its address. */
export type AskProvider = (options: RequestOptions) => ClientRequest;

/** How the built-in provider is asked; undefined where people sign in with another, or where nobody said where it is. */
export function askingBuiltInProvider(settings: ProviderSettings): AskProvider | undefined {
  const { OIDC_ISSUER, BUILT_IN_PROVIDER_SOCKET: socketPath, BUILT_IN_PROVIDER_URL } = settings;
  if (OIDC_ISSUER !== undefined) return undefined;
  if (socketPath !== undefined) return (options) => plainly({ ...options, socketPath });
  if (BUILT_IN_PROVIDER_URL === undefined) return undefined;
  const { protocol, hostname, port } = new URL(BUILT_IN_PROVIDER_URL);
  const request = protocol === 'https:' ? securely : plainly;
  const where = { host: hostname.replace(/^\[|\]$/g, ''), ...(port === '' ? {} : { port }) };
  return (options) => request({ ...options, ...where });
}

/** The whole answer to a request without a stream. */
export async function askedOnce(
  ask: AskProvider,
  { body, ...options }: RequestOptions & { body?: string },
): Promise<Response> {
  const { promise, resolve, reject } = Promise.withResolvers<Response>();
  const asked = ask(options);
  asked.once('error', reject);
  asked.once('response', (answer) => {
    const headers = Object.entries(answer.headersDistinct).flatMap(([name, values]) =>
      (values ?? []).map((value): [string, string] => [name, value]),
    );
    text(answer).then((said) => resolve(new Response(said, { status: answer.statusCode ?? 502, headers })), reject);
  });
  asked.end(body);
  return await promise;
}

/** Whether the built-in provider says that it is ready. */
export async function providerIsReady(ask: AskProvider, signal: AbortSignal): Promise<boolean> {
  return (await askedOnce(ask, { path: '/healthz', signal })).ok;
}
