import type { GitServer } from '../git/git-server.ts';
import type { JobIssuer } from '../identity/job-issuer.ts';
import type { Call, RunningApi, Seeded } from '../installation/running-api.ts';

/**
 * One request to each operation that succeeds: its path parameters and its body. An operation without an entry here fails
 * the sweep, so that none is left out. `prepare` makes what the request is about.
 */
export interface Example {
  as?: (ours: Seeded) => Call['as'];
  prepare?: () => Promise<Record<string, string>>;
  /** What must stand in the query. */
  query?: (path: Record<string, string>) => Record<string, string>;
  body?: (path: Record<string, string>) => unknown;
  /** Concerns the person alone, or changes nothing, so the audit log does not tell of it. */
  personal?: true;
  /** Further requests that succeed, so that each field that takes an id is in one; the rest is as above. */
  also?: readonly Omit<Example, 'also'>[];
  /** The expected status as long as nothing can succeed yet. */
  fails?: number;
}

/** The parts of the sweep that examples act on. */
export interface ExampleGround {
  api: RunningApi;
  ours: Seeded;
  issuer: JobIssuer;
  /** By http at an address that the API may reach; anybody may read it. */
  git: GitServer;
}
