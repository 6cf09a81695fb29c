/** One line of the table. */
export interface Row {
  name: string;
  unit:
    | 'requests/s'
    | 'workflows/s'
    | 'ms'
    | 's'
    | 'kB'
    | 'MB'
    | 'cores'
    | 'clusters'
    | 'calls'
    | 'requests'
    | 'connections'
    | 'hints/s'
    | 'inboxes'
    | 'nodes'
    | 'rows';
  better: 'more' | 'less';
  /** Upper bound for the subject, whatever the reference takes. */
  most?: number;
  /** The ratio below which the run fails, 0.5 if left out. */
  leastRatio?: number;
  /** Upper bound for the subject relative to the reference: then the ratio is printed and not judged. */
  mostBeside?: (reference: number) => number;
}

/** Figures by the name of their row. */
export type Figures = Readonly<Record<string, number>>;

/** A comparison: the same work done by a reference, which is as bare as can be, and by Ballast, the subject. */
export interface Benchmark {
  /** The name that `--only` takes. */
  name: string;
  what: string;
  rows: readonly Row[];
  /** How many rounds each side runs, 5 if left out: those of minutes do with fewer. */
  rounds?: number;
  open(): Promise<Opened>;
}

/** A benchmark that is ready to run. Each call measures one round of one side. */
export interface Opened extends AsyncDisposable {
  reference(round: number): Promise<Figures>;
  subject(round: number): Promise<Figures>;
}
