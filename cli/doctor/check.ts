/** The result of one check. */
export interface Finding {
  name: string;
  /** `idle`: it does not run, and nobody said that it should. */
  state: 'ok' | 'idle' | 'broken';
  detail: string;
  /** How to mend it; only for what is broken. */
  mend?: string;
}

export interface Check {
  name: string;
  run(): Promise<Omit<Finding, 'name'>>;
}

export function ok(detail: string): Omit<Finding, 'name'> {
  return { state: 'ok', detail };
}

export function idle(detail: string): Omit<Finding, 'name'> {
  return { state: 'idle', detail };
}

export function broken(detail: string, mend: string): Omit<Finding, 'name'> {
  return { state: 'broken', detail, mend };
}
