import { QueryClient } from '@tanstack/react-query';
import { createTRPCClient, httpLink, type TRPCClient } from '@trpc/client';
import { createTRPCOptionsProxy, type TRPCOptionsProxy } from '@trpc/tanstack-react-query';
import { createContext, useContext } from 'react';
import type { ConsoleRouter } from '../../api/engine/trpc/trpc.ts';
import { backOff } from '../../domain/back-off.ts';
import { askedInSight, onRecovery } from '../live/contact.ts';
import { betweenRequests, isPassing } from './problem.ts';

/**
 * Client and cache of one organization, or of the person alone. Each organization has a cache of its own, so that no
 * data of one is shown in another.
 */
export interface Plane {
  organizationId: string | undefined;
  /** Everything in the cache was asked for after this position of the event stream. */
  position: string | undefined;
  client: TRPCClient<ConsoleRouter>;
  /** `trpc.teams.list.queryOptions(…)`, for `useQuery`. */
  trpc: TRPCOptionsProxy<ConsoleRouter>;
  queryClient: QueryClient;
}

export function createPlane(organizationId?: string, position?: string): Plane {
  const queryClient = new QueryClient({
    defaultOptions: {
      queries: {
        // The event stream reports every change, so cached data stays fresh until then.
        staleTime: Number.POSITIVE_INFINITY,
        gcTime: 10 * 60_000,
        refetchOnWindowFocus: false,
        refetchOnReconnect: false,
        networkMode: 'always',
        retry: (failures, error) => isPassing(error) && failures < 2,
        retryDelay: (failures) => backOff(failures + 1, betweenRequests),
      },
      mutations: { networkMode: 'always' },
    },
  });
  const client = createTRPCClient<ConsoleRouter>({
    links: [
      httpLink({
        url: '/trpc',
        headers: ({ op }) => ({
          'x-svc-csrf': '1',
          ...(organizationId === undefined ? {} : { 'x-svc-organization': organizationId }),
          ...(typeof op.context.once === 'string' ? { 'idempotency-key': op.context.once } : {}),
        }),
        fetch: async (url, init) => withRequestId(await askedInSight(url as string, init as RequestInit)),
      }),
    ],
  });
  onRecovery(() => void queryClient.refetchQueries({ type: 'active', predicate: ({ state }) => state.error !== null }));
  return {
    organizationId,
    position,
    client,
    queryClient,
    trpc: createTRPCOptionsProxy<ConsoleRouter>({ client, queryClient }),
  };
}

/** Keeps the request id of a failed answer for support. */
async function withRequestId(answer: Response): Promise<Response> {
  if (answer.ok) return answer;
  const id = answer.headers.get('x-request-id');
  const retryAfter = answer.headers.get('retry-after');
  const text = await answer.text();
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    body = undefined;
  }
  const error = typeof body === 'object' && body !== null && 'error' in body ? body.error : undefined;
  if (typeof error !== 'object' || error === null || !('data' in error) || typeof error.data !== 'object') {
    throw new Error(`The control plane answered ${answer.status}.`);
  }
  const data = { ...error.data, requestId: id ?? undefined, retryAfterSeconds: Number(retryAfter) || undefined };
  return new Response(JSON.stringify({ error: { ...error, data } }), {
    status: answer.status,
    headers: answer.headers,
  });
}

/** The plane of the person, outside of any organization: session, organizations, deleted organizations. */
export const personPlane = createPlane();

export const PlaneContext = createContext<Plane>(personPlane);

/** The plane of the organization that is shown; outside of one, the person's. */
export function usePlane(): Plane {
  return useContext(PlaneContext);
}
