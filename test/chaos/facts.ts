/** A service in an environment. */
export interface At {
  environmentId: string;
  serviceId: string;
}

/** The kinds of rows that are followed: those of actors, and commands of clusters. */
export type RowKind = string;

/** A part of an accepted answer that must hold at the end. */
export type Promised =
  /** The row exists, and has become final. `states`: as one of these. */
  | { of: 'row'; kind: RowKind; id: string; states?: string[] }
  | { of: 'decision'; approvalId: string; decision: string }
  /** A variable that was staged: a later one of the same key replaces it. */
  | ({ of: 'value'; key: string; value: string } & At)
  /** `by`: it runs again only once that deployment is live. */
  | ({ of: 'suspension'; suspended: boolean; by?: string } & At);

/** One request of a client with all its attempts, which share an `Idempotency-Key`. */
export interface RequestFact {
  key: string;
  client: string;
  kind: string;
  at: string;
  attempts: number;
  /** Of the first answer that was one; absent: nobody answered until the end. */
  status?: number;
  problem?: string;
  /** Each answer that succeeded, by the thing that it is about. */
  answers: { attempt: number; subject: string }[];
  promises: Promised[];
}

/** A row at the end. */
export interface Row {
  kind: RowKind;
  id: string;
  state: string;
  final: boolean;
  message: string;
  /** Whether its workflow runs. */
  runs: boolean;
  /** Of a deployment. */
  changeSetId?: string;
  serviceId?: string;
}

/** A row as it was seen while the run lasted: one for each change. */
export interface Sighting {
  at: string;
  kind: RowKind;
  id: string;
  state: string;
  revision: number;
  final: boolean;
}

/** A sentence that somebody was told. */
export interface Statement {
  at: string;
  by: string;
  text: string;
}

/** An address was asked about a deployment that its row calls live, or failed. */
export interface Check {
  at: string;
  deploymentId: string;
  state: string;
  expected: string;
  /** Equal to `expected` where the row is right. */
  answered: string;
}

export interface FaultFact {
  at: string;
  until: string;
  what: 'kill' | 'pause';
  parts: string[];
  pids: number[];
  note: string;
}

/** All that a run of the checker has recorded. */
export interface Facts {
  requests: RequestFact[];
  faults: FaultFact[];
  rows: Row[];
  /** By approval; empty while it is pending. */
  decisions: Record<string, string>;
  sightings: Sighting[];
  statements: Statement[];
  /** Records of the audit log that a request of a client wrote. */
  effects: { requestId: string; action: string; subjectId: string }[];
  /** Release commands, by what tells their releases apart: how often they ran, and how many deployments ran them. */
  commandRuns: { mark: string; times: number; allowed: number }[];
  checks: Check[];
  values: (At & { key: string; value: string })[];
  suspensions: (At & { suspended: boolean })[];
  /** Releases that instances of a service run, which are ready. */
  running: (At & { releases: string[] })[];
  /** Contradictions in the stages and events that a deployment shows. */
  accounts: { deploymentId: string; fault: string }[];
  /** Changes that the event stream told of, whose thing nobody knows. */
  strayHints: { kind: string; id: string }[];
  /** Processes, directories and workflows that belong to nothing, a sentence each. */
  leftovers: string[];
  /** Messages that were not delivered, and all else that was still under way, a sentence each. */
  underWay: string[];
}

export function noFacts(): Facts {
  return {
    ...{ requests: [], faults: [], rows: [], decisions: {}, sightings: [], statements: [], effects: [] },
    ...{ commandRuns: [], checks: [], values: [], suspensions: [], running: [], accounts: [], strayHints: [] },
    ...{ leftovers: [], underWay: [] },
  };
}
