/** The values that Ballast knows of a process that listens. */
export const addressParts = ['HOST', 'PORT', 'URL'] as const;
export type AddressPart = (typeof addressParts)[number];

/** The address of a process that listens. */
export type Address = {
  serviceId: string;
  processId: string;
  part: AddressPart;
};

/** Text, and addresses that are put in when it is delivered. */
export type Pieces = readonly (string | Address)[];

/** A process that listens, as far as its address follows from it. */
export type Listening = {
  id: string;
  name: string;
  kind: string;
  port: number;
};

/** A process that values of a release lead to, as it was then. */
export type Reached = { serviceId: string } & Listening;

/** Of a release whose variables have references. */
export type FrozenReferences = {
  /** The variables with references as they were written, but for secret ones: they are sealed. */
  written: Record<string, string>;
  /** Values with addresses, but for secret ones. */
  late: Record<string, Pieces>;
  /** By the id of the process. */
  reached: Record<string, Reached>;
};
