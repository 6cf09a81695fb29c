import { useEffect, useState } from 'react';
import { file } from '../frame/page-file.ts';
import type { Bodies, Body } from './body.ts';

let loaded: Bodies | undefined;
let loading: Promise<Bodies> | undefined;

/** Loaded once, and only by pages with a form: the rules of all bodies take two kilobytes. */
function load(): Promise<Bodies> {
  loading ??= file(() => import('./bodies.json')).then(
    (module) => {
      loaded = module.default as Bodies;
      return loaded;
    },
    (error: unknown) => {
      loading = undefined;
      throw error;
    },
  );
  return loading;
}

/** The rules of an operation's body; undefined until they are loaded. */
export function useBody(operation: string): Body | undefined {
  const [bodies, setBodies] = useState(loaded);
  const [failure, setFailure] = useState<unknown>();
  useEffect(() => {
    if (bodies === undefined) load().then(setBodies, setFailure);
  }, [bodies]);
  if (failure !== undefined) throw failure;
  if (bodies === undefined) return undefined;
  const body = bodies[operation];
  if (body === undefined) throw new Error(`No operation ${operation} takes a body of fields.`);
  return body;
}
