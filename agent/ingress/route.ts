import { z } from 'zod';
import type { ObservedSlice } from '../../protocol/observed.ts';

/** Where a ready instance listens. */
export const routeUpstream = z.object({
  instance: z.string(),
  host: z.string().min(1),
  port: z.int().min(1).max(65_535),
  protocol: z.enum(['http1', 'h2c']),
});

/** A host name and the instances that answer for it: only ready ones, none while there is none. */
export const route = z.object({ host: z.string().min(1).max(253), upstreams: z.array(routeUpstream).readonly() });

/** A port of the loopback and the instances behind it. Whatever is sent there is passed on as it is. */
export const portRoute = z.object({
  port: z.int().min(1).max(65_535),
  upstreams: z.array(routeUpstream.omit({ protocol: true })).readonly(),
});
export type PortRoute = z.infer<typeof portRoute>;

export type RouteUpstream = z.infer<typeof routeUpstream>;
export type Route = z.infer<typeof route>;

/** Traffic of one host, counted from the ingress's start. */
export type Traffic = ObservedSlice['traffic'][number];
export type StatusClass = keyof Traffic['requests'];

export const statusClasses: readonly StatusClass[] = ['1xx', '2xx', '3xx', '4xx', '5xx'];
