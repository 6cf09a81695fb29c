/** Whether somebody answers there. Who it is has to be known by other means: any program may listen at a port. */
export async function answersOk(url: string): Promise<boolean> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(2000), redirect: 'error' });
    await response.body?.cancel();
    return response.ok;
  } catch {
    return false;
  }
}

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
