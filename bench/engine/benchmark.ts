/** One line of the table. */
export interface Row {
  name: string;
  unit: 'requests/s' | 'ms' | 's' | 'kB' | 'MB' | 'cores' | 'clusters';
  better: 'more' | 'less';
  /** What the subject may take at most, whatever the reference takes. */
  most?: number;
  /** What it may take at most next to the reference: then the ratio is told, and not judged. */
  mostBeside?: (reference: number) => number;
}

/** Figures by the name of their row. */
export type Figures = Readonly<Record<string, number>>;

/** A comparison: the same work done by a reference, which is as bare as can be, and by Ballast, the subject. */
export interface Benchmark {
  /** What `--only` calls it. */
  name: string;
  what: string;
  rows: readonly Row[];
  open(): Promise<Opened>;
}

/** A benchmark that is ready to run. Each call measures one round of one side. */
export interface Opened extends AsyncDisposable {
  reference(round: number): Promise<Figures>;
  subject(round: number): Promise<Figures>;
}
