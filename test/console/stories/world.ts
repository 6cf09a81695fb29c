import type { Receiver } from '../../ground/receiver.ts';
import type { Console } from '../console.ts';
import type { Visitor } from '../visitor.ts';

/** Stands before the stories of a subject begin. Each subject makes what it needs, under names of its own. */
export interface World {
  readonly opened: Console;
  /** The first owner, signed in, with the organization `default`. */
  readonly ada: Visitor;
  /** The chat and the pager that channels send to. */
  readonly receiver: Receiver;
  /** Complaints of a page that the story provokes on purpose. */
  means(...complaints: RegExp[]): void;
}

export type Stories = (world: () => World) => void;
