import type { Tone } from '../../components/style.ts';

/** Values of the parameters in an address: `{ organization: 'acme', cluster: '…' }`. */
export type Params = Readonly<Record<string, string>>;

/** A number beside the name of a page, such as that of the approvals that wait. */
export interface Badge {
  count: number;
  tone: Tone;
  /** Names the things that are counted, for screen readers: "waiting approvals". */
  label: string;
}

/** A page in the navigation of a scope. */
export interface Entry {
  label: string;
  /** Its address as the router has it: `/$organization/clusters/$cluster/events`. */
  to: string;
  useBadge?: (params: Params) => Badge | undefined;
}
