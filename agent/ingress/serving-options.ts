import { parseArgs } from 'node:util';
import { z } from 'zod';

export const handOverOrder = z.object({
  program: z.array(z.string()).min(1),
  digest: z.string(),
  trust: z.array(z.string()),
});

export interface ServingOptions {
  directory: string;
  port: number;
  listen: string;
  digest: string;
  /** Ranges of addresses of proxies in front. */
  trust: readonly string[];
  /** The process before this one sends its socket. */
  inherit: boolean;
}

export function servingOptions(argv: readonly string[]): ServingOptions {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      directory: { type: 'string' },
      port: { type: 'string' },
      listen: { type: 'string', default: '127.0.0.1' },
      digest: { type: 'string', default: '' },
      trust: { type: 'string', multiple: true, default: [] },
      inherit: { type: 'boolean', default: false },
    },
  });
  const { directory, listen, digest, trust, inherit } = values;
  const port = Number(values.port);
  if (directory === undefined) throw new Error('Say with --directory where the ingress keeps its files.');
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new Error('Say with --port where the ingress listens.');
  return { directory, port, listen, digest, trust, inherit };
}
