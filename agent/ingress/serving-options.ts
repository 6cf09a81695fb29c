import { parseArgs } from 'node:util';
import { z } from 'zod';
import type { Limits } from './requests/client-limits.ts';

/** The program of this digest takes over, started by a holder of its own. Version 0.1 is told the program itself. */
export const handOverOrder = z.object({ digest: z.string(), holder: z.string() });

export interface ServingOptions {
  directory: string;
  listen: string;
  digest: string;
  /** Ranges of addresses of proxies in front. */
  trust: readonly string[];
  limits: Partial<Pick<Limits, 'connections' | 'requests'>>;
  /** The process that holds the socket, and started this one. */
  holder: number;
  /** The descriptor on which the first process of a holder says that it serves. */
  ready: number | undefined;
  /** An ingress of version 0.1 sends its socket. */
  inherit: boolean;
}

export function servingOptions(argv: readonly string[]): ServingOptions {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      directory: { type: 'string' },
      // Version 0.1 says it to its successor.
      port: { type: 'string' },
      listen: { type: 'string', default: '127.0.0.1' },
      digest: { type: 'string', default: '' },
      trust: { type: 'string', multiple: true, default: [] },
      'client-connections': { type: 'string' },
      'client-requests': { type: 'string' },
      holder: { type: 'string', default: '0' },
      ready: { type: 'string' },
      inherit: { type: 'boolean', default: false },
    },
  });
  const { directory, listen, digest, trust, inherit } = values;
  if (directory === undefined) throw new Error('Say with --directory where the ingress keeps its files.');
  const holder = Number(values.holder);
  const ready = values.ready === undefined ? undefined : Number(values.ready);
  if (!inherit && holder !== process.ppid) throw new Error('The holder of the socket that --holder names has ended.');
  const limits = {
    ...limit('connections', values['client-connections']),
    ...limit('requests', values['client-requests']),
  };
  return { directory, listen, digest, trust, limits, holder, ready, inherit };
}

function limit(name: 'connections' | 'requests', value: string | undefined): ServingOptions['limits'] {
  return value === undefined ? {} : { [name]: Number(value) };
}
